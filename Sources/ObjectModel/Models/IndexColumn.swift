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
  /// An index that is a property of its own, because it is not over a single attribute in binary order.
  package enum IndexDescription: Hashable, Sendable {
    /// A row for each object, sorted by these.
    case columns([IndexColumn])
    /// A row for each word of the text in this attribute.
    case words(attribute: String)

    /// The property's name. It says everything, so that an index over something else is another property.
    var name: String {
      switch self {
      case .columns(let columns):
        "["
          + columns.map { $0.collation == .binary ? $0.name : "\($0.name) \($0.collation.name)" }
          .joined(separator: ", ") + "]"
      case .words(let attribute): "words of \(attribute)"
      }
    }
  }

  /// A counted index over several properties, the first of them leading: a fetch that fixes the first ones and sorts by
  /// the next finds its n-th row, its count and the place of an object in O(log n).
  ///
  /// Each save that changes one of the columns writes the index too. It has 16 columns at most, and keeps about 400
  /// bytes of texts: objects whose texts agree up to there are in order of birth.
  ///
  /// - Parameter columns: Names of attributes and of to-one relationships whose end stores the reference.
  public static func index(_ columns: [IndexColumn]) -> Property { Property(.columns(columns)) }

  /// A search index: a counted index over the words of a text, by which `contains(words:)` finds them. Each save that
  /// changes the text writes the rows of the words that came or went.
  ///
  /// - Parameter attribute: The name of an attribute of type `String` or `String?`.
  public static func searchIndex(_ attribute: String) -> Property { Property(.words(attribute: attribute)) }

  private init(_ index: IndexDescription) { self.init(name: index.name, role: .index(index)) }
}
