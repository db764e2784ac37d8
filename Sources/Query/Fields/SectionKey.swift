import RepriseObjectModel

/// The key of a list's sections: a property, or a function of one, as in `$0.name.firstCharacter()`.
public struct SectionKey<Model: PersistentModel>: Hashable, Sendable {
  package let term: Term
  package let function: SectionFunction
  /// If there is a rule, it replaces `function`.
  package let rule: StoredSectionRule?

  package init(term: Term, function: SectionFunction, rule: StoredSectionRule? = nil) {
    self.term = term
    self.function = function
    self.rule = rule
  }
}

extension SectionKey: Codable {
  /// Archives contain these keys: never rename one.
  private enum CodingKeys: String, CodingKey {
    case term
    case function
    case rule
  }

  /// Decodes a key that ``encode(to:)`` wrote. Throws a `DecodingError` for any other data.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      term: try container.decode(Term.self, forKey: .term),
      function: try container.decode(SectionFunction.self, forKey: .function),
      rule: try container.decodeIfPresent(String.self, forKey: .rule).map { StoredSectionRule(name: $0, section: nil) })
  }

  /// Encodes the names of the property and the function. A ``SectionRule`` is encoded as its name only.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(term, forKey: .term)
    try container.encode(function, forKey: .function)
    try container.encodeIfPresent(rule?.name, forKey: .rule)
  }
}
