import RepriseLog
import RepriseObjectModel

extension SchemaMap {
  /// The changes that deleting objects entails by the delete rules: their deletion, the deletion of further objects,
  /// and emptied references.
  ///
  /// - Parameters:
  ///   - references: References to be emptied as well, of objects that exist.
  ///   - kept: The objects that no rule deletes: references from them are emptied instead.
  ///   - limit: The most changes.
  /// - Returns: `nil` if there would be more changes, at the cost of so many.
  package func deletion(
    of ids: some Sequence<AnyObjectID>, emptying references: [(object: AnyObjectID, slot: Int)] = [],
    keeping kept: Set<AnyObjectID> = [], atMost limit: Int = .max, over state: inout some LowerState & ~Escapable
  ) throws(StoreError) -> [(object: AnyObjectID, change: ObjectChange)]? {
    var planner = SavePlanner(map: self, merging: Merging(.mine))
    planner.kept = kept
    planner.limit = limit
    for (object, slot) in references { try planner.change(object, slot: slot, to: .null, &state) }
    for id in ids { try planner.deleteByRule(id, &state) }
    try planner.follow(&state)
    if planner.operations.count > limit { return nil }
    return planner.sorted().map { ($0.id, $0.change) }
  }
}
