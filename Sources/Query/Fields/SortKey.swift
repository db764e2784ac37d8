import RepriseObjectModel

/// What to sort by, and the direction: `$0.name.ascending`.
public struct SortKey<Model: PersistentModel>: Hashable, Sendable {
  package let term: Term
  package let isAscending: Bool
  package let nils: NilOrder

  package init(term: Term, isAscending: Bool, nils: NilOrder? = nil) {
    self.term = term
    self.isAscending = isAscending
    self.nils = nils ?? (isAscending ? .first : .last)
  }

  /// Whether nil counts as greater than every value, and not as less.
  package var isNilGreatest: Bool { isAscending == (nils == .last) }
}

/// Where a sort puts the objects without a value: SQL's `NULLS FIRST` and `NULLS LAST` (SQL:2003, feature T611).
public enum NilOrder: String, Hashable, Sendable, Codable {
  /// Before all others.
  case first
  /// After all others.
  case last
}

/// What a fetch can be sorted by: a ``SortKey``, or a field by itself, which then ascends.
public protocol SortKeyConvertible<Model> {
  /// The model of the fetched objects.
  associatedtype Model: PersistentModel
  /// The sort key.
  var sortKey: SortKey<Model> { get }
}

extension SortKey: SortKeyConvertible {
  /// Itself.
  public var sortKey: SortKey<Model> { self }
}

extension Field: SortKeyConvertible {
  /// The field, ascending.
  public var sortKey: SortKey<Model> { ascending }
}

extension SortKey: Codable {
  /// Part of archives: never rename a key.
  private enum CodingKeys: String, CodingKey {
    case term
    case isDescending = "descending"
    case nils
  }

  /// Reads what ``encode(to:)`` wrote; throws a `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      term: try container.decode(Term.self, forKey: .term),
      isAscending: !(try container.decodeIfPresent(Bool.self, forKey: .isDescending) ?? false),
      nils: try container.decodeIfPresent(NilOrder.self, forKey: .nils))
  }

  /// Writes the property's name, the direction if it descends, and the place of nil where it is not the usual one.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(term, forKey: .term)
    if !isAscending { try container.encode(true, forKey: .isDescending) }
    if isNilGreatest { try container.encode(nils, forKey: .nils) }
  }
}
