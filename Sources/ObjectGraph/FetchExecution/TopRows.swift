import RepriseObjectModel
import RepriseQuery

/// Top-n: the first rows of a fetch among all that are offered, in a bounded max-heap.
struct TopRows {
  private let limit: Int
  private var rows: [(key: [UInt8], row: Projection.Row)] = []

  /// - Parameter limit: `nil` keeps them all.
  init(limit: Int?) { self.limit = limit ?? .max }

  /// The key before which a new row must sort. `nil` while there is room.
  var bound: [UInt8]? { rows.count == limit ? rows.first?.key : nil }
  /// The abbreviated form of ``bound``.
  private(set) var abbreviatedBound: UInt64?

  func accepts(_ key: [UInt8]) -> Bool {
    if rows.count < limit { return true }
    return bound.map { key.precedes($0) } ?? false
  }

  /// Adds a row that it ``accepts(_:)``.
  mutating func add(_ key: [UInt8], _ row: Projection.Row) {
    if limit == .max || rows.count < limit {
      rows.append((key, row))
      // Without a limit, the bound is unused.
      if limit < .max { siftUp() }
    } else {
      rows[0] = (key, row)
      siftDown()
    }
    abbreviatedBound = bound.flatMap { AbbreviatedKey.abbreviation(of: $0) }
  }

  private mutating func siftUp() {
    var child = rows.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard rows[parent].key.precedes(rows[child].key) else { return }
      rows.swapAt(parent, child)
      child = parent
    }
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      let left = 2 * parent + 1
      guard left < rows.count else { return }
      let right = left + 1
      let isRight = right < rows.count && rows[left].key.precedes(rows[right].key)
      let child = isRight ? right : left
      guard rows[parent].key.precedes(rows[child].key) else { return }
      rows.swapAt(parent, child)
      parent = child
    }
  }

  /// In order, without the first ones.
  consuming func sorted(from offset: Int) -> [Projection.Row] {
    rows.sort { $0.key.precedes($1.key) }
    return rows.dropFirst(offset).map(\.row)
  }
}
