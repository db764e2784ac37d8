import RepriseEventStore
import RepriseObjectModel

/// A read-only view of a store's objects at one position of its log.
///
/// Use an ``EditingContext`` to edit. There is one instance per object. While the program retains an instance, every
/// lookup returns the same one. Objects are read synchronously, on first use.
///
/// A context is not `Sendable`. The context and its objects belong to the isolation that made the context. Pass an
/// object's `id` or `snapshot` to other isolations instead. All reads see the log at ``position``, even if other
/// contexts save meanwhile. The position moves only at defined points, never within synchronous code.
public class ObjectContext {
  /// The store that the context reads.
  public let store: Store
  // No other code runs while one of these is accessed.
  @exclusivity(unchecked) private var pinned: Position
  @exclusivity(unchecked) private(set) var isResting: Bool
  let turn: ContextTurn
  let instances = IdentityMap()
  /// The order of a relationship that was read last.
  // No other code runs while it is accessed.
  @exclusivity(unchecked) var knownRows: KnownRows?
  /// The objects that a fetch must not take from the store.
  let differences = HeadDifferences()
  /// The objects whose record could not be read, with the reason.
  var failedReads: [AnyObjectID: StoreError] = [:]
  /// The objects with a refused edit, because the values below it could not be read, with the reason. Saves throw until
  /// such edits are discarded, or everything is read again.
  var refusedEdits: [AnyObjectID: StoreError] = [:]
  /// The rows that this context hides from relationships: `remove` found only damage there. A row is a link, or a
  /// member without a link. Saves throw, as for `refusedEdits`.
  var hiddenRows: [AnyObjectID: StoreError] = [:]
  /// The slots of attributes whose getter returned the default.
  // No other code runs while it is accessed.
  @exclusivity(unchecked) var misreads: [AnyObjectID: [Int]] = [:]
  /// The recorded reads, if saves are serialisable.
  var reads: ReadSet?
  /// Receives the reads of the program. `nil` if there is no observation.
  package private(set) var tracker: (any ReadTracker)?
  private var observers: [Observer] = []
  private var nextObserver = 0
  private var isNotifying = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  private struct Observer {
    let token: Int
    let owner: AnyObject.Type
    let body: () -> Void
  }

  /// - Parameter position: The position of the context, already pinned. `nil` before the store is open.
  init(store: Store, turn: ContextTurn, pinned position: Position?) {
    self.store = store
    self.turn = turn
    pinned = position ?? 0
    isResting = position == nil
  }

  // MARK: Position

  /// The position in the log that all reads see; 0 before the store is open.
  // A pin keeps the position readable. Move the pin before you set the position.
  public internal(set) var position: Position {
    get {
      if isResting { wake() }
      return pinned
    }
    set { pinned = newValue }
  }

  private func wake() {
    guard let position = pinAnew() else { return }
    isResting = false
    pinned = position
  }

  /// Pins the position where the context begins, and returns it. `nil` before the store is open.
  func pinAnew() -> Position? { store.pinAtHead() }

  /// Unpins the position if no live object, observer or uncommitted change depends on it. Then the version window need
  /// not keep later saves for it. The next use starts at the head. Call it only between uses, because all reads of one
  /// use must see one position.
  func rest() {
    guard !isResting, holdsNothing else { return }
    store.unpin(pinned)
    isResting = true
  }

  /// The types of the observers of changes, such as lists.
  package final var observerTypes: [AnyObject.Type] { observers.map(\.owner) }
  var holdsNothing: Bool { observers.isEmpty && instances.isEmptyOfLiveOnes() }

  /// The objects that could not be read, entirely or in part, since the last `refresh()`, with the reasons.
  ///
  /// An object is included if its record is unreadable, or if a stored value is not valid for the type of its
  /// attribute. A value stays unreadable until you assign a new one. Unreadable values read as the attribute's default.
  /// An object is also included if an edit of it failed because something was unreadable. `discard()` clears these
  /// failures.
  ///
  /// Costs one lookup for each object with an unreadable attribute.
  public var readErrors: [AnyObjectID: StoreError] {
    failedReads.merging(refusedEdits) { error, _ in error }.merging(hiddenRows) { error, _ in error }
      .merging(misreadErrors) { error, _ in error }
  }

  // MARK: Overridden by subclasses

  /// Reads an object in this context's view.
  func reading(of id: AnyObjectID, _ map: EntityMap) throws(StoreError) -> ObjectReading {
    reads?.add(id)
    if let walk = differences.walk(of: id.name, at: position) {
      return try store.objects.values(of: id.uuid, map, walk).map { .present($0) } ?? .absent
    }
    guard let values = try store.objects.values(of: id.uuid, map, at: position) else { return .absent }
    return .present(values)
  }

  /// Like ``reading(of:_:)``, but takes the values of a live object that is already filled, without reading the store.
  func currentReading(of id: AnyObjectID, _ map: EntityMap) throws(StoreError) -> ObjectReading {
    if let storage = liveInstance(of: id)?._storage {
      switch storage.knownState {
      case .live, .inserted: return .present(storage.values)
      default: break
      }
    }
    return try reading(of: id, map)
  }

  /// The layers above the store, lowest first.
  var layers: [Overlay] { [] }

  /// Whether any layer above the store inserts the object.
  func isInserted(_ id: AnyObjectID) -> Bool { false }

