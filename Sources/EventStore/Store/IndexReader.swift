import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// Reads the indexes of a store at its head. The rows of counted indexes have whole values (``WholeRows``).
@usableFromInline package struct IndexReader: Sendable {
  @usableFromInline package let store: Store

  @inlinable package init(_ store: Store) { self.store = store }
}

extension Store {
  @inlinable package var indexes: IndexReader { IndexReader(self) }
}

extension IndexReader {
  /// Visits the rows of the index over a slot, until `body` returns false.
  func forEachRow(
    _ map: EntityMap, _ slot: Int, _ ranges: [KeyRange], _ isAscending: Bool, _ view: View,
    _ body: (UnsafeRawBufferPointer, UniqueID) throws(StorageError) -> Bool
  ) throws(StorageError) {
    guard let rows = wholeRows(map, slot: slot) else { return }
    // One cursor for all ranges: a list of values has many.
    var cursor = try view.cursor(store.tables.indexes)
    let count = ranges.count
    for place in 0..<count {
      let range = ranges[isAscending ? place : count - 1 - place]
      guard try forEachRow(of: rows, in: range, isAscending, &cursor, view, body) else { return }
    }
  }

  /// False once `body` has returned false.
  func forEachRow(
    of rows: WholeRows, in range: KeyRange, _ isAscending: Bool, _ cursor: inout Cursor, _ view: View,
    _ body: (UnsafeRawBufferPointer, UniqueID) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    let limit = RowKey.storedLimit
    if range.lower.count > limit || range.upper.map({ $0.count > limit }) ?? false {
      return try forEachRow(of: rows, in: range, isAscending, view, body)
    }
    let index = rows.index
    let bound = isAscending ? range.upper : range.lower
    var goesOn = true
    // The rest of the range, from the first row whose key the table has shortened.
    var rest: KeyRange?
    func visit(_ rowKey: RawSpan, _: RawSpan) throws(StorageError) -> Bool {
      if let bound, (compareBytes(bound, rowKey) <= 0) == isAscending { return false }
      if RowKey.isShortened(rowKey) {
        let columns = [UInt8](copying: rowKey.extracting(first: limit))
        rest =
          isAscending
          ? KeyRange(lower: columns, upper: range.upper)
          : KeyRange(lower: range.lower, upper: OrderKey.successor(of: columns))
        return false
      }
      guard let uuid = RowKey.uuid(rowKey) else { return true }
      if try rowKey.withUnsafeBytes({ (key) throws(StorageError) in try body(key, uuid) }) { return true }
      // Written only once, because Swift checks each access to a captured variable.
      goesOn = false
      return false
    }
    // No row key begins with a greater byte.
    let start = isAscending ? range.lower : range.upper ?? [.max]
    if let past = rows.past {
      try past.forEach(at: start.span.bytes, isAscending ? .ascending : .descending, in: view) {
        (row) throws(StorageError) in try visit(row, RawSpan())
      }
    } else if isAscending {
      try index.scan(0, from: start.span.bytes, &cursor, visit)
    } else {
      try index.scanBack(0, before: start.span.bytes, &cursor, visit)
    }
    guard let rest else { return goesOn }
    return try forEachRow(of: rows, in: rest, isAscending, view, body)
  }

  /// Visits the rows of a range by their ranks, for rows and bounds of any length.
  private func forEachRow(
    of rows: WholeRows, in range: KeyRange, _ isAscending: Bool, _ view: View,
    _ body: (UnsafeRawBufferPointer, UniqueID) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    let ranks = try rows.ranks(in: range, view)
    var goesOn = true
    try rows.forEach(
      from: isAscending ? ranks.lowerBound : ranks.upperBound - 1, limit: ranks.count,
      isAscending ? .ascending : .descending, in: view
    ) { (rowKey) throws(StorageError) in
      guard let uuid = RowKey.uuid(rowKey) else { return true }
      goesOn = try rowKey.withUnsafeBytes { (key) throws(StorageError) in try body(key, uuid) }
      return goesOn
    }
    return goesOn
  }

