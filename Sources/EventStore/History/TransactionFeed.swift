import RepriseLog
import RepriseObjectModel

extension TransactionLog {
  /// The transactions after another one, oldest first, and then each as it is saved, by this process or another.
  ///
  /// Each comes exactly once. To resume after a relaunch, keep the ``LoggedTransaction/token`` of the last transaction
  /// that you dealt with. If the store was restored from a backup that lacks it, the first `next()` throws
  /// ``StoreError/otherLog(path:token:head:)``: without that, transactions that were saved after the backup would be
  /// left out.
  ///
  /// ```swift
  /// let others = TransactionFilter(excludingAuthors: ["sync"])
  /// for try await transaction in store.log.feed(after: known, matching: others) {
  ///   try await send(transaction)
  ///   known = transaction.token
  /// }
  /// ```
  ///
  /// Nothing is read ahead of who asks but a few transactions, so a slow reader costs no memory. A save wakes a waiting
  /// reader, whichever process it is of; a reader that has waited once has a thread of the store wait for that. The
  /// sequence ends when the task is cancelled or the store is closed. It does not keep ``retain(_:progress:)`` from
  /// dropping what it has not read.
  ///
  /// - Parameter token: From ``LoggedTransaction/token``, ``headToken()`` or ``token(at:)``; `nil` for all
  ///   transactions.
  public func feed(
    after token: LogToken?, matching filter: TransactionFilter = TransactionFilter()
  ) -> TransactionFeed {
    TransactionFeed(store: store, token: token, filter: filter)
  }
}

/// The transactions of a store as they come; see ``TransactionLog/feed(after:matching:)``.
public struct TransactionFeed: AsyncSequence, Sendable {
  /// A transaction.
  public typealias Element = LoggedTransaction
  fileprivate let store: Store
  fileprivate let token: LogToken?
  fileprivate let filter: TransactionFilter

  /// An iterator from the beginning; several go their own ways.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// Reads the transactions of a ``TransactionFeed``.
  public struct Iterator: AsyncIteratorProtocol {
    private let feed: TransactionFeed
    /// The last position read.
    private var position: Position
    /// Whether the log is known to have the token's transaction. The files of an open store stay the same.
    private var isTokenKnown: Bool
    /// From the first wait on.
    private var interest: OtherProcesses.Interest?
    /// Read and not returned yet, the latest first.
    private var waiting: [LoggedTransaction] = []

    /// How many are read at once.
    private static let page = 16
    /// How often saves are looked for of which the system tells nothing.
    private static let pause = Duration.seconds(1)

    fileprivate init(_ feed: TransactionFeed) {
      self.feed = feed
      position = feed.token?.position ?? 0
      isTokenKnown = feed.token == nil
    }

    /// The next transaction, once there is one; `nil` when the task was cancelled or the store was closed.
    ///
    /// - Throws: ``StoreError``: the log is damaged or cannot be read; `otherLog` if it does not have the token's
    ///   transaction; `truncated` if the next one was dropped by ``TransactionLog/retain(_:progress:)``: begin anew
    ///   with what the store has, and follow it from its head. The next call tries again.
    nonisolated(nonsending) public mutating func next() async throws -> LoggedTransaction? {
      while waiting.isEmpty {
        if Task.isCancelled || feed.store.isClosed { return nil }
        do throws(StoreError) {
          try await feed.store.waitUntilOpen()
          if !isTokenKnown, let token = feed.token { try feed.store.log.require(token) }
          isTokenKnown = true
          let page = try feed.store.log.page(after: position, limit: Self.page, feed.filter)
          waiting = page.transactions.reversed()
          position = page.upTo
          if !page.isAtHead { continue }
        } catch {
          if case .closed = error { return nil }
          throw error
        }
        if waiting.isEmpty {
          if interest == nil {
            // What was saved before somebody watched is looked for once more.
            interest = OtherProcesses.Interest(feed.store)
            continue
          }
          await moved()
        }
      }
      return waiting.removeLast()
    }

    /// Returns when the head has moved, or it is time to look whether it has.
    nonisolated(nonsending) private func moved() async {
      let (saves, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
      let observer = feed.store.observeHead { continuation.yield() }
      defer { feed.store.removeHeadObserver(observer) }
      if feed.store.log.head > position { return }
      await withTaskGroup { group in
        group.addTask { for await _ in saves { break } }
        group.addTask { try? await Task.sleep(for: Self.pause) }
        await group.next()
        group.cancelAll()
      }
    }
  }
}
