import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// Counts the objects on access paths at the head. The count is exact for one index, and otherwise estimated from exact
/// counts.
struct PathCounts {
  let map: EntityMap
  /// All objects of the entity.
  let all: Int
  private let store: Store

  init(_ map: EntityMap, _ store: Store) throws(StoreError) {
    self.map = map
    self.store = store
    all = try store.objects.count(of: map)
  }

  /// O(log n) for each range and for each target of an index; members of a relationship are counted one by one.
  func count(_ path: AccessPath) throws(StoreError) -> Int {
    switch path {
    case .scan: return all
    case .objects(let uuids): return min(all, uuids.count)
    case .index(let slot, let ranges): return try store.indexes.rowCount(map, slot: slot, in: ranges)
    case .search(let slot, let words): return try search(slot, words).matching
    case .inverse(let slot, let targets):
      return try sum(targets) { (target, left) throws(StoreError) in
        try store.indexes.rowCount(map, slot: slot, leadingTo: target.uuid, limit: left)
      }
    case .through(_, let entity, let inner):
      // Assumes that all targets have the same number of referring objects.
      guard let target = store.map.map(entity.interned) else { return 0 }
      let targets = try PathCounts(target, store)
      return Int((Double(all) * (try targets.share(of: inner))).rounded(.up))
    case .referred(let entity, _, let inner):
      guard let source = store.map.map(entity.interned) else { return 0 }
      return min(all, try PathCounts(source, store).count(inner))
    case .union(let parts):
      return try sum(parts) { (part, _) throws(StoreError) in try count(part) }
    case .intersection(let parts):
      var least = all
      for part in parts { least = min(least, try count(part)) }
      return least
    }
  }

  /// The number of rows in each range of a search, and the estimated number of objects with all words. The estimate
  /// assumes that the words are independent.
  func search(_ slot: Int, _ words: [WordRange]) throws(StoreError) -> (rows: [Int], matching: Int) {
    var rows: [Int] = []
    var share = 1.0
    for range in words {
      let count = try store.indexes.rowCount(map, slot: slot, in: KeyRanges(range.keys))
      rows.append(count)
      share *= min(1, Double(count) / Double(max(1, all)))
    }
    return (rows, Int((Double(all) * share).rounded(.up)))
  }

  /// The estimated number of matches among `rows` rows of the index over a slot. The estimate assumes that the rest of
  /// the condition is independent of that index.
  func share(of path: AccessPath, beside slot: Int, _ rows: Int) throws(StoreError) -> Int {
    switch path {
    case .index(slot, _): return rows
    case .intersection(let parts):
      var share = 1.0
      for part in parts {
        if case .index(slot, _) = part { continue }
        share *= try self.share(of: part)
      }
      return Int(Double(rows) * share)
    default: return Int(Double(rows) * (try share(of: path)))
    }
  }

  private func share(of path: AccessPath) throws(StoreError) -> Double {
    min(1, Double(try count(path)) / Double(max(1, all)))
  }

  /// The sum of the counts, at most `all`.
  private func sum<Part>(
    _ parts: [Part], _ count: (Part, _ left: Int) throws(StoreError) -> Int
  ) throws(StoreError) -> Int {
    var sum = 0
    for part in parts where sum < all { sum += try count(part, all - sum) }
    return min(sum, all)
  }
}