  // MARK: At the head, for plans and candidates

  /// The objects whose rows lie in some ranges of the index over an attribute, in the order of the index. O(rows).
  package func objects(_ map: EntityMap, slot: Int, in ranges: KeyRanges) throws(StoreError) -> [UniqueID] {
    try store.read { (view, _) throws(StorageError) in
      try uuids(map, slot, ranges.ranges, isAscending: true, limit: .max, view)
    }
  }

  /// The objects in a range in either direction, at most `limit`, which must be above zero. `nil` if the head is no
  /// longer at `position`.
  package func objects(
    _ map: EntityMap, slot: Int, in range: KeyRange, isAscending: Bool, limit: Int, at position: Position
  ) throws(StoreError) -> [UniqueID]? {
    try store.read { (view, head) throws(StorageError) in
      guard head == position else { return nil }
      return try uuids(map, slot, [range], isAscending: isAscending, limit: limit, view)
    }
  }

  /// The row keys in a range of the index over a slot, in either direction, at most `limit`, which must be above zero.
  /// `nil` if the head is no longer at `position`. O(log n), and a step for each key.
  package func rowKeys(
    _ map: EntityMap, slot: Int, in range: KeyRange, isAscending: Bool, limit: Int, at position: Position
  ) throws(StoreError) -> [[UInt8]]? {
    try store.read { (view, head) throws(StorageError) in
      guard head == position else { return nil }
      var keys: [[UInt8]] = []
      try forEachRow(map, slot, [range], isAscending, view) { key, _ in
        keys.append([UInt8](key))
        return keys.count < limit
      }
      return keys
    }
  }

  private func uuids(
    _ map: EntityMap, _ slot: Int, _ ranges: [KeyRange], isAscending: Bool, limit: Int, _ view: View
  ) throws(StorageError) -> [UniqueID] {
    var uuids: [UniqueID] = []
    try forEachRow(map, slot, ranges, isAscending, view) { _, uuid in
      uuids.append(uuid)
      return uuids.count < limit
    }
    return uuids
  }

  /// The number of rows in some ranges of the index over an attribute. O(ranges × log n).
  package func rowCount(_ map: EntityMap, slot: Int, in ranges: KeyRanges) throws(StoreError) -> Int {
    guard let index = wholeRows(map, slot: slot) else { return 0 }
    // Computing two ranks costs as much as this many steps. Most ranges of an equality or a list of values are shorter.
    let steps = 32
    return try store.read { (view, _) throws(StorageError) in
      var count = 0
      var cursor = try view.cursor(store.tables.indexes)
      for range in ranges.ranges {
        var rows = 0
        if !range.isAll {
          _ = try forEachRow(of: index, in: range, true, &cursor, view) { _, _ in
            rows += 1
            return rows <= steps
          }
          if rows <= steps {
            count += rows
            continue
          }
        }
        count += try index.ranks(in: range, view).count
      }
      return count
    }
  }

  // MARK: To-ones

  /// The objects whose to-one in `slot` leads to a target, ascending. O(rows).
  package func objects(_ map: EntityMap, slot: Int, leadingTo target: UniqueID) throws(StoreError) -> [UniqueID] {
    guard let number = map.indexes[slot] else { return [] }
    return try store.read { (view, _) throws(StorageError) in
      try PlainIndex(number: number, table: store.tables.indexes).members(of: target, in: view)
    }
  }

  /// The number of objects whose to-one in `slot` leads to a target, counted up to `limit`. O(rows).
  package func rowCount(
    _ map: EntityMap, slot: Int, leadingTo target: UniqueID, limit: Int
  ) throws(StoreError) -> Int {
    guard let number = map.indexes[slot], limit > 0 else { return 0 }
    return try store.read { (view, _) throws(StorageError) in
      var count = 0
      try PlainIndex(number: number, table: store.tables.indexes).forEachMember(of: target, in: view) { _ in
        count += 1
        return count < limit
      }
      return count
    }
  }
}
