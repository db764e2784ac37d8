import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

// Objects by their access paths. A result may have more objects than the matches, but never fewer.

extension Projection {
  /// The objects on a path at the head, ascending. Objects that differ in this projection must be tested one by one.
  func stored(on path: AccessPath, _ map: EntityMap) throws(StoreError) -> [UniqueID] {
    switch path {
    case .objects(let uuids): uuids
    // The rows of a single target are already sorted.
    case .inverse(let slot, let targets) where targets.count == 1:
      try store.indexes.objects(map, slot: slot, leadingTo: targets[0].uuid)
    case .search(let slot, let words): try store.indexes.objects(map, slot: slot, with: words)
    default: try collected(path, map).sorted()
    }
  }

  private func collected(_ path: AccessPath, _ map: EntityMap) throws(StoreError) -> Set<UniqueID> {
    var found: Set<UniqueID> = []
    switch path {
    case .scan:
      try scan(.all, map) { uuid, _ in found.insert(uuid) }
    case .objects(let uuids): return Set(uuids)
    case .index(let slot, let ranges): return Set(try store.indexes.objects(map, slot: slot, in: ranges))
    case .search(let slot, let words): return Set(try store.indexes.objects(map, slot: slot, with: words))
    case .inverse(let slot, let targets):
      for target in targets { found.formUnion(try store.indexes.objects(map, slot: slot, leadingTo: target.uuid)) }
    case .through(let slot, let entity, let inner):
      guard let target = store.map.map(entity.interned) else { return [] }
      for uuid in try collectedHere(inner, target) {
        found.formUnion(try store.indexes.objects(map, slot: slot, leadingTo: uuid))
      }
    case .referred(let entity, let slot, let inner):
      guard let source = store.map.map(entity.interned) else { return [] }
      try scan(.objects(collected(inner, source).sorted()), source, reading: slot) { _, values in
        if let target = values[slot].reference { found.insert(target.uuid) }
      }
      // After the scan, so that it has the changes before and during the scan.
      for uuid in try differing(on: inner, source) {
        let values = try read(AnyObjectID(source.entity.interned, uuid), source)
        if let target = values?[slot].reference { found.insert(target.uuid) }
      }
    case .union(let parts):
      for part in parts { found.formUnion(try collected(part, map)) }
    case .intersection(let parts):
      guard let first = parts.first else { return [] }
      found = try collected(first, map)
      for part in parts.dropFirst() where !found.isEmpty { found.formIntersection(try collected(part, map)) }
    }
    return found
  }

  /// The objects on a path at the head, and the objects on it in this projection.
  private func collectedHere(_ path: AccessPath, _ map: EntityMap) throws(StoreError) -> Set<UniqueID> {
    let stored = try collected(path, map)
    // After the stored objects, so that it has the changes before and meanwhile.
    return try stored.union(differing(on: path, map))
  }

  /// Visits stored objects as they are at the head.
  private func scan(
    _ path: ScanPath, _ map: EntityMap, reading slot: Int? = nil,
    _ visit: (UniqueID, ContiguousArray<PropertyValue>) -> Void
  ) throws(StoreError) {
    let head = try store.refreshedHead()
    let reading = ScanReading(tested: slot.map { [$0] } ?? [], taken: [])
    try store.objects.scan(map, path, at: head, known: head, reading: reading, isHidden: { _ in false }) { object in
      visit(object.uuid, object.values)
      return .pass
    } take: { _, _ in
    }
  }
}

// MARK: Objects that differ from the head

extension Projection {
  /// The objects on a path in this projection that differ from the head.
  ///
  /// The cost grows with the result. A union costs the sum of its parts. A path through a relationship costs the number
  /// of objects at the other end.
  func differing(on path: AccessPath, _ map: EntityMap) throws(StoreError) -> Set<UniqueID> {
    let uuids = try headDifferences(map).rows.uuids
    if uuids.isEmpty { return [] }
    switch path {
    case .scan: return uuids
    case .objects(let named): return uuids.intersection(named)
    case .index(let slot, let ranges): return try differing(map, slot, in: ranges.ranges)
    case .search(let slot, let words):
      let rows = try headDifferences(map, order: .slot(slot)).rows
      guard let keys = rows.keys(.slot(slot)) else { return uuids }
      // The rows of the word with the fewest rows. An object may have several rows.
      let fewest = words.map { PendingRows.places(in: $0.keys, keys) }.min { $0.count < $1.count }
      return Set(keys[fewest ?? keys.indices].compactMap { RowKey.uuid($0) })
    case .inverse(let slot, let targets): return try differing(map, slot, leadingTo: targets)
    case .through(let slot, let entity, let inner):
      guard let target = store.map.map(entity.interned) else { return [] }
      let targets = try collectedHere(inner, target)
      // If there are so many targets, finding the objects that refer to each costs more than testing all differing
      // objects.
      if targets.count > uuids.count { return uuids }
      return try differing(map, slot, leadingTo: targets.map { AnyObjectID(entity.interned, $0) })
    case .referred: return try uuids.intersection(collected(path, map))
    case .union(let parts):
      var found: Set<UniqueID> = []
      for part in parts { found.formUnion(try differing(on: part, map)) }
      return found
    case .intersection(let parts):
      guard let part = parts.min(by: { $0.distance < $1.distance }) else { return uuids }
      return try differing(on: part, map)
    }
  }

  private func differing(
    _ map: EntityMap, _ slot: Int, leadingTo targets: [AnyObjectID]
  ) throws(StoreError) -> Set<UniqueID> {
    try headDifferences(map, order: .slot(slot)).rows.objects(leadingTo: targets, slot: slot)
  }

  private func differing(_ map: EntityMap, _ slot: Int, in ranges: [KeyRange]) throws(StoreError) -> Set<UniqueID> {
    let rows = try headDifferences(map, order: .slot(slot)).rows
    var found: Set<UniqueID> = []
    for range in ranges { found.formUnion(rows.objects(in: range, of: .slot(slot))) }
    return found
  }
}

extension AccessPath {
  /// The number of steps from the path to the differing objects on it. An intersection uses its nearest path.
  fileprivate var distance: Int {
    switch self {
    case .objects: 0
    case .index, .search, .inverse: 1
    case .union(let parts): parts.lazy.map(\.distance).max() ?? 0
    case .intersection(let parts): parts.lazy.map(\.distance).min() ?? 0
    case .through(_, _, let inner), .referred(_, _, let inner): 2 + inner.distance
    case .scan: .max / 2
    }
  }
}
