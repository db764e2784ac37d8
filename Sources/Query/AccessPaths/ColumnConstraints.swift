import RepriseObjectModel

/// A property of the object itself in the form of an index: texts are keys of a collation.
struct ColumnTerm: Hashable, Sendable {
  let slot: Int
  let collation: Collation
}

extension CompiledTerm {
  /// The column that has the term's values in the term's order.
  var column: ColumnTerm? { (ownAttribute ?? ownReference).map { ColumnTerm(slot: $0, collation: collation) } }
}

extension Entity {
  /// The columns of an index. For values that are not texts, the collation is always binary.
  func columns(of index: EntityIndex) -> [ColumnTerm] {
    guard case .columns(let collations) = index.kind else { return [] }
    return zip(index.columns, collations).map { slot, collation in
      ColumnTerm(slot: slot, collation: properties[slot].attribute?.kind == .string ? collation : .binary)
    }
  }
}

/// A condition's constraints on single properties of the object itself: the order keys that their values may have.
struct ColumnConstraints {
  struct Constraint {
    var ranges: KeyRanges
    /// The single keys, if the condition lists them and they are few. A value with one of these keys may match.
    var points: [[UInt8]]?
  }

  private(set) var byColumn: [ColumnTerm: Constraint] = [:]
  /// Whether every object whose values are within the constraints meets the condition.
  private(set) var isWhole: Bool

  static var none: ColumnConstraints { ColumnConstraints(isWhole: true) }
  static var unknown: ColumnConstraints { ColumnConstraints(isWhole: false) }

  private init(isWhole: Bool) { self.isWhole = isWhole }

  /// - Parameter isExact: Whether all values with these keys meet the condition.
  init(_ column: ColumnTerm, _ ranges: KeyRanges, points: [[UInt8]]?, isExact: Bool) {
    byColumn = [column: Constraint(ranges: ranges, points: isExact ? points : nil)]
    isWhole = isExact
  }

  /// The constraints of the negated condition.
  var complement: ColumnConstraints {
    guard isWhole, byColumn.count == 1, let (column, constraint) = byColumn.first else { return .unknown }
    return ColumnConstraints(column, constraint.ranges.complement, points: nil, isExact: true)
  }

  /// The constraints with a point for each possible truth value, so that `!$0.isDone` is the point of the other value.
  func enumerated(of entity: Entity) -> ColumnConstraints {
    guard isWhole, let (column, constraint) = byColumn.first, let attribute = entity.properties[column.slot].attribute,
      attribute.kind == .bool
    else { return self }
    let values: [PropertyValue] = (attribute.isOptional ? [.null] : []) + [.bool(false), .bool(true)]
    let points = values.map { OrderKey.bytes(of: $0) }.filter { constraint.ranges.contains($0) }
    let ranges = points.map { KeyRange(beginningWith: $0) }
    return ColumnConstraints(column, KeyRanges(ranges), points: points, isExact: true)
  }

  /// The constraints of a conjunction.
  static func intersection(_ parts: [ColumnConstraints]) -> ColumnConstraints {
    var result = ColumnConstraints(isWhole: parts.allSatisfy(\.isWhole))
    for (column, all) in group(parts) {
      let ranges = KeyRanges.intersection(all.map(\.ranges))
      let points = all.lazy.compactMap(\.points).first?.filter { ranges.contains($0) }
      result.byColumn[column] = Constraint(ranges: ranges, points: points)
    }
    return result
  }

  /// The constraints of a disjunction. It constrains only properties that every part constrains.
  static func union(_ parts: [ColumnConstraints]) -> ColumnConstraints {
    var result = ColumnConstraints(isWhole: false)
    for (column, all) in group(parts) where all.count == parts.count {
      let points = all.compactMap(\.points)
      let distinct = Set(points.joined()).sorted { $0.precedes($1) }
      result.byColumn[column] = Constraint(
        ranges: KeyRanges(all.flatMap(\.ranges.ranges)), points: points.count == all.count ? distinct : nil)
    }
    // With several properties, the constraints would also contain combinations that no part contains.
    result.isWhole = parts.allSatisfy { $0.isWhole && $0.byColumn.count == 1 } && result.byColumn.count == 1
    return result
  }

  private static func group(_ parts: [ColumnConstraints]) -> [ColumnTerm: [Constraint]] {
    var all: [ColumnTerm: [Constraint]] = [:]
    for part in parts { for (column, constraint) in part.byColumn { all[column, default: []].append(constraint) } }
    return all
  }
}
