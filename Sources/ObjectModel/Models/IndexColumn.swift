/// A column of an index over several properties: an attribute, or a to-one relationship whose end stores the reference.
public struct IndexColumn: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The property's name.
  public let name: String
  /// The order of the column's texts. It has no effect on columns of other types.
  public let collation: Collation

  /// Makes a column of the property with this name.
  public init(_ name: String, _ collation: Collation = .binary) {
    self.name = name
    self.collation = collation
  }

  /// Makes a column of the property with this name. Its texts are in binary order.
  public init(stringLiteral name: String) { self.init(name) }
}

extension Property {
  /// An index that is a separate property. An index over a single attribute in binary order needs none.
  @usableFromInline package enum IndexDescription: Hashable, Sendable {
    /// A row for each object, sorted by these columns.
    case columns([IndexColumn], uniqueness: Uniqueness = .none, keepsHistory: Bool = false)
    /// A row for each word of the text in this attribute.
    case words(attribute: String)

    /// The property's name, which has only the columns. So an index over other columns is another property. The
    /// uniqueness of an index may change, and also whether it keeps history.
    var name: String {
      switch self {
      case .columns(let columns, _, _): Self.name(of: columns)
      case .words(let attribute): Self.name(ofWordsOf: attribute)
      }
    }

    package static func name(of columns: [IndexColumn]) -> String {
      "["
        + columns.map { $0.collation == .binary ? $0.name : "\($0.name) \($0.collation.name)" }.joined(separator: ", ")
        + "]"
    }

    package static func name(ofWordsOf attribute: String) -> String { "words of \(attribute)" }
  }

  /// A counted index over several properties, in this order. A fetch can have fixed values for the first properties and
  /// sort by the next one. Then its n-th row, its count and the position of an object take O(log n).
  ///
  /// Each save that changes one of the columns also writes the index. An index has at most 16 columns, and stores at
  /// most 490 bytes of them for each object. If several objects agree in these bytes, the first read after each save
  /// also reads the objects, and sorts them by the remaining bytes.
  ///
  /// If the index keeps history, it also has the rows that it had at each position of the log. So a fetch, a count or a
  /// rank in a `PastContext` costs about as much as at the head. Each save that changes one of the columns then also
  /// writes the history. It takes about 50 bytes for a changed row, in addition to the key of the row.
  ///
  /// - Parameters:
  ///   - columns: Names of attributes and of to-one relationships whose end stores the reference.
  ///   - keepsHistory: Whether the index keeps history. Once a store has the history, it keeps it, and programs whose
  ///     models do not ask for it write it, too.
  public static func index(_ columns: [IndexColumn], keepsHistory: Bool = false) -> Property {
    Property(.columns(columns, keepsHistory: keepsHistory))
  }

  /// A unique index over one or several properties: no two objects have the same values in all of them. Fetches use it
  /// like any other index. If a column has a collation, texts that are equal under the collation are the same value.
  ///
  /// A save that would break the rule throws, even if another process saves the other object at the same time. The save
  /// checks the rule after all its changes, so two objects may exchange their values. If a column of an object is nil,
  /// the object breaks no unique rule, as in SQL, unless `nilsAreEqual` is true. The rule is part of the store, so it
  /// also applies to programs whose models lack the rule or declare a weaker one.
  ///
  /// Costs a look-up, O(log n), for each object whose columns a save changes.
  ///
  /// - Parameters:
  ///   - columns: Names of attributes and of to-one relationships whose end stores the reference.
  ///   - nilsAreEqual: Whether nil equals nil, as with `NULLS NOT DISTINCT` in PostgreSQL. Then two objects that agree
  ///     in all columns break the rule also if the value of a column, or of all columns, is nil.
  ///   - keepsHistory: Whether the index keeps history, as in ``index(_:keepsHistory:)``.
  public static func unique(
    _ columns: [IndexColumn], nilsAreEqual: Bool = false, keepsHistory: Bool = false
  ) -> Property {
    Property(
      .columns(columns, uniqueness: nilsAreEqual ? .nilsAreEqual : .nilsDiffer, keepsHistory: keepsHistory))
  }

  /// A search index: a counted index over the words of a text, which `contains(words:)` uses. A save that changes the
  /// text writes a row for each word that the text has gained or lost.
  ///
  /// - Parameter attribute: The name of an attribute of type `String` or `String?`.
  public static func searchIndex(_ attribute: String) -> Property { Property(.words(attribute: attribute)) }

  private init(_ index: IndexDescription) { self.init(name: index.name, role: .index(index)) }
}
