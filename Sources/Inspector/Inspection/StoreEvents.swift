import RepriseCore
import RepriseEventStore

/// The changes of a store, as server-sent events of the HTML standard.
struct StoreEvents: Sendable {
  let store: Store
  /// Gets 1 when a reader begins, and -1 when it ends.
  let countReaders: @Sendable (Int) async -> Void

  /// The time between two looks for changes of drafts and screens, which no system reports.
  private static let pause = Duration.milliseconds(150)

  /// The events from the present head on, until the reader ends or the store is closed.
  func stream() -> AsyncStream<String> {
    let (store, countReaders) = (store, countReaders)
    // A page that does not read only misses events, and each event replaces the ones before it.
    return AsyncStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
      let saves = Task {
        try? await Self.forEachSave(of: store) { continuation.yield($0) }
        continuation.finish()
      }
      let began = Task { await countReaders(1) }
      let drafts = Task { await Self.watchDrafts(of: store) { continuation.yield($0) } }
      continuation.onTermination = { _ in
        saves.cancel()
        drafts.cancel()
        Task {
          await began.value
          await countReaders(-1)
        }
      }
    }
  }

  private static func forEachSave(of store: Store, _ body: (String) -> Void) async throws {
    let token = try store.log.headToken()
    if let last = try store.log.transaction(at: token.position) { body(event(last)) }
    for try await transaction in store.log.feed(after: token) { body(event(transaction)) }
  }

  private static func watchDrafts(of store: Store, _ body: (String) -> Void) async {
    var known = try? store.draftsToken()
    var looks = 0
    while !Task.isCancelled {
      try? await Task.sleep(for: pause)
      looks += 1
      // A comment. A server learns only from a failed write that the page has gone.
      if looks.isMultiple(of: 100) { body(": \n\n") }
      // A failed look means that the store is closed, and the saves end for the same reason.
      guard let token = try? store.draftsToken(), token != known else { continue }
      known = token
      body("event: drafts\ndata: {}\n\n")
    }
  }

  private static func event(_ transaction: LoggedTransaction) -> String {
    ["event: head", "data: \(PageAnswer(.object(TransactionForm.moment(transaction))).text)", "", ""]
      .joined(separator: "\n")
  }
}

extension PageAnswer {
  /// The body as a text. JSON has no line ends, which would end an event.
  fileprivate var text: String {
    if case .bytes(let bytes) = body { String(decoding: bytes, as: UTF8.self) } else { "" }
  }
}
