import RepriseLog
import RepriseObjectModel

extension TransactionLog {
  /// Returns the transactions after `token`, oldest first, and then each new one after this or another process has
  /// saved it. Each transaction comes exactly once.
  ///
  /// ```swift
  /// let filter = TransactionFilter(excludingAuthors: ["sync"])
  /// for try await transaction in store.log.feed(after: known, matching: filter) {
  ///   try await send(transaction)
  ///   known = transaction.token
  /// }
  /// ```
  ///
  /// To resume after a restart of the program, keep the ``LoggedTransaction/token`` of the last transaction that you
  /// handled. If the store was restored from a backup without that transaction, the first `next()` throws
  /// ``StoreError/otherLog(path:token:head:)``. Otherwise the feed would leave out transactions that were saved after
  /// the backup.
  ///
  /// The feed reads at most 16 transactions ahead, so a slow reader costs little memory. A save of any process wakes a
  /// waiting reader. From its first wait on, a reader lets a thread of the library watch the store's file. The sequence
  /// ends if the task is cancelled or the store is closed. The feed does not keep ``retain(_:progress:)`` from dropping
  /// transactions that it has not read.
  ///
  /// - Parameters:
  ///   - token: From ``LoggedTransaction/token``, ``headToken()`` or ``token(at:)``; `nil` for all transactions.
  ///   - filter: The transactions and changes to return.
  public func feed(
    after token: LogToken?, matching filter: TransactionFilter = TransactionFilter()
  ) -> TransactionFeed {
    TransactionFeed(store: store, token: token, filter: filter)
  }
}

/// The transactions of a store, followed by each new one as it is saved; see ``TransactionLog/feed(after:matching:)``.
public struct TransactionFeed: AsyncSequence, Sendable {
  /// One transaction.
  public typealias Element = LoggedTransaction
  fileprivate let store: Store
  fileprivate let token: LogToken?
  fileprivate let filter: TransactionFilter

  /// Returns an iterator that begins after the feed's token. Several iterators are independent.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// Reads the transactions of a ``TransactionFeed``.
  public struct Iterator: AsyncIteratorProtocol {
    private let feed: TransactionFeed
    /// The position of the last transaction read.
    private var position: Position
    /// Whether the log is known to have the token's transaction. The files of an open store stay the same.
    private var isTokenKnown: Bool
    /// Watches for saves of other processes, from the first wait on.
    private var interest: OtherProcesses.Interest?
    /// The transactions read and not returned yet, the latest first.
    private var waiting: [LoggedTransaction] = []

    /// The number of transactions read at once.
    private static let page = 16
    /// The time between looks for saves that the system does not report.
    private static let pause = Duration.seconds(1)

    fileprivate init(_ feed: TransactionFeed) {
      self.feed = feed
      position = feed.token?.position ?? 0
      isTokenKnown = feed.token == nil
    }

    /// Waits for the next transaction and returns it; `nil` if the task is cancelled or the store is closed.
    ///
    /// - Throws: ``StoreError`` if the log is damaged or cannot be read. `deleted` if another file is at the path of
    ///   the store's file. `otherLog` if the log does not have the token's transaction. `truncated` if
    ///   ``TransactionLog/retain(_:progress:)`` dropped the next transaction. After `truncated`, take
    ///   ``TransactionLog/headToken()``, copy the objects of the store, and begin another feed at that token. After an
    ///   error, the next call tries again.
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
          // Other processes save into the file at the path.
          if interest != nil { try feed.store.requireOwnFile() }
        } catch {
          if case .closed = error { return nil }
          throw error
        }
        if waiting.isEmpty {
          if interest == nil {
            // A save may have come before the watch began, so look once more.
            interest = OtherProcesses.Interest(feed.store)
            continue
          }
          await moved()
        }
      }
      return waiting.removeLast()
    }

    /// Returns when the head has moved, or after ``pause``.
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
