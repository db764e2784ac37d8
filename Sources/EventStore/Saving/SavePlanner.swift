import RepriseObjectModel

/// Makes a ``SavePlan``, of one save.
struct SavePlanner {
  let map: SchemaMap
  let merging: Merging
  /// What was asked for first, by entity and UUID; then what follows from it.
  var operations: [SavePlan.Operation] = []
  /// Where operations stand, once somebody asks: most saves need none of it.
  private var places: ObjectMap<Int>?
  private var isSorted = true
  /// What the policy leaves undecided.
  private(set) var conflicts: [Conflict] = []
  private var isAsked: Set<Question> = []
  /// Whether a decision may have made more to follow.
  var hasChanged = false
  /// Deletions whose rules are not carried out yet.
  var deletions: [AnyObjectID] = []
  /// What the context deleted and stays: no rule deletes it again.
  var kept: Set<AnyObjectID> = []
  /// Deletions to take back.
  var unwanted: [AnyObjectID] = []
  /// What a deletion leads to by a stored end that others changed.
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

  /// Sets the operation of an object that may have one.
  mutating func set(_ operation: SavePlan.Operation) {
    if let place = place(operation.id) { return operations[place] = operation }
    places?[operation.id] = operations.count
    operations.append(operation)
    isSorted = false
  }

  /// What is left to write, by entity and UUID.
  consuming func sorted() -> [SavePlan.Operation] {
    operations.removeAll { $0.isEmpty }
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

  /// Whether an object is there afterwards, as far as is known yet.
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

  /// What is to become of a conflict, by the policy.
  enum Decision: Equatable {
    /// Nothing; it is one of `conflicts`.
    case refused
    case mine
    case theirs
    case value(PropertyValue)
    /// The object is saved as the context shows it.
    case allMine
    /// All changes to the object are dropped.
    case allTheirs

    /// Whether, where there is nothing between the two, it is for theirs.
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
      // Once for each: a closure that contradicts itself would never come to an end.
      if isAsked.insert(Question(object: conflict.object, kind: conflict.kind)).inserted {
        switch decide(conflict) {
        case .refuse: decision = .refused
        case .mine: decision = .mine
        case .theirs: decision = .theirs
        case .value(let value): decision = .value(value)
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
