import RepriseObjectModel

/// A predicate on objects of a model.
///
/// For each object it either holds or does not hold. Make conditions from fields (`$0.name == "Ada"`), and combine them
/// with `&&`, `||` and `!`. `!` holds exactly if its operand does not. A missing value is `nil`, and so is any value
/// behind an empty relationship. `nil` equals only `nil`. `<`, `<=`, `>`, `>=`, `isIn`, `hasPrefix` and `contains` do
/// not hold for it.
///
/// Texts are compared by the scalars of their composed form (NFC), so it does not matter how an accent was typed. For
/// floating-point numbers, -0 equals 0. NaN equals NaN and is greater than all other numbers, as in the sort order.
public struct Condition<Model: PersistentModel>: Hashable, Sendable {
  private let list: StepList

  package var steps: [Step] { list.all }

  package init(steps: [Step]) { list = StepList(steps) }

  private init(_ list: StepList) { self.list = list }

  init(_ step: Step) { list = StepList([step]) }

  /// A condition that holds for every object, or for none.
  public init(_ constant: Bool) { list = StepList([.constant(constant)]) }

  /// Holds if both conditions hold.
  ///
  /// A chain of thousands, built with `condition = condition && …`, takes time and memory in proportion to its length.
  public static func && (left: Condition, right: Condition) -> Condition {
    if left.list.isOnly(.constant(true)) { return right }
    if right.list.isOnly(.constant(true)) { return left }
    return Condition(left.list.joined(to: right.list, by: .and))
  }

  /// Holds if at least one of the conditions holds. Costs the same as `&&`.
  public static func || (left: Condition, right: Condition) -> Condition {
    if left.list.isOnly(.constant(false)) { return right }
    if right.list.isOnly(.constant(false)) { return left }
    return Condition(left.list.joined(to: right.list, by: .or))
  }

  /// Holds if the condition does not hold.
  public static prefix func ! (condition: Condition) -> Condition {
    let steps = condition.steps
    return Condition(steps: steps.last == .not ? steps.dropLast() : steps + [.not])
  }

  /// Holds if all of the conditions hold, and for every object if there are none.
  ///
  /// Any number of conditions counts as one level of nesting.
  public static func all(_ conditions: some Sequence<Condition>) -> Condition {
    joined(conditions, by: .and, neutral: Condition(true))
  }

  /// Holds if at least one of the conditions holds, and for no object if there are none.
  ///
  /// Any number of conditions counts as one level of nesting.
  public static func any(_ conditions: some Sequence<Condition>) -> Condition {
    joined(conditions, by: .or, neutral: Condition(false))
  }

  private static func joined(
    _ conditions: some Sequence<Condition>, by joint: Step, neutral: Condition
  ) -> Condition {
    var steps: [Step] = []
    for condition in conditions where condition != neutral {
      let isFirst = steps.isEmpty
      steps.append(contentsOf: condition.steps)
      if !isFirst { steps.append(joint) }
    }
    return steps.isEmpty ? neutral : Condition(steps: steps)
  }
}

extension Condition: Codable {
  /// Decodes a condition that ``encode(to:)`` wrote. Throws a `DecodingError` for any other data.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let steps = try container.decode([Step].self)
    guard Step.isWellFormed(steps) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "the decoded data is not one complete condition")
    }
    list = StepList(steps)
  }

  /// Encodes the condition with property names, in postfix order: operands before operators.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(steps)
  }
}
