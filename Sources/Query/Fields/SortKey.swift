import RepriseObjectModel

/// A property to sort by, and the direction: `$0.name.ascending`.
public struct SortKey<Model: PersistentModel>: Hashable, Sendable {
  package let term: Term
  package let isAscending: Bool
  package let nils: NilOrder

  package init(term: Term, isAscending: Bool, nils: NilOrder? = nil) {
    self.term = term
    self.isAscending = isAscending
    self.nils = nils ?? (isAscending ? .first : .last)
  }

  /// Whether nil is greater than every value, instead of less.
  package var isNilGreatest: Bool { isAscending == (nils == .last) }
}

/// The place of objects without a value: SQL's `NULLS FIRST` and `NULLS LAST` (SQL:2003, feature T611).
public enum NilOrder: String, Hashable, Sendable, Codable {
  /// Before all objects with a value.
  case first
  /// After all objects with a value.
  case last
}

/// A key to sort a fetch by: a ``SortKey``, or a field, which is then ascending.
public protocol SortKeyConvertible<Model> {
  /// The model of the fetched objects.
  associatedtype Model: PersistentModel
  /// The sort key with its direction.
  var sortKey: SortKey<Model> { get }
}

extension SortKey: SortKeyConvertible {
  /// The key itself.
  public var sortKey: SortKey<Model> { self }
}

extension Field: SortKeyConvertible {
  /// The field in ascending order.
  public var sortKey: SortKey<Model> { ascending }
}

extension SortKey: Codable {
  /// Archives contain these keys: never rename one.
  private enum CodingKeys: String, CodingKey {
    case term
    case isDescending = "descending"
    case nils
  }

  /// Decodes a key that ``encode(to:)`` wrote. Throws a `DecodingError` for any other data.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      term: try container.decode(Term.self, forKey: .term),
      isAscending: !(try container.decodeIfPresent(Bool.self, forKey: .isDescending) ?? false),
      nils: try container.decodeIfPresent(NilOrder.self, forKey: .nils))
  }

  /// Encodes the property's name. The direction and the place of `nil` are included only if they are not the default.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(term, forKey: .term)
    if !isAscending { try container.encode(true, forKey: .isDescending) }
    if isNilGreatest { try container.encode(nils, forKey: .nils) }
  }
}
