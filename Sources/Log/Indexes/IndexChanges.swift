import RepriseObjectModel

/// Rows to insert into an index or to delete from it. One buffer holds their keys, as they are in the table.
package struct IndexChanges: Sendable {
  package struct Change {
    let start: Int
    let count: Int
    package let isInsert: Bool

    var range: Range<Int> { start..<start + count }
    /// The key without its prefix in the table.
    var rowKey: Range<Int> { range.dropFirst(CountedIndex.prefixLength) }
  }

  /// The changes of one save, up to the first change of the next save.
  struct Save {
    let position: Position
    /// The place of its first change.
    let start: Int
  }

  package let index: UInt32
  private(set) var keys: [UInt8] = []
  package private(set) var changes: [Change] = []
  /// The saves that made the changes, in the order of the changes. Only for an index that keeps history.
  private(set) var saves: [Save] = []

  package init(index: UInt32) { self.index = index }

  package var count: Int { changes.count }
  package var isEmpty: Bool { changes.isEmpty }
  /// The size in memory.
  var byteCount: Int { keys.count + changes.count * MemoryLayout<Change>.stride }
  var areInsertions: Bool { changes.allSatisfy(\.isInsert) }

  // MARK: Adding

  /// Moves an object's row from the old to the new value, unless both values have the same row. `nil` has no row.
  package mutating func replace(_ old: PropertyValue?, by new: PropertyValue?, _ uuid: UniqueID) {
    if let old { add(isInsert: false) { RowKey.appendStored(old, uuid, to: &$0) } }
    if let new { add(isInsert: true) { RowKey.appendStored(new, uuid, to: &$0) } }
    guard old != nil, new != nil, isSameRow(count - 2, count - 1) else { return }
    keys.removeLast(keys.count - changes[count - 2].start)
    changes.removeLast(2)
  }

  /// Moves an object's rows in an index from old column values to new ones. `nil` has no rows.
  package mutating func replace(
    _ old: [PropertyValue]?, by new: [PropertyValue]?, _ kind: EntityIndex.Kind, _ uuid: UniqueID
  ) {
    let removed = old.map { kind.storedRowKeys(of: $0, uuid) } ?? []
    let added = new.map { kind.storedRowKeys(of: $0, uuid) } ?? []
    // If an object has several rows, most of them stay, for example if a word is added to a text.
    let both = removed.isEmpty || added.isEmpty ? [] : Set(removed).intersection(added)
    for key in removed where !both.contains(key) { add(key, isInsert: false) }
    for key in added where !both.contains(key) { add(key, isInsert: true) }
  }

  /// Inserts the row of a to-one relationship.
  mutating func insert(target: UniqueID, source: UniqueID) {
    add(isInsert: true) { key in
      let words = (target.high.bigEndian, target.low.bigEndian, source.high.bigEndian, source.low.bigEndian)
      withUnsafeBytes(of: words) { key.append(contentsOf: $0) }
    }
  }

  package mutating func add(_ rowKey: [UInt8], isInsert: Bool) { add(isInsert: isInsert) { $0 += rowKey } }

  private mutating func add(isInsert: Bool, _ append: (inout [UInt8]) -> Void) {
    let start = keys.count
    withUnsafeBytes(of: index.bigEndian) { keys.append(contentsOf: $0) }
    keys.append(0)
    append(&keys)
    changes.append(Change(start: start, count: keys.count - start, isInsert: isInsert))
  }

  // MARK: Saves

  /// Whether the changes are of an index that keeps history.
  package var keepsHistory: Bool { !saves.isEmpty }

  /// Begins the changes of the save at a position.
  package mutating func begin(saveAt position: Position) {
    if saves.last?.position != position { saves.append(Save(position: position, start: changes.count)) }
  }

  /// The changes of a save, in their order.
  func part(ofSave place: Int) -> IndexChanges {
    var part = self
    let end = place + 1 < saves.count ? saves[place + 1].start : changes.count
    part.changes = Array(changes[saves[place].start..<end])
    part.saves = []
    return part
  }

  /// Sorts the changes, and keeps at most one of each row.
  ///
  /// - Parameter bound: A row key. Rows from it on are left out.
  mutating func keepNet(before bound: [UInt8]? = nil) {
    let hasSeveral = sort()
    if !hasSeveral, bound == nil { return }
    var left: [Int] = []
    var start = 0
    while start < count {
      var end = start + 1
      while end < count, isSameRow(start, end) { end += 1 }
      if (end - start) % 2 == 1, bound.map({ rowKey(start).precedes($0) }) ?? true { left.append(start) }
      start = end
    }
    keep(left)
  }

  // MARK: Sorting

  /// Sorts by key; changes of the same row stay in their order. True if some row has several.
  package mutating func sort() -> Bool {
    if isStrictlyAscending { return false }
    return keys.withUnsafeBytes { keys in
      let shared = sharedPrefix(keys)
      // The eight bytes after the common prefix decide most comparisons without reading the keys.
      var sorted = changes.map { (number: keys.sortingNumber($0.start + shared, $0.count - shared), change: $0) }
      sorted.sort { left, right in
        if left.number != right.number { return left.number < right.number }
        let result = compareBytes(keys.part(left.change.range), keys.part(right.change.range))
        return result != 0 ? result < 0 : left.change.start < right.change.start
      }
      changes = sorted.map(\.change)
      return sorted.indices.dropFirst().contains { place in
        sorted[place - 1].number == sorted[place].number
          && compareBytes(keys.part(sorted[place - 1].change.range), keys.part(sorted[place].change.range)) == 0
      }
    }
  }

  /// Keeps only the changes at these places.
  mutating func keep(_ places: [Int]) { changes = places.map { changes[$0] } }

  /// Whether two changes are of the same row.
  func isSameRow(_ left: Int, _ right: Int) -> Bool { keys[changes[left].range] == keys[changes[right].range] }

  package func rowKey(_ place: Int) -> [UInt8] { Array(keys[changes[place].rowKey]) }

  private var isStrictlyAscending: Bool {
    keys.withUnsafeBytes { keys in
      changes.indices.dropFirst().allSatisfy {
        compareBytes(keys.part(changes[$0 - 1].range), keys.part(changes[$0].range)) < 0
      }
    }
  }

  private func sharedPrefix(_ keys: UnsafeRawBufferPointer) -> Int {
    guard let first = changes.first else { return 0 }
    var shared = first.count
    for change in changes {
      shared = min(shared, change.count)
      var length = CountedIndex.prefixLength
      while length < shared, keys[first.start + length] == keys[change.start + length] { length += 1 }
      shared = min(shared, length)
    }
    return shared
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func part(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self[range]) }

  /// The first eight of `count` bytes from `start` on, as a number that sorts as they do; missing bytes are zero.
  fileprivate func sortingNumber(_ start: Int, _ count: Int) -> UInt64 {
    if count >= 8 { return UInt64(bigEndian: loadUnaligned(fromByteOffset: start, as: UInt64.self)) }
    var number: UInt64 = 0
    for offset in 0..<8 { number = number << 8 | (offset < count ? UInt64(self[start + offset]) : 0) }
    return number
  }
}
