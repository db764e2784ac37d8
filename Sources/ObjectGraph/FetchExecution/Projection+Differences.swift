import RepriseEventStore
import RepriseObjectModel

/// An object that reads differently in two projections. The values are `nil` if the object does not exist there.
package struct ObjectDifference {
  package let id: AnyObjectID
  package let before: ContiguousArray<PropertyValue>?
  package let after: ContiguousArray<PropertyValue>?
  /// The slots whose values differ, ascending. All slots for an object that only one projection has.
  package let slots: [Int]

  /// `nil` if nothing differs.
  init?(
    _ id: AnyObjectID, from before: ContiguousArray<PropertyValue>?, to after: ContiguousArray<PropertyValue>?
  ) {
    switch (before, after) {
    case (nil, nil): return nil
    case (let values?, nil), (nil, let values?): slots = Array(values.indices)
    case (let before?, let after?):
      slots = after.indices.filter { !before[$0].isIdentical(to: after[$0]) }
      if slots.isEmpty { return nil }
    }
    self.id = id
    self.before = before
    self.after = after
  }
}

extension Projection {
  /// The objects of these entities that read differently in this projection than in an earlier projection of the same
  /// context. The position of the earlier one must still be pinned. `nil` if there are more than `limit` such objects.
  ///
  /// A change that only moved from an overlay into the log makes no difference. Costs one read for each object that may
  /// differ, up to the limit, or up to ten times the limit for unselected objects.
  ///
  /// - Parameters:
  ///   - readingLog: Whether changes that memory no longer has are read from the log, which costs the transactions
  ///     since.
  ///   - isWanted: Called only if there are more than the limit. Unselected objects do not count.
  package func differences(
    from earlier: Projection, in entities: [EntityName], limit: Int, readingLog: Bool = false,
    where isWanted: (ObjectDifference) -> Bool = { _ in true }
  ) throws(StoreError) -> [ObjectDifference]? {
    guard let changed = try objectsChanged(since: earlier, logged: readingLog ? entities : []) else { return nil }
    var candidates: [EntityName: [UniqueID]] = [:]
    for id in changed where entities.contains(id.name) { candidates[id.name, default: []].append(id.uuid) }
    if candidates.values.reduce(0, { $0 + $1.count }) / 10 > limit { return nil }
    var differences: [ObjectDifference] = []
    var isFiltered = false
    for (entity, uuids) in candidates {
      // Only entities with a model in this program are read.
      guard let map = store.map.map(entity) else { continue }
      var rest = uuids[...]
      while !rest.isEmpty {
        for version in try store.objects.versions(
          of: rest.prefix(Self.portion), map, at: earlier.position, and: position)
        {
          let id = AnyObjectID(entity, version.uuid)
          let before = try earlier.values(of: id, map, over: version.earlier)
          let after = try values(of: id, map, over: version.later)
          guard let difference = ObjectDifference(id, from: before, to: after) else { continue }
          if !isFiltered || isWanted(difference) { differences.append(difference) }
        }
        if differences.count > limit {
          if !isFiltered { differences.removeAll { !isWanted($0) } }
          isFiltered = true
          if differences.count > limit { return nil }
        }
        rest = rest.dropFirst(Self.portion)
      }
    }
    return differences
  }

  /// How many objects are read in one transaction.
  private static var portion: Int { 1000 }

  private func values(
    of id: AnyObjectID, _ map: EntityMap, over stored: ContiguousArray<PropertyValue>?
  ) throws(StoreError) -> ContiguousArray<PropertyValue>? {
    if layers.isEmpty { return stored }
    return try layers.reading(of: id, map.entity) { () throws(StoreError) in
      stored.map { .present($0) } ?? .absent
    }.values
  }
}
