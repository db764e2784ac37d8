import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// How a fetch finds its rows.
struct FetchPlan {
  /// How the objects on the path are visited.
  enum Walk {
    /// In the order of the path, or in reverse: objects and search results in order of creation, rows of an index in
    /// its order.
    case along(isAscending: Bool)
    /// The IDs of the objects are collected first. The objects are visited in order of creation.
    case collected
    /// In the order of an attribute of the referenced objects. If the condition limits that attribute to a range, only
    /// objects in that range are visited.
    case references(CompiledFetch.ReferenceOrder)
  }

  /// The relation between the order of the walk and the order of the fetch.
  enum Order {
    case none
    /// The order of the first of several sort keys.
    case leading
    /// The order of the fetch.
    case whole
  }

  /// The stored objects to visit, except objects that are collected in addition to the path.
  let path: AccessPath
  let walk: Walk
  let order: Order
  /// How many stored objects are expected to be visited.
  var expected: Int
  /// The most objects that a walk in order may visit before the cheapest plan replaces it. The budget bounds the cost
  /// if all matching objects come last.
  var budget: Int?
  /// The columns that order the walk, if it is along an index over several columns: the number of bytes before them in
  /// a row key, and their count.
  var columns: (skipped: Int, count: Int)?
  /// The bytes before the walk's ordering column in row keys, if the fetch has nil last and the index has it first.
  /// Then the rows with nil are walked last, or first in reverse.
  var nilsBehind: [UInt8]?
  /// The walk reads the objects at the position of the projection, and looks for no objects that changed since. `nil`
  /// if the walk is at the head.
  var past: Past?

  /// A walk at a position before the head.
  struct Past {
    /// The index of the path there. `nil` for a path of objects.
    let index: PastIndex?
  }

  /// For at most this many rows, the walk along an index with condition and order is always the best plan. Counting the
  /// matches would cost more than the walk.
  private static let fewRows = 256

  /// The plan along the index that covers the fetch. `nil` if there is none, or if the caller needs more than a few
  /// rows.
  static func covering(_ fetch: CompiledFetch, wanted: Int?) -> FetchPlan? {
    guard let wanted, wanted <= fewRows, let index = fetch.countedIndex else { return nil }
    return FetchPlan(
      path: .index(slot: index.slot, KeyRanges(index.range)), walk: .along(isAscending: index.isAscending),
      order: .whole, expected: wanted)
  }

  /// Whether every visited stored object meets the condition.
  func isExact(for fetch: CompiledFetch) -> Bool {
    guard fetch.accessIsExact else { return false }
    switch walk {
    case .along:
      if fetch.access == path { return true }
      guard case .index(let slot, let ranges) = path else { return false }
      return fetch.access == .scan && ranges.isAll
        || fetch.columnRanges.contains { $0.isExact && $0.slot == slot && $0.ranges == ranges }
    case .collected: return fetch.access == path && !path.isWidened
    case .references: return fetch.access == .scan
    }
  }

  /// Whether an object in an index sorts after the last requested row, by the first sort key alone.
  func isBehind(_ bound: [UInt8], _ rowKey: UnsafeRawBufferPointer) -> Bool {
    guard case .along(let isAscending) = walk, case .index = path else { return false }
    var end = rowKey.count - 16
    var start = 0
    if let columns {
      (start, end) = (columns.skipped, columns.skipped)
      for _ in 0..<columns.count { end += OrderKey.length(UnsafeRawBufferPointer(rebasing: rowKey[end...])) ?? 0 }
    }
    let mask: UInt8 = isAscending ? 0 : .max
    // A sort key has the greatest byte for a nil that comes last.
    if isNilBehind(rowKey) { return bound.first.map { .max ^ mask > $0 } ?? false }
    for (mine, other) in zip(rowKey[start..<max(start, end)], bound) where mine ^ mask != other {
      return mine ^ mask > other
    }
    return false
  }
}

// MARK: Nil behind all values

