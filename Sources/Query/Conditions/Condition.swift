import RepriseObjectModel

/// A predicate: it holds of an object or does not, without a third answer.
///
/// Made from fields (`$0.name == "Ada"`), and composed with `&&`, `||` and `!`. A missing value, and whatever lies
/// behind a missing link, reads nil: nil equals nil and nothing else; `<`, `<=`, `>`, `>=`, `isIn`, `hasPrefix` and
/// `contains` do not hold of it. `!` is the exact complement.
///
/// Texts are compared by the scalars of their composed form, so it makes no difference how an accent was typed. Of
/// floating-point numbers, -0 equals 0, and NaN equals NaN and is greater than all others: as lists sort them.
public struct Condition<Model: PersistentModel>: Hashable, Sendable {
  private let list: StepList

  package var steps: [Step] { list.all }

  package init(steps: [Step]) { list = StepList(steps) }

  private init(_ list: StepList) { self.list = list }

  init(_ step: Step) { list = StepList([step]) }

  /// A condition that always holds, or never.
  public init(_ constant: Bool) { list = StepList([.constant(constant)]) }

  /// Holds where both conditions hold. A chain of thousands, as `condition = condition && …` makes it, costs time and
  /// memory in proportion to its length.
  public static func && (left: Condition, right: Condition) -> Condition {
    if left.list.isOnly(.constant(true)) { return right }
    if right.list.isOnly(.constant(true)) { return left }
    return Condition(left.list.joined(to: right.list, by: .and))
  }

  /// Holds where at least one of them holds. Costs as `&&`.
  public static func || (left: Condition, right: Condition) -> Condition {
    if left.list.isOnly(.constant(false)) { return right }
    if right.list.isOnly(.constant(false)) { return left }
    return Condition(left.list.joined(to: right.list, by: .or))
  }

  /// Holds exactly where the other does not.
  public static prefix func ! (condition: Condition) -> Condition {
    let steps = condition.steps
    return Condition(steps: steps.last == .not ? steps.dropLast() : steps + [.not])
  }

  /// Holds where all of these conditions hold, and everywhere if there is none. However many there are, they are one
  /// level of nesting.
  public static func all(_ conditions: some Sequence<Condition>) -> Condition {
    joined(conditions, by: .and, neutral: Condition(true))
  }

  /// Holds where at least one of these conditions holds, and nowhere if there is none. However many there are, they are
  /// one level of nesting.
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
  /// Reads what ``encode(to:)`` wrote; throws a `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let steps = try container.decode([Step].self)
    guard Step.isWellFormed(steps) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "the steps are not one condition")
    }
    list = StepList(steps)
  }

  /// Writes the condition with the names of properties, operands before the operators.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(steps)
  }
}
