import RepriseObjectModel

/// One step of a condition in postfix order, for a stack machine: operands before their operator.
///
/// Conditions are flat lists and not trees, so that copying, comparing, decoding and freeing them never recurse,
/// whatever their nesting is.
package enum Step: Hashable, Sendable {
  case constant(Bool)
  case compare(Term, Comparison, PropertyValue)
  case compareTerms(Term, Comparison, Term)
  case isIn(Term, [PropertyValue])
  case text(Term, TextTest, String, TextOptions)
  case not
  case and
  case or
  /// The preceding condition holds for at least one member of this to-many relationship.
  case any([String])
  /// The preceding condition holds for every member.
  case all([String])

  /// The number of conditions that the step pops. Each step pushes one.
  var arity: Int {
    switch self {
    case .constant, .compare, .compareTerms, .isIn, .text: 0
    case .not, .any, .all: 1
    case .and, .or: 2
    }
  }

  static func isWellFormed(_ steps: [Step]) -> Bool {
    var depth = 0
    for step in steps {
      guard depth >= step.arity else { return false }
      depth += 1 - step.arity
    }
    return depth == 1
  }
}

package enum Comparison: String, Hashable, Sendable {
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
}
