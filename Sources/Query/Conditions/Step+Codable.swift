import RepriseObjectModel

extension Step: Codable {
  /// Archives contain these keys and operators: never rename one.
  private enum CodingKeys: String, CodingKey {
    case op
    case term
    case value
    case values
    case other
    case text
    case options
    case path
  }

  private enum Operator {
    static let yes = "true"
    static let no = "false"
    static let isIn = "in"
    static let not = "!"
    static let and = "&&"
    static let or = "||"
    static let any = "any"
    static let all = "all"
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let name = try container.decode(String.self, forKey: .op)
    switch name {
    case Operator.yes: self = .constant(true)
    case Operator.no: self = .constant(false)
    case Operator.not: self = .not
    case Operator.and: self = .and
    case Operator.or: self = .or
    case Operator.any: self = .any(try container.decode([String].self, forKey: .path))
    case Operator.all: self = .all(try container.decode([String].self, forKey: .path))
    case Operator.isIn:
      self = .isIn(
        try container.decode(Term.self, forKey: .term), try container.decode([PropertyValue].self, forKey: .values))
    default:
      let term = try container.decode(Term.self, forKey: .term)
      if let test = TextTest(rawValue: name) {
        let options = try container.decodeIfPresent(TextOptions.self, forKey: .options) ?? []
        self = .text(term, test, try container.decode(String.self, forKey: .text), options)
      } else if let comparison = Comparison(rawValue: name) {
        if let other = try container.decodeIfPresent(Term.self, forKey: .other) {
          self = .compareTerms(term, comparison, other)
        } else {
          self = .compare(term, comparison, try container.decode(PropertyValue.self, forKey: .value))
        }
      } else {
        throw DecodingError.dataCorruptedError(
          forKey: .op, in: container, debugDescription: "'\(name)' is not an operator of conditions")
      }
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .constant(let value): try container.encode(value ? Operator.yes : Operator.no, forKey: .op)
    case .not: try container.encode(Operator.not, forKey: .op)
    case .and: try container.encode(Operator.and, forKey: .op)
    case .or: try container.encode(Operator.or, forKey: .op)
    case .any(let path):
      try container.encode(Operator.any, forKey: .op)
      try container.encode(path, forKey: .path)
    case .all(let path):
      try container.encode(Operator.all, forKey: .op)
      try container.encode(path, forKey: .path)
    case .isIn(let term, let values):
      try container.encode(Operator.isIn, forKey: .op)
      try container.encode(term, forKey: .term)
      try container.encode(values, forKey: .values)
    case .text(let term, let test, let text, let options):
      try container.encode(test.rawValue, forKey: .op)
      try container.encode(term, forKey: .term)
      try container.encode(text, forKey: .text)
      if !options.isEmpty { try container.encode(options, forKey: .options) }
    case .compare(let term, let comparison, let value):
      try container.encode(comparison.rawValue, forKey: .op)
      try container.encode(term, forKey: .term)
      try container.encode(value, forKey: .value)
    case .compareTerms(let term, let comparison, let other):
      try container.encode(comparison.rawValue, forKey: .op)
      try container.encode(term, forKey: .term)
      try container.encode(other, forKey: .other)
    }
  }
}
