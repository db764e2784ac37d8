import RepriseLog
import RepriseObjectModel

/// Builds the ``SavePlan`` of one save.
struct SavePlanner {
  let map: SchemaMap
  let merging: Merging
  /// The requested changes first, by entity and UUID. Then their consequences.
  var operations: [SavePlan.Operation] = []
  /// The index of each object's operation, built on first use: most saves never need it.
  private var places: ObjectMap<Int>?
  private var isSorted = true
  /// The conflicts that the policy leaves undecided.
  private(set) var conflicts: [Conflict] = []
  private var isAsked: Set<Question> = []
  /// Whether a decision may have more consequences.
  var hasChanged = false
  /// Deletions whose delete rules are yet to be applied.
  var deletions: [AnyObjectID] = []
  /// Objects whose deletion was taken back. Rules do not delete them again.
  var kept: Set<AnyObjectID> = []
  /// The number of operations at which the search for consequences stops.
  var limit = Int.max
  /// Deletions to take back.
  var unwanted: [AnyObjectID] = []
  /// The objects that another save deleted, and that this save updates and restores.
  var restorations: [AnyObjectID] = []
  /// The cascade targets of deletions, by stored references that other saves changed.
  var newTargets: [AnyObjectID] = []

  init(map: SchemaMap, merging: Merging) {
    self.map = map
    self.merging = merging
  }

  // MARK: Operations

  mutating func place(_ id: AnyObjectID) -> Int? {
    if let places { return places[id] }
    var places = ObjectMap<Int>()
    places.reserveCapacity(operations.count)
    for place in operations.indices { places[operations[place].id] = place }
    self.places = places
    return places[id]
  }

  /// Adds or replaces the operation of an object.
  mutating func set(_ operation: SavePlan.Operation) {
    if let place = place(operation.id) { return operations[place] = operation }
    places?[operation.id] = operations.count
    operations.append(operation)
    isSorted = false
  }

  /// The operations that have something to write, by entity and UUID.
  consuming func sorted() -> [SavePlan.Operation] {
    if operations.indices.contains(where: { operations[$0].isEmpty }) { operations.removeAll { $0.isEmpty } }
    if isSorted { return operations }
    return operations.sorted {
      $0.map.number != $1.map.number ? $0.map.number < $1.map.number : $0.uuid < $1.uuid
    }
  }

  mutating func operation(
    _ id: AnyObjectID, _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) -> SavePlan.Operation? {
    if let place = place(id) { return operations[place] }
    guard let entity = map.map(id.name), let below = try state.object(id.uuid, entity) else { return nil }
    return SavePlan.Operation(map: entity, uuid: id.uuid, change: .updated([]), below: below)
  }

  /// Whether an object exists after the operations planned so far.
  mutating func exists(
    _ id: AnyObjectID, _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) -> Bool {
    if let place = place(id) { return !operations[place].isGone }
    guard let entity = map.map(id.name) else { return true }
    return try state.object(id.uuid, entity) != nil
  }

  // MARK: Decisions

  private struct Question: Hashable {
    let object: AnyObjectID
    let kind: Conflict.Kind
  }

  /// The policy's decision about a conflict.
  enum Decision: Equatable {
    /// Undecided: the conflict is added to `conflicts`.
    case refused
    case mine
    case theirs
    case value(PropertyValue)
    /// The object is saved as the context shows it.
    case allMine
    /// All changes to the object are dropped.
    case allTheirs

    /// Whether the other save's change wins in a conflict that allows only one of the two changes.
    var isTheirs: Bool { self == .theirs || self == .allTheirs }
  }

  mutating func decide(_ conflict: Conflict) -> Decision {
    let decision: Decision
    switch merging.policy {
    case .error: decision = .refused
    case .mine: decision = .mine
    case .theirs: decision = .theirs
    case .overwrite: decision = .allMine
    case .rollBack: decision = .allTheirs
    case .custom(let decide):
      // Called once for each conflict: a closure that contradicts itself would otherwise never terminate.
      if isAsked.insert(Question(object: conflict.object, kind: conflict.kind)).inserted {
        switch decide(conflict) {
        case .refuse: decision = .refused
        case .mine: decision = .mine
        case .theirs: decision = .theirs
        // A link with another member would be another link.
        case .value(let value): decision = map.map(conflict.object.name)?.entity.isLink == true ? .mine : .value(value)
        }
      } else {
        decision = .refused
      }
    }
    if decision == .refused {
      refuse(conflict)
    } else {
      hasChanged = true
    }
    return decision
  }

  mutating func refuse(_ conflict: Conflict) {
    if !conflicts.contains(conflict) { conflicts.append(conflict) }
  }
}
