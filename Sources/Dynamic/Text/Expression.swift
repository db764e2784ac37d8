import RepriseObjectModel
import RepriseQuery

/// The parts of an expression that the parser has read and not yet combined, by the method of E. W. Dijkstra (shunting
/// yard, 1961). Conditions and computations are postfix lists already, so combining two of them appends one step.
struct Expression {
  /// An operator whose right operand is not complete.
  struct Operator {
    enum Kind: Equatable {
      case group
      /// Encloses its operand. A conversion is the step `double(…)`. Without one, the operand alone is a computation.
      case function(ComputationStep.Unary?)
      case members(Step, isNone: Bool, isScope: Bool)
      case or, and, not
      case comparison(Comparison)
      case between
      /// `between` with both bounds.
      case within
      case binary(ComputationStep.Binary)
      case negate
    }

    let kind: Kind
    let token: Int

    /// `nil` for operators that end with a parenthesis.
    var binding: Int? {
      switch kind {
      case .group, .function, .members: nil
      case .or: Binding.or
      case .and: Binding.and
      case .not: Binding.not
      case .comparison, .between, .within: Binding.comparison
      case .binary(.add), .binary(.subtract): Binding.sum
      case .binary(.multiply), .binary(.divide): Binding.product
      case .negate: Binding.negation
      }
    }
  }

  struct Operand {
    var isCondition = false
    /// The index of its first step in `computation`.
    var start: Int
    let token: Int
    /// Whether it is a computation, even if it has only one step.
    var isComputed = false
    var type: ValueType?
  }

  /// A complete operand of a comparison.
  enum Value {
    case term(Term)
    case literal(PropertyValue)
  }

  var operators: [Operator] = []
  var operands: [Operand] = []
  /// The complete conditions.
  var steps: [Step] = []
  /// The operands that are terms, one after the other.
  var computation: [ComputationStep] = []

  mutating func push(_ step: ComputationStep, token: Int, type: ValueType?) {
    operands.append(Operand(start: computation.count, token: token, type: type))
    computation.append(step)
  }

  mutating func pushCondition(token: Int) {
    operands.append(Operand(isCondition: true, start: computation.count, token: token))
  }

  func literal(_ operand: Operand) -> PropertyValue? {
    guard !operand.isComputed, !operand.isCondition, case .constant(let value) = computation[operand.start] else {
      return nil
    }
    return value
  }

  /// Removes the last operand, which is a term or a literal.
  mutating func takeValue(_ operand: Operand) -> Value {
    operands.removeLast()
    defer { computation.removeSubrange(operand.start...) }
    if operand.isComputed { return .term(Term(computing: Array(computation[operand.start...]))) }
    return switch computation[operand.start] {
    case .read(let term): .term(term)
    case .constant(let value): .literal(value)
    // A unary or binary step is always behind its operands.
    case .unary, .binary: .term(Term(computing: [computation[operand.start]]))
    }
  }
}
