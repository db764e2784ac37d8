import RepriseCore

/// What happens in a store, as server-sent events of the HTML standard.
struct StoreEvents: Sendable {
  let store: Store

  /// The events from the present head on, until the reader ends or the store is closed.
  func stream() -> AsyncStream<String> {
    let store = store
    return AsyncStream { continuation in
      let saves = Task {
        try? await Self.forEachSave(of: store) { continuation.yield($0) }
        continuation.finish()
      }
      continuation.onTermination = { _ in saves.cancel() }
    }
  }

  private static func forEachSave(of store: Store, _ body: (String) -> Void) async throws {
    let token = try store.log.headToken()
    if let last = try store.log.transaction(at: token.position) { body(event(last)) }
    for try await transaction in store.log.feed(after: token) { body(event(transaction)) }
  }

  private static func event(_ transaction: LoggedTransaction) -> String {
    "event: head\ndata: \(PageAnswer(.object(TransactionForm.moment(transaction))).text)\n\n"
  }
}

extension PageAnswer {
  /// The body as a text. JSON has no line ends, which would end an event.
  fileprivate var text: String {
    if case .bytes(let bytes) = body { String(decoding: bytes, as: UTF8.self) } else { "" }
  }
}
