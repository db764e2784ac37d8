/// A column of an index over several properties: an attribute, or a to-one relationship whose end stores the reference.
public struct IndexColumn: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The property's name.
  public let name: String
  /// The order of its texts; of no consequence for other values.
  public let collation: Collation

  /// A column by the name of a property.
  public init(_ name: String, _ collation: Collation = .binary) {
    self.name = name
    self.collation = collation
  }

  /// A column by the name of a property, its texts in binary order.
  public init(stringLiteral name: String) { self.init(name) }
}

extension Property {
  /// An index that is a separate property, because it is not over a single attribute in binary order.
  @usableFromInline package enum IndexDescription: Hashable, Sendable {
    /// A row for each object, sorted by these.
    case columns([IndexColumn], uniqueness: Uniqueness = .none, keepsHistory: Bool = false)
    /// A row for each word of the text in this attribute.
    case words(attribute: String)

    /// The property's name, which is derived from the columns. So an index over other columns is another property. Its
    /// uniqueness may change, and whether it keeps history.
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

  /// A counted index over several properties, in this order. If a fetch has fixed values for the first properties and
  /// sorts by the next one, its n-th row, its count and the place of an object take O(log n).
  ///
  /// Each save that changes one of the columns writes the index too. It has 16 columns at most, and stores 490 bytes of
  /// them: where objects agree so far, they are read and sorted by the rest once after each save.
  ///
  /// If the index keeps history, it also has the rows that it had at each position of the log. So a fetch, a count or a
  /// rank in a `PastContext` costs as much as at the head. Each save that changes one of the columns then also writes the
  /// history, which takes about 50 bytes for a changed row, in addition to the key of the row.
  ///
  /// - Parameters:
  ///   - columns: Names of attributes and of to-one relationships whose end stores the reference.
  ///   - keepsHistory: Whether the index keeps history. Once a store has the history, it keeps it, and programs whose
  ///     models do not ask for it write it, too.
  public static func index(_ columns: [IndexColumn], keepsHistory: Bool = false) -> Property {
    Property(.columns(columns, keepsHistory: keepsHistory))
  }

  /// An index over one or several properties that is unique: no two objects have the same values in all of them. It
  /// serves fetches like any other index. If a column has a collation, texts that the collation takes as equal are the
  /// same value.
  ///
  /// A save that would break the rule throws, also if the other object is saved at the same time in another process.
  /// The save checks the rule after all its changes, so two objects may exchange their values. If a column of an object
  /// is nil, the object breaks no unique rule, as in SQL, unless `nilsAreEqual` is true. The rule is part of the store,
  /// so it also applies to programs whose models lack the rule or declare a weaker one.
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
