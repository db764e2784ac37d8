import RepriseLMDB
import RepriseObjectModel

/// Changes, compared with the state that they are laid over, with everything that follows from them spelled out: what
/// is appended is outcomes, so that applying a transaction decides nothing.
///
/// Made before the first write of a save: one that is refused has written nothing. The one home of what a conflict is
/// and of what a save entails, for the writer, for a child's save, and for those who ask before.
struct SavePlan {
  struct Operation {
    let map: EntityMap
    let uuid: UniqueID
    var change: ObjectChange
    /// The object below; `nil` where there is none.
    let below: LowerObject?
    /// What is left of an object that had this ID and was deleted.
    var tombstone: [UInt8]?
    /// Relationships of an updated object that the model lacks, by number: their target is deleted.
    var cleared: [UInt32] = []

    /// The record at the head; `nil` where there is none.
    var record: [UInt8]? { below?.record }
    /// The values below.
    var values: ContiguousArray<PropertyValue>? { below?.values }
    /// Whether nothing is left to write: a rule may have taken back what the context did.
    var isEmpty: Bool { if case .updated(let changes) = change { changes.isEmpty && cleared.isEmpty } else { false } }
    /// Whether there is no object afterwards: deleted, or inserted by the context and deleted by a rule.
    var isGone: Bool { change.isDeletion || below == nil && isEmpty }
    var id: AnyObjectID { AnyObjectID(map.entity.interned, uuid) }
  }

  /// By entity, then by UUID, each object once: the order in which pages are touched.
  private(set) var operations: [Operation] = []
  /// What keeps the save from being carried out.
  private(set) var conflicts: [Conflict] = []
  /// What it would write and no property can hold.
  private(set) var invalidValues: [InvalidValue] = []
}

extension SavePlan {
  /// Most events that one save may have.
  static let limit = 100_000

  init(
    _ changes: [(object: AnyObjectID, change: ObjectChange)], _ merging: Merging, _ map: SchemaMap,
    over state: inout some LowerState & ~Escapable
  ) throws(StoreError) {
    var planner = SavePlanner(map: map, merging: merging)
    try planner.add(changes, &state)
    try planner.follow(&state)
    invalidValues = planner.operations.flatMap { map.invalidValues(in: $0.change, of: $0.id, $0.map) }
    conflicts = planner.conflicts.sorted { $0.object < $1.object }
    operations = planner.sorted()
  }

  /// Of a save into the log.
  init(_ request: SaveRequest, _ map: SchemaMap, _ store: StoreTables, _ view: View) throws(StoreError) {
    var state = HeadState(view, map, store)
    try self.init(request.changes, request.merging, map, over: &state)
  }

  /// Why the save is refused; `nil` if it may be carried out.
  var refusal: SaveError? {
    if !invalidValues.isEmpty { return .invalidValues(invalidValues) }
    if !conflicts.isEmpty { return .conflicts(conflicts) }
    return operations.count > Self.limit ? .tooLarge(events: operations.count, limit: Self.limit) : nil
  }
}

/// How a save deals with what others changed.
package struct Merging: Sendable {
  package let policy: MergePolicy
  /// Under `overwrite`: what the context shows of the objects that it updated.
  package var shown = ObjectMap<ContiguousArray<PropertyValue>>()

  package init(_ policy: MergePolicy = .error) { self.policy = policy }
}
