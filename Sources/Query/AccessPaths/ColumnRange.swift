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
  /// The bytes of those columns, which begin the key of every row.
  package let prefix: [UInt8]
  /// The columns that the ranges use.
  let used: Set<ColumnTerm>

  /// Beyond so many ranges, fewer columns are made use of.
  private static let rangeLimit = 1024

  init?(_ index: EntityIndex, _ constraints: ColumnConstraints, _ entity: Entity) {
    let columns = entity.columns(of: index)
    if columns.isEmpty { return nil }
    var prefixes: [[UInt8]] = [[]]
    var ranges: [KeyRange]?
    var (used, starts): (Set<ColumnTerm>, [Int]) = ([], [])
    for column in columns {
      guard let constraint = constraints.byColumn[column] else { break }
      if let points = constraint.points, points.count * prefixes.count <= Self.rangeLimit {
        if prefixes.count == 1, points.count == 1 { starts.append(prefixes[0].count) }
        prefixes = prefixes.flatMap { prefix in points.map { prefix + $0 } }
        used.insert(column)
        continue
      }
      guard constraint.ranges.ranges.count * prefixes.count <= Self.rangeLimit else { break }
      used.insert(column)
      ranges = prefixes.flatMap { prefix in
        constraint.ranges.ranges.map { range in
          KeyRange(
            lower: prefix + range.lower, upper: range.upper.map { prefix + $0 } ?? OrderKey.successor(of: prefix))
        }
      }
      break
    }
    slot = index.slot
    self.ranges = KeyRanges(ranges ?? prefixes.map { KeyRange(beginningWith: $0) })
    isExact = constraints.isWhole && constraints.byColumn.keys.allSatisfy { used.contains($0) }
    fixed = starts.count
    self.starts = starts
    self.used = used
    // After the first column with several values, no single prefix fits every row.
    prefix = Self.columns(starts.count, of: prefixes.first ?? [])
  }

  /// The first columns of a key.
  private static func columns(_ count: Int, of key: [UInt8]) -> [UInt8] {
    var end = 0
    for _ in 0..<count { end += OrderKey.length(Array(key[end...])) ?? 0 }
    return Array(key.prefix(end))
  }
}

extension Entity {
  /// Its indexes over several columns under a condition, in the order of their declaration.
  func columnRanges(_ constraints: ColumnConstraints) -> [ColumnRange] {
    indexes.compactMap { ColumnRange($0, constraints, self) }
  }
}
