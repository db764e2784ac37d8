import RepriseEventStore
import RepriseObjectGraph
import RepriseSystem

/// The objects that restore scenes of a store, or that edit in it, in all isolations.
// Safe: `owners` and `editors` are used only with the lock of `all` held, and an owner is used only in its isolation.
package final class SceneOwners: @unchecked Sendable {
  /// The store, for comparisons alone.
  private let key: ObjectIdentifier
  /// Whether the store is still there: none of the objects need hold it.
  private weak var store: Store?
  /// The owners of claimed scenes.
  private var owners: [(scene: String, owner: IsolatedReference)] = []
  private var editors: [IsolatedReference] = []

  private init(_ store: Store) {
    key = ObjectIdentifier(store)
    self.store = store
  }

  func add(_ owner: any SceneOwner) {
    let (scene, added) = (owner.archiveName, IsolatedReference(retaining: owner))
    Self.all.withLock { _ in owners.append((scene, added)) }
  }

  func remove(_ owner: any SceneOwner) {
    let (scene, isolation) = (owner.archiveName, owner.isolation)
    let removed = Self.all.withLock { _ in
      owners.firstIndex { $0.scene == scene && $0.owner.isolation === isolation }.map { owners.remove(at: $0).owner }
    }
    // Not with the lock held: freeing a screen may run the program's code.
    removed?.release()
  }

  /// Adds an object that edits in this store, and restores a scene of another store. The object is not retained.
  func addEditor(_ editor: any SceneOwner) {
    let added = IsolatedReference(editor, in: editor.isolation)
    Self.all.withLock { _ in
      editors.removeAll { $0.isGone || $0.object(in: added.isolation) === added.object(in: added.isolation) }
      editors.append(added)
    }
  }

  private var knownOwners: [IsolatedReference] { Self.all.withLock { _ in owners.map(\.owner) } }
  private var knownEditors: [IsolatedReference] { Self.all.withLock { _ in editors } }

  /// The owners of scenes in an isolation.
  package func owners(in isolation: (any Actor)?) -> [any SceneOwner] {
    knownOwners.compactMap { $0.owner(in: isolation) }
  }

  /// Asks the owner of a scene to release it. Returns whether this process has an owner.
  func ask(for scene: String, in isolation: any Actor) -> Bool {
    guard let found = Self.all.withLock({ _ in owners.first { $0.scene == scene }?.owner }) else { return false }
    guard let its = found.isolation else { return true }
    if its === isolation {
      found.owner(in: its)?.letGo()
    } else {
      ContextTurn.begin(on: its) { found.owner(in: its)?.letGo() }
    }
    return true
  }

  /// Reports a failed write to the owners and editors, in a later turn of their isolation. Owners that have
  /// ended meanwhile get no report.
  package func writingFailed(_ error: StoreError) {
    for isolation in isolations(knownOwners + knownEditors) {
      ContextTurn.begin(on: isolation) { [self] in
        for each in knownOwners + knownEditors {
          (each.object(in: isolation) as? any SceneOwner)?.writingFailed(error)
        }
      }
    }
  }

  private func isolations(_ references: [IsolatedReference]) -> [any Actor] {
    var found: [any Actor] = []
    for case let isolation? in references.map(\.isolation) where !found.contains(where: { $0 === isolation }) {
      found.append(isolation)
    }
    return found
  }

  /// Calls `body` for each owner, in the isolation of the owner.
  private func each(_ body: @escaping @Sendable (any SceneOwner) -> Void) async {
    for isolation in isolations(knownOwners) {
      await ContextTurn.run({ for owner in self.owners(in: isolation) { body(owner) } }, on: isolation)
    }
  }

  // MARK: By store

  // An array, because there are few stores, and arrays of objects share one type, which exists when a process starts.
  private static let all = Guarded<[SceneOwners]>([])
  private static let isObserving = Guarded(false)
  // Safe: it is set once, before another thread reads it.
  package nonisolated(unsafe) static var next: (any StoreObserver.Type)?

  /// The owners of a store, if it has any.
  package static func known(of store: Store) -> SceneOwners? {
    let key = ObjectIdentifier(store)
    return all.withLock { all in all.first { $0.key == key } }
  }

  /// The owners of a store, made on demand.
  static func of(_ store: Store) -> SceneOwners {
    let key = ObjectIdentifier(store)
    observe()
    return all.withLock { all in
      if let known = all.first(where: { $0.key == key }), known.store != nil { return known }
      // Stores that were released without being closed. A new store may have the address of one.
      all.removeAll { $0.store == nil }
      let owners = SceneOwners(store)
      all.append(owners)
      return owners
    }
  }

  private static func observe() {
    let isNew = isObserving.withLock { isObserving in
      defer { isObserving = true }
      return !isObserving
    }
    if isNew { StoreObservers.add(Self.self) }
  }
}

extension SceneOwners: StoreObserver {
  package static func willEndFrame(of store: Store, in isolation: any Actor) {
    guard let owners = known(of: store) else { return }
    for owner in owners.owners(in: isolation) { owner.writeChanges() }
  }

  package static func willEnd(_ store: Store) async { await known(of: store)?.each { $0.writeChanges() } }

  package static func didEnd(_ store: Store, isClean: Bool) async {
    guard let owners = known(of: store) else { return }
    // Even if it is not clean, the turns that have begun end first, and find an open journal.
    await owners.each {
      if isClean { $0.storeWasClosed() }
      // Here, because the owner and its screens are freed in its isolation.
      owners.remove($0)
    }
    all.withLock { all in
      all.removeAll { $0 === owners }
      (owners.owners, owners.editors) = ([], [])
    }
  }
}
