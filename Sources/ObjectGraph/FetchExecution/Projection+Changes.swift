import RepriseEventStore
import RepriseObjectModel

extension Projection {
  /// The objects that may read differently in this projection than in an earlier projection of the same context. The
  /// position of the earlier one must still be pinned. `nil` if there are too many. The cost grows with the changes in
  /// the log and in the overlays between the two. If an overlay's history does not reach back so far, or a layer was
  /// added or removed, it grows with the number of differing objects.
  ///
  /// - Parameter logged: If memory does not reach back so far, the log is read for these entities. If there are none,
  ///   the result is `nil` then.
  package func objectsChanged(
    since earlier: Projection, logged entities: [EntityName] = []
  ) throws(StoreError) -> Set<AnyObjectID>? {
    let positions = [position, earlier.position].sorted()
    var changed: Set<AnyObjectID> = []
    if let known = try store.objects.changed(after: positions[0], upTo: positions[1]) {
      changed.formUnion(known)
    } else if entities.isEmpty {
      return nil
    } else {
      for entity in entities {
        guard let map = store.map.map(entity) else { continue }
        for uuid in try store.objects.changed(map, after: positions[0]) { changed.insert(AnyObjectID(entity, uuid)) }
      }
    }
    if let touched = histories.objects(touchedSince: earlier.histories.map(\.stamp)) {
      for id in touched where layers.compactMap({ $0.changes[id] }) != earlier.layers.compactMap({ $0.changes[id] }) {
        changed.insert(id)
      }
      return changed
    }
    let same = zip(layers, earlier.layers).prefix { $0.changes == $1.changes }.count
    let now = layers[same...]
    let then = earlier.layers[same...]
    for layer in now + then {
      for id in layer.changes.keys where !changed.contains(id) {
        // Layers without a change of the object are ignored, so that merging one layer into another is no change.
        if now.compactMap({ $0.changes[id] }) != then.compactMap({ $0.changes[id] }) { changed.insert(id) }
      }
    }
    return changed
  }
}
