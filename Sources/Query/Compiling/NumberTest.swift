import RepriseObjectModel

/// A comparison of one of an object's own numbers, dates or truth values with a constant. Most conditions consist of
/// such comparisons. A general term costs ten times as much to evaluate.
struct NumberTest: Hashable, Sendable {
  private let slot: Int
  private let kind: Kind
  /// The ordered bits that pass.
  private let range: ClosedRange<UInt64>

  private enum Kind: Hashable, Sendable {
    case bool, int, unsigned, double, date
  }

  /// `nil` for any other comparison, and for one that nil passes.
  fileprivate init?(_ term: CompiledTerm, _ comparison: Comparison, _ operand: PropertyValue) {
    guard let slot = term.ownAttribute, let (kind, bits) = Self.bits(operand) else { return nil }
    self.slot = slot
    self.kind = kind
    switch comparison {
    case .notEqual: return nil
    case .equal: range = bits...bits
    case .lessOrEqual: range = 0...bits
    case .greaterOrEqual: range = bits...UInt64.max
    case .less:
      if bits == 0 { return nil }
      range = 0...bits - 1
    case .greater:
      if bits == .max { return nil }
      range = bits + 1...UInt64.max
    }
  }

  @inline(__always)
  private static func bits(_ value: PropertyValue) -> (Kind, UInt64)? {
    switch value {
    case .bool(let it): (.bool, it ? 1 : 0)
    case .int(let it): (.int, OrderKey.ordered(it))
    case .unsigned(let it): (.unsigned, it)
    case .double(let it): (.double, OrderKey.ordered(it))
    case .date(let it): (.date, OrderKey.ordered(it))
    case .null, .string, .bytes, .uuid, .reference, .blob: nil
    }
  }

  /// `nil` if the value has another kind than the constant. The general comparison has the rule for that.
  @inline(__always)
  fileprivate func holds(of values: ContiguousArray<PropertyValue>) -> Bool? {
    guard slot < values.count else { return nil }
    if values[slot].isNull { return false }
    guard let (kind, bits) = Self.bits(values[slot]), kind == self.kind else { return nil }
    return range.contains(bits)
  }
}

/// The comparisons of a condition that consists only of them.
package struct NumberTests: Hashable, Sendable {
  private let tests: [NumberTest]

  /// Empty for any condition but such a comparison, or a conjunction of such comparisons.
  init(of condition: CompiledCondition) { tests = Self.all(of: condition) }

  private static func all(of condition: CompiledCondition) -> [NumberTest] {
    switch condition {
    case .compare(let term, let comparison, let operand):
      return NumberTest(term, comparison, operand).map { [$0] } ?? []
    case .and(let conditions):
      let tests = conditions.map { all(of: $0) }
      return tests.contains { $0.isEmpty } ? [] : tests.flatMap { $0 }
    default: return []
    }
  }

  /// Whether all comparisons hold. `nil` if that is unknown, and if there are none.
  package func hold(of values: ContiguousArray<PropertyValue>) -> Bool? {
    if tests.isEmpty { return nil }
    for test in tests {
      guard let holds = test.holds(of: values) else { return nil }
      if !holds { return false }
    }
    return true
  }
}
