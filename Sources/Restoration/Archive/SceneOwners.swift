import RepriseEventStore

/// The objects that restore scenes of a store, or that edit in it.
@MainActor package final class SceneOwners {
  /// The store, for comparisons alone.
  private let key: ObjectIdentifier
  /// Whether the store is still there: none of the objects need hold it.
  private weak var store: Store?
  /// The owners of claimed scenes.
  package private(set) var scenes: [any SceneOwner] = []
  private var editors: [WeakOwner] = []

  private struct WeakOwner { weak var owner: (any SceneOwner)? }

  private init(_ store: Store) {
    key = ObjectIdentifier(store)
    self.store = store
  }

  func add(_ owner: any SceneOwner) { scenes.append(owner) }
  func remove(_ owner: any SceneOwner) { scenes.removeAll { $0 === owner } }

  /// Adds an object that edits in this store, and restores a scene of another store. The object is not retained.
  func addEditor(_ editor: any SceneOwner) {
    editors.removeAll { $0.owner == nil || $0.owner === editor }
    editors.append(WeakOwner(owner: editor))
  }

  func owner(of scene: String) -> (any SceneOwner)? { scenes.first { $0.archiveName == scene } }

  func writingFailed(_ error: StoreError) {
    for owner in scenes { owner.writingFailed(error) }
    for editor in editors { editor.owner?.writingFailed(error) }
  }

  // MARK: By store

  // An array, because there are few stores, and arrays of objects share one type, which exists when a process starts.
  private static var all: [SceneOwners] = []
  private static var isObserving = false
  package static var next: (any StoreObserver.Type)?

  /// The owners of a store, if it has any.
  package static func known(of store: Store) -> SceneOwners? {
    let key = ObjectIdentifier(store)
    return all.first { $0.key == key }
  }

  /// The owners of a store, made on demand.
  static func of(_ store: Store) -> SceneOwners {
    if let known = known(of: store), known.store != nil { return known }
    // Stores that were released without being closed. A new store may have the address of one.
    all.removeAll { $0.store == nil }
    if !isObserving { StoreObservers.add(Self.self) }
    isObserving = true
    let owners = SceneOwners(store)
    all.append(owners)
    return owners
  }
}

extension SceneOwners: StoreObserver {
  package static func willEndFrame(of store: Store) {
    guard let owners = known(of: store) else { return }
    for owner in owners.scenes { owner.writeChanges() }
  }

  package static func didEnd(_ store: Store, isClean: Bool) {
    guard let owners = known(of: store) else { return }
    if isClean { for owner in owners.scenes { owner.storeWasClosed() } }
    all.removeAll { $0 === owners }
  }
}
