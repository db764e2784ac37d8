import RepriseObjectModel

/// The value that a condition or a sort key reads: a property at the end of a path, the number of members of a to-many
/// there, or a computation over such terms.
package struct Term: Hashable, Sendable {
  /// The names from the fetched object on. Empty for the object itself, whose value is its ID.
  package let path: [String]
  package let isCount: Bool
  /// The order of texts. Values of other types ignore it.
  package let collation: Collation
  /// Empty unless the term is computed. Then `path` is empty.
  package let computation: [ComputationStep]

  init(_ path: FieldPath, isCount: Bool = false) { self.init(path.names, isCount: isCount) }

  package init(_ path: [String], isCount: Bool = false, collation: Collation = .binary) {
    self.path = path
    self.isCount = isCount
    self.collation = collation
    computation = []
  }

  package init(computing steps: [ComputationStep]) {
    path = []
    isCount = false
    collation = .binary
    computation = steps
  }

  /// The term with another order of texts.
  package func collated(_ collation: Collation) -> Term {
    isComputed ? self : Term(path, isCount: isCount, collation: collation)
  }

  package var isComputed: Bool { !computation.isEmpty }

  /// The term as an operand of another one.
  fileprivate var steps: [ComputationStep] { isComputed ? computation : [.read(self)] }

  package func applying(_ operation: ComputationStep.Unary) -> Term { Term(computing: steps + [.unary(operation)]) }

  package func applying(_ operation: ComputationStep.Binary, _ other: Term) -> Term {
    Term(computing: steps + other.steps + [.binary(operation)])
  }

  package func applying(_ operation: ComputationStep.Binary, _ constant: PropertyValue) -> Term {
    Term(computing: steps + [.constant(constant), .binary(operation)])
  }

  package static func applying(
    _ operation: ComputationStep.Binary, to constant: PropertyValue, _ other: Term
  ) -> Term {
    Term(computing: [.constant(constant)] + other.steps + [.binary(operation)])
  }
}

/// One step of a computation in postfix order: operands before their operator. A computation is a flat list for the
/// same reason as a condition (see ``Step``).
package enum ComputationStep: Hashable, Sendable {
  /// A term that is not itself computed.
  case read(Term)
  case constant(PropertyValue)
  case unary(Unary)
  case binary(Binary)

  package enum Unary: String, Hashable, Sendable {
    case negate
    case asDouble
  }

  package enum Binary: String, Hashable, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
  }

  /// The number of values that the step pops. Each step pushes one.
  var arity: Int {
    switch self {
    case .read, .constant: 0
    case .unary: 1
    case .binary: 2
    }
  }

  static func isWellFormed(_ steps: [ComputationStep]) -> Bool {
    var depth = 0
    for step in steps {
      guard depth >= step.arity else { return false }
      depth += 1 - step.arity
    }
    return depth == 1
  }
}

extension Term: CustomStringConvertible {
  /// The term as it is written after `$0.`. A computed term has all its parentheses.
  package var description: String {
    guard isComputed else {
      if path.isEmpty { return "id" }
      let name = (path + (isCount ? ["count"] : [])).joined(separator: ".")
      return collation == .binary ? name : "\(name).collated(\(collation))"
    }
    var operands: [String] = []
    for step in computation {
      switch step {
      case .read(let term): operands.append(term.description)
      case .constant(let value): operands.append(value.description)
      case .unary(.negate): operands.append("-" + (operands.popLast() ?? "?"))
      case .unary(.asDouble): operands.append((operands.popLast() ?? "?") + ".asDouble")
      case .binary(let operation):
        let (right, left) = (operands.popLast() ?? "?", operands.popLast() ?? "?")
        operands.append("(\(left) \(operation.rawValue) \(right))")
      }
    }
    return operands.last ?? "?"
  }
}
