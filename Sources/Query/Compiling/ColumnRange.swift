import RepriseObjectModel

/// An index over several columns under a condition: which of its rows may match.
package struct ColumnRange: Hashable, Sendable {
  /// The index.
  package let slot: Int
  package let ranges: KeyRanges
  /// Whether exactly the objects match whose rows these are.
  package let isExact: Bool
  /// How many columns have only one value each, and that they are the first ones.
  let fixed: Int
  /// Where in a row key each of those columns begins.
  let starts: [Int]
  /// The bytes of those columns, with which the key of every row begins.
  package let prefix: [UInt8]
  /// The columns of which the ranges make use.
  let used: Set<ColumnTerm>
  /// Whether rows may be within the ranges whose values are not within the constraints.
  let isCut: Bool

  /// Beyond so many ranges, fewer columns are made use of.
  private static let rangeLimit = 1024

  init?(_ index: EntityIndex, _ constraints: ColumnConstraints, _ entity: Entity) {
    let columns = entity.columns(of: index)
    if columns.isEmpty { return nil }
    var prefixes: [[UInt8]] = [[]]
    var ranges: [KeyRange]?
    var (used, starts): (Set<ColumnTerm>, [Int]) = ([], [])
    var isCut = false
    for (place, column) in columns.enumerated() {
      guard let constraint = constraints.byColumn[column] else { break }
      let left = columns.count - place - 1
      func isWhole(_ point: [UInt8]) -> Bool {
        prefixes.allSatisfy { Bound(point, after: $0, columnsLeft: left).isExact }
      }
      if let points = constraint.points, points.count * prefixes.count <= Self.rangeLimit, points.allSatisfy(isWhole) {
        if prefixes.count == 1, points.count == 1 { starts.append(prefixes[0].count) }
        prefixes = prefixes.flatMap { prefix in points.map { prefix + $0 } }
        used.insert(column)
        continue
      }
      guard constraint.ranges.ranges.count * prefixes.count <= Self.rangeLimit else { break }
      used.insert(column)
      ranges = prefixes.flatMap { prefix in
        constraint.ranges.ranges.map { range in
          let lower = Bound(range.lower, after: prefix, columnsLeft: left)
          let upper = range.upper.map { Bound($0, after: prefix, columnsLeft: left) }
          isCut = isCut || !lower.isExact || !(upper?.isExact ?? true)
          return KeyRange(
            lower: prefix + lower.bytes,
            upper: upper.map { $0.isExact ? prefix + $0.bytes : OrderKey.successor(of: prefix + $0.bytes) }
              ?? OrderKey.successor(of: prefix))
        }
      }
      break
    }
    slot = index.slot
    self.ranges = KeyRanges(ranges ?? prefixes.map { KeyRange(beginningWith: $0) })
    isExact = constraints.isWhole && !isCut && constraints.byColumn.keys.allSatisfy { used.contains($0) }
    fixed = starts.count
    self.starts = starts
    self.used = used
    // Behind the first column with several values, a prefix is no longer that of every row.
    prefix = Self.columns(starts.count, of: prefixes.first ?? [])
    self.isCut = isCut
  }

  /// The first columns of a key.
  private static func columns(_ count: Int, of key: [UInt8]) -> [UInt8] {
    var end = 0
    for _ in 0..<count { end += OrderKey.length(Array(key[end...])) ?? 0 }
    return Array(key.prefix(end))
  }

  /// The bound of a column's range as it is behind other columns, which leave it less room.
  private struct Bound {
    let bytes: [UInt8]
    /// If not, rows are cut where the bound still goes on, and those with these bytes may be before or behind it.
    let isExact: Bool

    init(_ bound: [UInt8], after prefix: [UInt8], columnsLeft: Int) {
      let limit = RowKey.contentLimit(after: prefix.count, columnsLeft: columnsLeft)
      let isRun = bound.first == OrderKey.Tag.string.rawValue || bound.first == OrderKey.Tag.bytes.rawValue
      let isEnded = bound.count >= 3 && bound[bound.count - 2] == 0 && bound[bound.count - 1] <= 1
      isExact = !isRun || bound.count - 1 - (isEnded ? 2 : 0) <= limit
      bytes = isExact ? bound : Array(bound.prefix(1 + limit))
    }
  }
}

extension Entity {
  /// Its indexes over several columns under a condition, in the order of their declaration.
  func columnRanges(_ constraints: ColumnConstraints) -> [ColumnRange] {
    indexes.compactMap { ColumnRange($0, constraints, self) }
  }
}
