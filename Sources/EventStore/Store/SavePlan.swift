import RepriseLMDB
import RepriseObjectModel

/// A save that was found good against the head, with everything that follows from it spelled out: what is appended is
/// outcomes, so that applying a transaction decides nothing.
///
/// Made before the first write of the save: one that is refused has written nothing.
struct SavePlan {
  struct Operation {
    let map: EntityMap
    let uuid: UniqueID
    var change: ObjectChange
    /// The record at the head; `nil` where there is none.
    let record: [UInt8]?
    /// The values in that record.
    let values: ContiguousArray<PropertyValue>?
    /// What is left of an object that had this ID and was deleted.
    var tombstone: [UInt8]?
    /// Relationships of an updated object that the model lacks, by number: their target is deleted.
    var cleared: [UInt32] = []

    /// Whether nothing is left to write: a rule may have taken back what the context did.
    var isEmpty: Bool { if case .updated(let changes) = change { changes.isEmpty && cleared.isEmpty } else { false } }
    /// Whether there is no object afterwards: deleted, or inserted by the context and deleted by a rule.
    var isGone: Bool { change.isDeletion || record == nil && isEmpty }
    var id: AnyObjectID { AnyObjectID(map.entity.interned, uuid) }
  }

  /// By entity, then by UUID, each object once: the order in which pages are touched.
  private(set) var operations: [Operation] = []
}

extension SavePlan {
  /// Most events that one save may have.
  static let limit = 100_000

  init(_ request: SaveRequest, _ map: SchemaMap, _ store: StoreTables, path: String, _ view: View) throws(SaveFailure) {
    var planner = SavePlanner(map: map, tables: store, path: path)
    try planner.add(request.changes, view)
    guard planner.conflicts.isEmpty else { throw .refused(.conflicts(planner.conflicts.sorted())) }
    try planner.checkReferences(view)
    guard planner.conflicts.isEmpty else { throw .refused(.conflicts(planner.conflicts.sorted())) }
    try planner.complete(view)
    if !planner.unseen.isEmpty {
      // What was deleted just now may be what another change of this save refers to.
      try planner.checkReferences(view)
      guard planner.conflicts.isEmpty else { throw .refused(.conflicts(planner.conflicts.sorted())) }
    }
    guard planner.operations.count <= Self.limit else {
      throw .refused(.tooLarge(events: planner.operations.count, limit: Self.limit))
    }
    operations = planner.sorted()
  }
}

extension [Conflict] {
  fileprivate func sorted() -> [Conflict] { sorted { $0.object < $1.object } }
}
