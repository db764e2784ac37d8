import RepriseObjectModel

/// The rows of an index over several columns whose objects may meet a condition.
package struct ColumnRange: Hashable, Sendable {
  /// The index.
  package let slot: Int
  package let ranges: KeyRanges
  /// Whether all objects of these rows match.
  package let isExact: Bool
  /// The number of first columns that have only one value each.
  let fixed: Int
  /// The offsets of these columns in a row key.
  let starts: [Int]
  /// The bytes of these columns. Every row key begins with them.
  package let prefix: [UInt8]
  /// The columns that the ranges use.
  let used: Set<ColumnTerm>

  /// The most ranges. If there would be more, fewer columns are used.
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
    // Only the first columns with one value each are the same in every row.
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
  /// The rows of the entity's indexes over several columns that may meet a condition, in the order of declaration.
  func columnRanges(_ constraints: ColumnConstraints) -> [ColumnRange] {
    indexes.compactMap { ColumnRange($0, constraints, self) }
  }
}
