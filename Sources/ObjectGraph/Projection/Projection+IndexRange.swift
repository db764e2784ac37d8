import RepriseEventStore
import RepriseObjectModel

extension Projection {
  /// The objects whose rows lie in a range of a counted index, ascending. O(log n), and a step for each object. The
  /// first call after an edit costs as much as a fetch after an edit.
  package func objects(_ map: EntityMap, slot: Int, in range: KeyRange) throws(StoreError) -> [UniqueID] {
    while true {
      let differing = try headDifferences(map, order: .slot(slot))
      let stored = try store.indexes.objects(
        map, slot: slot, in: range, isAscending: true, limit: .max, at: differing.head)
      // If another process saved in between, the differences belong to an older head.
      guard let stored else { continue }
      let hidden = differing.rows.uuids
      if hidden.isEmpty { return stored }
      let pending = differing.rows.objects(in: range, of: .slot(slot))
      return (stored.filter { !hidden.contains($0) } + pending).sorted()
    }
  }

  /// The counted index in a slot, in this projection. `nil` if there is none. The position must stay pinned while the
  /// index is used. Takes a step for each edit since the last call, and copies the pending rows. The first call also
  /// reads the pending rows.
  package func index(_ map: EntityMap, slot: Int) throws(StoreError) -> IndexSnapshot? {
    guard IndexSnapshot.isPossible(map, slot: slot) else { return nil }
    return try indexSnapshot(map, slot: slot)
  }
}
