import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

// Objects by their access paths. What is found may be more than match, and never less.

extension Projection {
  /// The objects on a path as they are at the head, ascending. Those that differ here are to be tested one by one.
  func stored(on path: AccessPath, _ map: EntityMap) throws(StoreError) -> [UniqueID] {
    switch path {
    case .objects(let uuids): uuids
    // One target's rows are sorted already.
    case .inverse(let slot, let targets) where targets.count == 1:
      try store.objects(map, slot: slot, leadingTo: targets[0].uuid)
    case .search(let slot, let words): try store.objects(map, slot: slot, with: words)
    default: try collected(path, map).sorted()
    }
  }

  private func collected(_ path: AccessPath, _ map: EntityMap) throws(StoreError) -> Set<UniqueID> {
    var found: Set<UniqueID> = []
    switch path {
    case .scan:
      try scan(.all, map) { uuid, _ in found.insert(uuid) }
    case .objects(let uuids): return Set(uuids)
    case .index(let slot, let ranges): return Set(try store.objects(map, slot: slot, in: ranges))
    case .search(let slot, let words): return Set(try store.objects(map, slot: slot, with: words))
    case .inverse(let slot, let targets):
      for target in targets { found.formUnion(try store.objects(map, slot: slot, leadingTo: target.uuid)) }
    case .through(let slot, let entity, let inner):
      guard let target = store.map.map(entity.interned) else { return [] }
      let stored = try collected(inner, target)
      // After them, so that it has what changed before and meanwhile.
      for uuid in try stored.union(headDifferences(target).rows.uuids) {
        found.formUnion(try store.objects(map, slot: slot, leadingTo: uuid))
      }
    case .referred(let entity, let slot, let inner):
      guard let source = store.map.map(entity.interned) else { return [] }
      try scan(.objects(collected(inner, source).sorted()), source, reading: slot) { _, values in
        if let target = values[slot].reference { found.insert(target.uuid) }
      }
      // After the scan, so that it has what changed before and during it.
      for uuid in try headDifferences(source).rows.uuids {
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

  /// Visits stored objects as they are at the head.
  private func scan(
    _ path: ScanPath, _ map: EntityMap, reading slot: Int? = nil,
    _ visit: (UniqueID, ContiguousArray<PropertyValue>) -> Void
  ) throws(StoreError) {
    let head = try store.refreshedHead()
    let reading = ScanReading(tested: slot.map { [$0] } ?? [], taken: [])
    try store.scan(map, path, at: head, known: head, reading: reading, isHidden: { _ in false }) { object in
      visit(object.uuid, object.values)
      return .pass
    } take: { _, _ in
    }
  }
}

extension PendingRows {
  /// The order of which ``candidates(on:)`` makes use; `nil` if it looks at all rows.
  static func order(for path: AccessPath) -> Order? {
    switch path {
    case .index(let slot, _), .search(let slot, _), .inverse(let slot, _): .slot(slot)
    case .intersection(let parts): parts.lazy.compactMap { order(for: $0) }.first
    case .scan, .objects, .through, .referred, .union: nil
    }
  }

  /// The objects among these that may be on a path.
  func candidates(on path: AccessPath) -> [UniqueID] {
    switch path {
    case .objects(let named): return named.filter { uuids.contains($0) }
    case .index(let slot, let ranges):
      if keys(.slot(slot)) == nil { break }
      return ranges.ranges.flatMap { objects(in: $0, of: .slot(slot)) }
    case .search(let slot, let words):
      guard let keys = keys(.slot(slot)) else { break }
      let places = words.map { PendingRows.places(in: $0.keys, keys) }
      // An object may have several words with a beginning.
      guard let fewest = places.min(by: { $0.count < $1.count }) else { break }
      return Array(Set(keys[fewest].compactMap { RowKey.uuid($0) }))
    case .inverse(let slot, let targets):
      if keys(.slot(slot)) == nil { break }
      return targets.flatMap { target in
        let prefix = OrderKey.bytes(of: .reference(target))
        return objects(in: KeyRange(lower: prefix, upper: OrderKey.successor(of: prefix)), of: .slot(slot))
      }
    case .intersection(let parts):
      let named = parts.first { if case .objects = $0 { true } else { false } }
      guard let part = named ?? parts.first(where: { PendingRows.order(for: $0) != nil }) else { break }
      return candidates(on: part)
    case .scan, .through, .referred, .union: break
    }
    return Array(uuids)
  }
}
