import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The three-way merge of changes with the state below, and all consequences. The log records these outcomes, so
/// applying a transaction decides nothing.
///
/// The plan is made before a save's first write, so a refused save has written nothing. It is the only definition of
/// conflicts and consequences: the writer, the save of a child, and checks in advance use it.
struct SavePlan {
  struct Operation {
    let map: EntityMap
    let uuid: UniqueID
    var change: ObjectChange
    /// The object below. `nil` if it does not exist there.
    let below: LowerObject?
    /// The tombstone of a deleted object that had this ID.
    var tombstone: [UInt8]?
    /// The numbers of an updated object's relationships that the model lacks and the plan empties, because their target
    /// is deleted.
    var cleared: [UInt32] = []

    /// The record at the head. `nil` if there is none.
    var record: [UInt8]? { below?.record }
    /// The values below.
    var values: ContiguousArray<PropertyValue>? { below?.values }
    /// Whether there is nothing to write: a rule may have cancelled the context's change.
    var isEmpty: Bool { if case .updated(let changes) = change { changes.isEmpty && cleared.isEmpty } else { false } }
    /// Whether the object does not exist afterwards: deleted, or inserted by the context and deleted by a rule.
    var isGone: Bool { change.isDeletion || below == nil && isEmpty }
    var id: AnyObjectID { AnyObjectID(map.entity.interned, uuid) }
  }

  /// By entity, then by UUID, each object once: the order in which pages are touched.
  private(set) var operations: [Operation] = []
  /// The unresolved conflicts, which prevent the save.
  private(set) var conflicts: [Conflict] = []
  /// The values that do not fit their property, which prevent the save.
  private(set) var invalidValues: [InvalidValue] = []
  /// The rules that the outcome would break, which prevents the save.
  private(set) var violations: [RuleViolation] = []
  /// The objects that a context has to validate with these values before the save can be made.
  private(set) var unvalidated: [Unvalidated] = []

  typealias Unvalidated = (object: AnyObjectID, values: ContiguousArray<PropertyValue>)
}

extension SavePlan {
  /// The plan of changes that cannot conflict with other saves.
  ///
  /// - operations: Ordered by entity, then by UUID.
  init(_ operations: [Operation]) { self.operations = operations }

  init(
    _ changes: [(object: AnyObjectID, change: ObjectChange)], _ merging: Merging, _ map: SchemaMap,
    over state: inout some LowerState & ~Escapable
  ) throws(StoreError) {
    var planner = SavePlanner(map: map, merging: merging)
    try planner.add(changes, &state)
    try planner.follow(&state)
    planner.derive()
    // By index, here and below: a loop over the operations copies each of them.
    var values = ValueTest()
    for place in planner.operations.indices {
      values.test(planner.operations[place].change, of: planner.operations[place].uuid, planner.operations[place].map)
    }
    invalidValues = values.invalidValues
    violations =
      try planner.attributeViolations() + planner.uniquenessViolations(&state) + planner.relationshipViolations(&state)
    unvalidated = planner.unvalidated()
    conflicts = planner.conflicts.sorted { $0.object < $1.object }
    // Consumed, because the operations would be copied to be sorted.
    operations = (consume planner).sorted()
  }

  /// The plan of a save into the log.
  init(
    _ request: SaveRequest, _ map: SchemaMap, _ store: StoreTables, _ view: View, _ group: GroupRows = GroupRows()
  ) throws(StoreError) {
    var state = HeadState(view, map, store, group)
    try self.init(request.changes, request.merging, map, over: &state)
    for place in operations.indices where !operations[place].map.blobSlots.isEmpty {
      invalidValues += try operations[place].missingBlobs(store, view)
    }
  }

  /// The reason why the save is refused. `nil` if it may proceed, or if objects have to be validated first.
  var refusal: SaveError? {
    if let refusal = SaveRefusal(of: .save, conflicts, violations, invalidValues) { return .refused(refusal) }
    let limit = SaveRequest.limit
    return operations.count > limit ? .tooLarge(events: operations.count, limit: limit) : nil
  }
}

/// How a save merges its changes with the changes of other saves.
package struct Merging: Sendable {
  package let policy: MergePolicy
  /// Under `overwrite`: the values that the context shows for the objects that it updated.
  package var shown = ObjectMap<ContiguousArray<PropertyValue>>()
  /// The values with which objects passed their `validate`. `nil` if the caller cannot validate: then the plan requests
  /// no validation.
  package var validated: ObjectMap<ContiguousArray<PropertyValue>>?

  package init(_ policy: MergePolicy = .error) { self.policy = policy }
}