  // The requests of objects, by ``ObjectHost``. Only editing contexts make edits.

  package func set(_ value: PropertyValue, at slot: Int, of storage: ObjectStorage) { refuseEdit(of: storage.id) }
  package func setToOne(_ object: (any PersistentModel)?, at slot: Int, of storage: ObjectStorage) {
    refuseEdit(of: storage.id)
  }
  package func insertMember(_ object: any PersistentModel, into slot: Int, of storage: ObjectStorage) {
    refuseEdit(of: storage.id)
  }
  package func insertMember(
    _ object: any PersistentModel, at position: Int, into slot: Int, of storage: ObjectStorage
  ) {
    refuseEdit(of: storage.id)
  }
  package func insertMembers(
    _ objects: [any PersistentModel], between lower: (any PersistentModel)?, and upper: (any PersistentModel)?,
    into slot: Int, of storage: ObjectStorage
  ) -> Bool {
    refuseEdit(of: storage.id)
  }
  package func removeMember(_ object: any PersistentModel, from slot: Int, of storage: ObjectStorage) {
    refuseEdit(of: storage.id)
  }
  package func adopt(_ object: any PersistentModel, _ body: () -> Void) { refuseEdit(of: object._storage.id) }
  package func asOneStep(_ body: () -> Void) { body() }

  private func refuseEdit(of id: AnyObjectID) -> Never {
    preconditionFailure(
      "\(id) belongs to a context that only reads. Look it up in an EditingContext and change it there.")
  }

  // MARK: Instances

  /// The live instance of an object. `nil` if there is none.
  func liveInstance(of id: AnyObjectID) -> (any PersistentModel)? { instances.object(id) }

  func register(_ object: any PersistentModel, _ id: AnyObjectID) { instances.insert(object, id) }

  /// The instance of an existing object, filled if `values` are not `nil`.
  func materialize(
    _ id: AnyObjectID, _ map: EntityMap, values: ContiguousArray<PropertyValue>? = nil
  ) -> any PersistentModel {
    if let live = liveInstance(of: id) {
      if let values, live._storage.knownState == nil { fill(live._storage, .present(values)) }
      return live
    }
    let storage = ObjectStorage(map.entity, uuid: id.uuid, host: self)
    if tracker != nil { storage.isTracked = true }
    // Made before the storage is filled, because the object's initialiser would overwrite the values.
    let object = map.entity.makeObject(storage)
    if let values { fill(storage, .present(values)) }
    // Last, because an object with a weak reference costs more to retain.
    register(object, id)
    return object
  }

  func fill(_ storage: ObjectStorage, _ reading: ObjectReading) {
    reads?.add(storage.id)
    switch reading {
    case .present(let values):
      storage.fill(values, as: isInserted(storage.id) ? .inserted : .live)
      if misreadError(of: storage) != nil { storage.state = .unreadable }
    case .deleted(let values):
      storage.fill(values, as: .deleted)
    case .absent:
      storage.fill(storage.values.isEmpty ? storage.entity.defaults : storage.values, as: .deleted)
    }
  }

  /// Invalidates live objects, so that they are read again.
  func invalidate(_ ids: some Sequence<AnyObjectID>) {
    for id in ids { liveInstance(of: id)?._storage.makeFault() }
  }

  func invalidateAll() {
    for object in instances.live { object._storage.makeFault() }
  }

  /// Reports the program's reads to `tracker` from now on.
  package func track(by tracker: any ReadTracker) {
    self.tracker = tracker
    for object in instances.live { object._storage.isTracked = true }
  }

  // MARK: Observers

  /// Calls `body` in this context's isolation after changes: at the end of their turn, or at once if the context has no
  /// isolation.
  package func observe(_ owner: AnyObject.Type, _ body: @escaping () -> Void) -> Int {
    nextObserver += 1
    observers.append(Observer(token: nextObserver, owner: owner, body: body))
    return nextObserver
  }

  package func removeObserver(_ token: Int) { observers.removeAll { $0.token == token } }

  func didChange() {
    guard !observers.isEmpty, !isNotifying else { return }
    isNotifying = true
    turn.end(self) { context in
      context.isNotifying = false
      for observer in context.observers { observer.body() }
      let waiting = context.waiting
      context.waiting = []
      for continuation in waiting { continuation.resume() }
    }
  }

  /// Returns once the observers have been called for all changes until now.
  package func announced(isolation: isolated (any Actor)?) async {
    guard isNotifying else { return }
    await withCheckedContinuation(isolation: isolation) { waiting.append($0) }
  }

  deinit { if !isResting { store.unpin(pinned) } }
}

extension ObjectContext: ObjectHost {
  package func fill(_ storage: ObjectStorage) {
    let id = storage.id
    guard let map = store.map.map(id.name) else { return fail(storage, .missingModels([id.entity], given: [])) }
    do {
      fill(storage, try reading(of: id, map))
    } catch {
      fail(storage, error)
    }
  }

  package func didRead(_ slot: Int, of storage: ObjectStorage) { tracker?.didRead(slot, of: storage.id) }

  private func fail(_ storage: ObjectStorage, _ error: StoreError) {
    storage.fill(storage.values.isEmpty ? storage.entity.defaults : storage.values, as: .unreadable)
    failedReads[storage.id] = error
  }
}
