#if Inspector
import RepriseCore
import RepriseEventStore

/// The stores that inspectors of this process serve. A server ends with its store.
@MainActor enum ServedStores: StoreObserver {
  private struct Served {
    let store: ObjectIdentifier
    let token: String
    let server: Task<Void, any Error>
  }

  private static var served: [Served] = []
  private static var isObserving = false
  static var next: (any StoreObserver.Type)?

  /// Ends the server when the store ends, or at once if the store has ended.
  static func add(_ store: Store, _ server: Task<Void, any Error>, token: String) {
    if !isObserving { StoreObservers.add(Self.self) }
    isObserving = true
    if store.isClosed { return server.cancel() }
    served.append(Served(store: ObjectIdentifier(store), token: token, server: server))
  }

  /// A server has ended. It kept its store alive, so another store cannot have had the same identifier.
  static func remove(token: String) { served.removeAll { $0.token == token } }

  static func willEndFrame(of store: Store) {}

  static func didEnd(_ store: Store, isClean: Bool) {
    for each in served where each.store == ObjectIdentifier(store) { each.server.cancel() }
  }
}
#endif
