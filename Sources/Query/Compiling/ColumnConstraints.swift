import RepriseObjectModel

/// What a condition says of single properties of the object itself: the order keys that their values may have.
struct ColumnConstraints {
  struct Constraint {
    var ranges: KeyRanges
    /// The keys one by one, if they are so few that the condition names them: a value with one of them is a value of
    /// which the condition says that it may be there.
    var points: [[UInt8]]?
  }

  private(set) var bySlot: [Int: Constraint] = [:]
  /// Whether the condition holds of every object whose values are within the constraints.
  private(set) var isWhole: Bool

  static var none: ColumnConstraints { ColumnConstraints(isWhole: true) }
  static var unknown: ColumnConstraints { ColumnConstraints(isWhole: false) }

  private init(isWhole: Bool) { self.isWhole = isWhole }

  /// - Parameter isExact: Whether the condition holds of all values with these keys.
  init(_ slot: Int, _ ranges: KeyRanges, points: [[UInt8]]?, isExact: Bool) {
    bySlot = [slot: Constraint(ranges: ranges, points: isExact ? points : nil)]
    isWhole = isExact
  }

  /// Of the condition's complement.
  var complement: ColumnConstraints {
    guard isWhole, bySlot.count == 1, let (slot, constraint) = bySlot.first else { return .unknown }
    return ColumnConstraints(slot, constraint.ranges.complement, points: nil, isExact: true)
  }

  /// With the values of truth values one by one, so that `!$0.isDone` names the other one.
  func enumerated(of entity: Entity) -> ColumnConstraints {
    guard isWhole, let (slot, constraint) = bySlot.first, let attribute = entity.properties[slot].attribute,
      attribute.kind == .bool
    else { return self }
    let values: [PropertyValue] = (attribute.isOptional ? [.null] : []) + [.bool(false), .bool(true)]
    let points = values.map { OrderKey.bytes(of: $0) }.filter { constraint.ranges.contains($0) }
    let ranges = points.map { KeyRange(lower: $0, upper: OrderKey.successor(of: $0)) }
    return ColumnConstraints(slot, KeyRanges(ranges), points: points, isExact: true)
  }

  /// Of the conjunction.
  static func intersection(_ parts: [ColumnConstraints]) -> ColumnConstraints {
    var result = ColumnConstraints(isWhole: parts.allSatisfy(\.isWhole))
    for (slot, all) in group(parts) {
      let ranges = KeyRanges.intersection(all.map(\.ranges))
      let points = all.lazy.compactMap(\.points).first?.filter { ranges.contains($0) }
      result.bySlot[slot] = Constraint(ranges: ranges, points: points)
    }
    return result
  }

  /// Of the disjunction. It says something only of the properties of which every part does.
  static func union(_ parts: [ColumnConstraints]) -> ColumnConstraints {
    var result = ColumnConstraints(isWhole: false)
    for (slot, all) in group(parts) where all.count == parts.count {
      let points = all.compactMap(\.points)
      let distinct = Set(points.joined()).sorted { $0.lexicographicallyPrecedes($1) }
      result.bySlot[slot] = Constraint(
        ranges: KeyRanges(all.flatMap(\.ranges.ranges)), points: points.count == all.count ? distinct : nil)
    }
    // Of several properties the product would say more than the parts.
    result.isWhole = parts.allSatisfy { $0.isWhole && $0.bySlot.count == 1 } && result.bySlot.count == 1
    return result
  }

  private static func group(_ parts: [ColumnConstraints]) -> [Int: [Constraint]] {
    var all: [Int: [Constraint]] = [:]
    for part in parts { for (slot, constraint) in part.bySlot { all[slot, default: []].append(constraint) } }
    return all
  }
}