extension FetchPlan {
  private func isNilBehind(_ rowKey: UnsafeRawBufferPointer) -> Bool {
    guard let start = nilsBehind?.count, start < rowKey.count else { return false }
    return rowKey[start] == OrderKey.Tag.null.rawValue
  }

  /// The order of two rows in an ascending walk.
  private func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let isLeftNil = isNilBehind(left)
    if isLeftNil != isNilBehind(right) { return isLeftNil ? 1 : -1 }
    return compareBytes(left, right)
  }

  /// The ranges in the order of an ascending walk.
  func inOrder(_ ranges: KeyRanges) -> [KeyRange] {
    guard let nilsBehind else { return ranges.ranges }
    let key = nilsBehind + [OrderKey.Tag.null.rawValue]
    let nils = KeyRanges(KeyRange(beginningWith: key))
    return KeyRanges.intersection([ranges, nils.complement]).ranges + KeyRanges.intersection([ranges, nils]).ranges
  }
}

// MARK: Objects that differ from the head

extension FetchPlan {
  /// The order in which the walk needs them. `nil` for any order.
  var orderOfPending: PendingRows.Order? {
    guard order != .none, case .along = walk else { return nil }
    return switch path {
    case .index(let slot, _): .slot(slot)
    case .scan: .birth
    default: nil
    }
  }

  /// The keys of the pending objects that may match, in the order of the walk if it has one.
  ///
  /// - Parameter candidates: The pending objects on the access path of the fetch.
  func pendingKeys(
    _ rows: PendingRows, candidates: () throws(StoreError) -> Set<UniqueID>
  ) throws(StoreError) -> [[UInt8]] {
    switch orderOfPending {
    case .slot(let slot)?:
      let keys = rows.keys(.slot(slot)) ?? []
      guard case .index(_, let ranges) = path else { return keys }
      let inRange = inOrder(ranges).flatMap { keys[PendingRows.places(in: $0, keys)] }
      return isAscending ? inRange : inRange.reversed()
    case .birth?:
      let keys = rows.keys(.birth) ?? []
      return isAscending ? keys : keys.reversed()
    case nil:
      // The scan handles changes that other contexts made meanwhile.
      let uuids = try candidates().intersection(rows.uuids)
      return (order == .none ? Array(uuids) : uuids.sorted()).map { PendingRows.keyOfBirth($0) }
    }
  }

  /// The keys of a pending object in the order of the walk. Empty if the object cannot match.
  func keysOfPending(_ uuid: UniqueID, _ values: ContiguousArray<PropertyValue>, _ entity: Entity) -> [[UInt8]] {
    guard case .along = walk, case .index(let slot, let ranges) = path else { return [PendingRows.keyOfBirth(uuid)] }
    return entity.rowKeys(slot, values, uuid).filter { ranges.contains($0) }
  }

  /// Whether a key comes before another in the order of the walk.
  func precedes(_ key: [UInt8], _ other: [UInt8]) -> Bool {
    let order = key.withUnsafeBytes { key in other.withUnsafeBytes { compare(key, $0) } }
    return isAscending ? order < 0 : order > 0
  }

  private var isAscending: Bool {
    if case .along(let isAscending) = walk { isAscending } else { true }
  }

  /// Whether a pending object comes before a stored one.
  func isDue(_ key: [UInt8], before object: ScannedObject) -> Bool {
    guard case .along = walk, case .index = path else {
      return RowKey.uuid(key).map { isAscending ? $0 < object.uuid : $0 > object.uuid } ?? true
    }
    let order = key.withUnsafeBytes { compare($0, object.rowKey) }
    return isAscending ? order < 0 : order > 0
  }
}

extension AccessPath {
  /// Whether collecting the path also finds objects that are not on it. These are the objects reached through objects
  /// that differ from the head.
  fileprivate var isWidened: Bool {
    switch self {
    case .scan, .objects, .index, .search, .inverse: false
    case .through, .referred: true
    case .union(let parts), .intersection(let parts): parts.contains { $0.isWidened }
    }
  }
}
