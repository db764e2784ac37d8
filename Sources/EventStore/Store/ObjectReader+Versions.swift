import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension ObjectReader {
  /// An object at two positions. Its values are `nil` at a position where it does not exist.
  package struct TwoVersions: Sendable {
    package let uuid: UniqueID
    package let earlier: ContiguousArray<PropertyValue>?
    package let later: ContiguousArray<PropertyValue>?
  }

  /// Objects of an entity at two pinned positions, in one read transaction: each record is read and decoded once.
  package func versions(
    of uuids: some Sequence<UniqueID>, _ map: EntityMap, at earlier: Position, and later: Position
  ) throws(StoreError) -> [TwoVersions] {
    let schema = store.map
    return try store.read { (view, head) throws(StorageError) in
      var versions: [TwoVersions] = []
      versions.reserveCapacity(uuids.underestimatedCount)
      for uuid in uuids {
        let id = AnyObjectID(map.entity.interned, uuid)
        let now = try store.files.objects.values(of: uuid, map, schema, view)
        // The greater position is read first, because its versions are on the way to the lesser one. Converted
        // attributes are looked up at each position, because an object may have none that can be converted at one of
        // them.
        let (lower, upper) = (min(earlier, later), max(earlier, later))
        var there = try rolledBack(now, id, map, from: head, to: upper, view)
        var below = try rolledBack(there, id, map, from: upper, to: lower, view)
        if let converted = try converted(map, at: lower, view) {
          below = try restored(below, converted, of: id, at: lower, view)
          if upper < store.window.start { there = try restored(there, converted, of: id, at: upper, view) }
        }
        versions.append(
          earlier <= later
            ? TwoVersions(uuid: uuid, earlier: below, later: there)
            : TwoVersions(uuid: uuid, earlier: there, later: below))
      }
      return versions
    }
  }
}
