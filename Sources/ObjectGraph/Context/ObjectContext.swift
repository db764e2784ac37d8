import RepriseEventStore
import RepriseObjectModel

/// A view of a store's objects at one position of its log. It reads; ``EditingContext`` edits.
///
/// One instance per object: looking an object up twice gives the same one while somebody holds it. Objects are read
/// when they are first used, and reading is synchronous.
///
/// A context is not `Sendable`: it belongs to the isolation that it was made in, and so do its objects. Hand over an
/// object's `id` or `snapshot` instead. All reads answer for ``position``, whatever others save meanwhile; it moves at
/// defined points only, never within synchronous code.
public class ObjectContext {
  /// Whose objects these are.
  public let store: Store
  // Nothing runs while one of these is accessed.
  @exclusivity(unchecked) private var pinned: Position
  @exclusivity(unchecked) private var isResting = false
  let turn: ContextTurn
  let instances = IdentityMap()
  /// Objects whose record could not be read, with the reason.
  var failedReads: [AnyObjectID: StoreError] = [:]
  /// The attributes that a getter gave the default for, by slot.
  // Nothing runs while it is accessed.
  @exclusivity(unchecked) var misreads: [AnyObjectID: [Int]] = [:]
  private var observers: [Observer] = []
  private var nextObserver = 0
  private var isNotifying = false

  private struct Observer {
    let token: Int
    let body: () -> Void
  }

  init(store: Store, turn: ContextTurn, pinned position: Position) {
    self.store = store
    self.turn = turn
    pinned = position
  }

  // MARK: Position

  /// The place in the log that all reads answer for.
  // A pin keeps it readable; whoever sets it has moved the pin.
  public internal(set) var position: Position {
    get {
      if isResting { wake() }
      return pinned
    }
    set { pinned = newValue }
  }

  private func wake() {
    isResting = false
    pinned = store.pinAtHead()
  }

  /// Lets go of the position if nothing that this handed out, and nothing uncommitted, rests on it, so that what others
  /// save need not be kept for it. The next use begins at the head. Only between uses: reads of one use answer for one
  /// position.
  func rest() {
    guard !isResting, holdsNothing else { return }
    store.unpin(pinned)
    isResting = true
  }

  var holdsNothing: Bool { observers.isEmpty && instances.isEmptyOfLiveOnes() }

  /// The objects of which something could not be read since the last `refresh()`, with the reason of each: their
  /// records, or attributes whose stored values are none of their types, until they hold others. What cannot be read
  /// reads with defaults.
  ///
  /// Costs a look-up for each object of which an attribute could not be read.
  public var readErrors: [AnyObjectID: StoreError] { failedReads.merging(misreadErrors) { error, _ in error } }

  // MARK: What subclasses answer

  /// How an object stands in this context.
  func reading(of id: AnyObjectID, _ map: EntityMap) throws(StoreError) -> ObjectReading {
    guard let values = try store.values(of: id.uuid, map, at: position) else { return .absent }
    return .present(values)
  }

  /// As ``reading(of:_:)``, without a look at the store where a live object has been read: it reads as its context
  /// does.
  func currentReading(of id: AnyObjectID, _ map: EntityMap) throws(StoreError) -> ObjectReading {
    if let storage = liveInstance(of: id)?._storage {
      switch storage.knownState {
      case .live, .inserted: return .present(storage.values)
      default: break
      }
    }
    return try reading(of: id, map)
  }

  /// The layers above the store, the lowest first.
  var layers: [Overlay] { [] }

  /// Whether some layer above the store has it as new.
  func isInserted(_ id: AnyObjectID) -> Bool { false }

  func isDeletedHere(_ id: AnyObjectID) -> Bool { false }

  /// What an attempt to write through an object of this context does. An editing context records it.
  func write(_ value: PropertyValue, at slot: Int, of storage: ObjectStorage) { refuseEdit(of: storage.id) }
  func point(_ slot: Int, of storage: ObjectStorage, at object: (any PersistentModel)?) { refuseEdit(of: storage.id) }
  func add(_ object: any PersistentModel, to slot: Int, of storage: ObjectStorage) { refuseEdit(of: storage.id) }
  func remove(_ object: any PersistentModel, from slot: Int, of storage: ObjectStorage) { refuseEdit(of: storage.id) }
  func asOneStep(_ body: () -> Void) { body() }
  func insertReachable(_ object: any PersistentModel) { refuseEdit(of: object._storage.id) }

  private func refuseEdit(of id: AnyObjectID) -> Never {
    preconditionFailure(
      "\(id) belongs to a context that only reads. Look it up in an EditingContext and change it there.")
  }

  // MARK: Instances

  /// The live instance of an object, if somebody holds it.
  func liveInstance(of id: AnyObjectID) -> (any PersistentModel)? { instances.object(id) }

  func register(_ object: any PersistentModel, _ id: AnyObjectID) { instances.insert(object, id) }

  /// The instance of an object that is known to exist, filled if its values are at hand.
  func materialize(
    _ id: AnyObjectID, _ map: EntityMap, values: ContiguousArray<PropertyValue>? = nil
  ) -> any PersistentModel {
    if let live = liveInstance(of: id) {
      if let values, live._storage.knownState == nil { fill(live._storage, .present(values)) }
      return live
    }
    let storage = ObjectStorage(map.entity, uuid: id.uuid, host: self)
    let object = map.entity.makeObject(storage)
    register(object, id)
    if let values { fill(storage, .present(values)) }
    return object
  }

  func fill(_ storage: ObjectStorage, _ reading: ObjectReading) {
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

  /// Makes live objects read again.
  func invalidate(_ ids: some Sequence<AnyObjectID>) {
    for id in ids { liveInstance(of: id)?._storage.makeFault() }
  }

  func invalidateAll() {
    for object in instances.live { object._storage.makeFault() }
  }

  // MARK: Observers

  /// Calls `body` in this context's isolation after changes: at the end of the turn in which they were made, or at once
  /// where the context belongs to no isolation.
  package func observe(_ body: @escaping () -> Void) -> Int {
    nextObserver += 1
    observers.append(Observer(token: nextObserver, body: body))
    return nextObserver
  }

  package func removeObserver(_ token: Int) { observers.removeAll { $0.token == token } }

  func didChange() {
    guard !observers.isEmpty, !isNotifying else { return }
    isNotifying = true
    turn.end(self) { context in
      context.isNotifying = false
      for observer in context.observers { observer.body() }
    }
  }

  deinit { if !isResting { store.unpin(pinned) } }
}
