import RepriseObjectModel

/// One step of a condition, in the order in which a stack machine takes them: operands before their operator.
///
/// A flat list and no tree, so that neither copying, comparing, decoding nor freeing a condition recurses: an archive
/// may hold any nesting, and a program may build any.
package enum Step: Hashable, Sendable {
  case constant(Bool)
  case compare(Term, Comparison, PropertyValue)
  case compareTerms(Term, Comparison, Term)
  case isIn(Term, [PropertyValue])
  case text(Term, TextTest, String, TextOptions)
  case not
  case and
  case or
  /// The condition before it is one of the members of this to-many relationship: it holds of one at least.
  case any([String])
  /// It holds of every member.
  case all([String])

  /// How many conditions it takes from the stack. Each leaves one.
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

/// What a condition reads of an object: a property at the end of a path, or how many members a to-many has there.
package struct Term: Hashable, Sendable, CustomStringConvertible {
  package let path: [String]
  package let isCount: Bool

  init(_ path: FieldPath, isCount: Bool = false) { self.init(path.names, isCount: isCount) }

  package init(_ path: [String], isCount: Bool = false) {
    self.path = path
    self.isCount = isCount
  }

  package var description: String { (path + (isCount ? ["count"] : [])).joined(separator: ".") }
}

package enum Comparison: String, Hashable, Sendable {
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
}

package enum TextTest: String, Hashable, Sendable {
  case hasPrefix
  case contains
}
