import RepriseObjectModel

/// One property to sort by, and the direction: `$0.name.ascending`.
public struct SortKey<Model: PersistentModel>: Hashable, Sendable {
  package let term: Term
  package let isAscending: Bool

  package init(term: Term, isAscending: Bool) {
    self.term = term
    self.isAscending = isAscending
  }
}

extension SortKey: Codable {
  /// Part of archives: never rename a key.
  private enum CodingKeys: String, CodingKey {
    case term
    case isDescending = "descending"
  }

  /// Reads what ``encode(to:)`` wrote; throws a `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    term = try container.decode(Term.self, forKey: .term)
    isAscending = !(try container.decodeIfPresent(Bool.self, forKey: .isDescending) ?? false)
  }

  /// Writes the property's name, and the direction if it descends.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(term, forKey: .term)
    if !isAscending { try container.encode(true, forKey: .isDescending) }
  }
}
