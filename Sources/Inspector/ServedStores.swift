#if Inspector
import RepriseCore
import RepriseEventStore

/// The stores that inspectors of this process serve. A server ends with its store.
@MainActor enum ServedStores {
  private struct Served {
    let store: ObjectIdentifier
    let token: String
    let server: Task<Void, any Error>
  }

  private static var served: [Served] = []
  private static var isObserving = false

  /// Ends the server when the store ends, or at once if the store has ended.
  static func add(_ store: Store, _ server: Task<Void, any Error>, token: String) {
    if !isObserving { StoreObservers.add(Observer.self) }
    isObserving = true
    if store.isClosed { return server.cancel() }
    served.append(Served(store: ObjectIdentifier(store), token: token, server: server))
  }

  /// A server has ended. It kept its store alive, so another store cannot have had the same identifier.
  static func remove(token: String) { served.removeAll { $0.token == token } }

  private static func end(_ store: Store) {
    for each in served where each.store == ObjectIdentifier(store) { each.server.cancel() }
  }

  private enum Observer: StoreObserver {
    // Safe: it is set once, before another thread reads it.
    nonisolated(unsafe) static var next: (any StoreObserver.Type)?

    static func didEnd(_ store: Store, isClean: Bool) async { await end(store) }
  }
}
#endif
