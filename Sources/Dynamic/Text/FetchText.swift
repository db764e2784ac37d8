import RepriseObjectModel
import RepriseQuery

/// A fetch as text, for command lines, configuration files, logs and requests:
///
/// `Note where title contains[nocase] "tea" and stars >= 3 and folder.name == "Home" order by changed desc limit 20`
///
/// The text names the model and its properties, so you need no type of the program to read it. `Docs/FetchText.md` has
/// the complete grammar. Most words come from SQL, and `contains[nocase]` from NSPredicate. Keywords can have upper and
/// lower case. Names are as in the model. A name with other signs than letters, digits and `_` has backticks.
///
/// Every fetch has a text, and reading the text gives the same fetch again, bit by bit. A section by a `SectionRule` is
/// read without the function of the rule, as from an archive. Two texts with different spellings are equal if
/// their contents are equal.
public struct FetchText: Hashable, Sendable {
  private let source: String
  let parsed: ParsedFetch

  /// Reads a text. Names and types are not checked yet, because a text does not contain the models.
  ///
  /// Takes time in proportion to the length of the text, however deep its parentheses are.
  ///
  /// - Throws: ``FetchTextError/unexpected(found:expected:at:)`` and
  ///   ``FetchTextError/invalidLiteral(_:reason:at:)``.
  public init(_ text: String) throws {
    var parser = try FetchParser(text, of: nil)
    parsed = try parser.fetch(needsEntity: true)
    source = text
  }

  /// Makes the text of a fetch, with the moment to read it at.
  public init<Model>(_ fetch: Fetch<Model>, at moment: FetchMoment? = nil) {
    parsed = ParsedFetch(fetch, at: moment)
    source = parsed.text
  }

  /// The name of the model.
  public var entity: String { parsed.entity }

  /// The past state to read, from `as of` or `@`. It is `nil` for the present.
  public var moment: FetchMoment? { parsed.moment }

  /// Returns the entity with the name in the text, from the entities of a store.
  ///
  /// - Parameter entities: `store.entities`.
  /// - Throws: ``FetchTextError/unknownEntity(_:suggestion:at:)``.
  public func entity(among entities: [Entity]) throws -> Entity {
    if let found = entities.first(where: { $0.name == entity }) ?? entities.first(where: { $0.isEverNamed(entity) }) {
      return found
    }
    let place = try FetchParser(source, of: nil).place(0)
    throw FetchTextError.unknownEntity(
      entity, suggestion: NameSuggestion.nearest(to: entity, among: entities.map(\.name)), at: place)
  }

  /// Returns the fetch, with names and types that fit the model.
  ///
  /// The model gives literals their types: `weight > 3` compares floating-point numbers if `weight` is one. A UUID is
  /// also the ID of an object, after a to-one relationship. The names of earlier versions of the model are valid.
  ///
  /// - Throws: ``FetchTextError/unknownEntity(_:suggestion:at:)`` if the text names another model.
  ///   ``FetchTextError/unknownProperty(_:entity:suggestion:at:)``,
  ///   ``FetchTextError/wrongProperty(_:entity:expected:at:)`` and ``FetchTextError/wrongType(expected:found:at:)`` if
  ///   the text does not fit the model.
  public func fetch<Model: PersistentModel>(_ model: Model.Type = Model.self) throws -> Fetch<Model> {
    var parser = try FetchParser(source, of: Model.entity)
    return try parser.fetch(needsEntity: true).fetch()
  }

  /// Returns whether both texts have the same contents.
  public static func == (left: FetchText, right: FetchText) -> Bool { left.parsed == right.parsed }

  /// Hashes the contents.
  public func hash(into hasher: inout Hasher) { hasher.combine(parsed) }
}

extension FetchText: CustomStringConvertible {
  /// The text in its usual form, which is the same for equal texts. Control characters are written as escapes.
  public var description: String { parsed.text }
}

extension FetchText: Codable {
  /// Decodes a text. Throws `DecodingError.dataCorrupted` for a text that ``init(_:)`` cannot read.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    do {
      try self.init(text)
    } catch {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(error)")
    }
  }

  /// Encodes the text with its spelling.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(source)
  }
}

extension Fetch {
  /// Reads a text such as `Note where stars >= 3 limit 20`, or one that begins with a clause: `where stars >= 3`.
  ///
  /// ```swift
  /// let fetch = try Fetch<Item>(text: "where name contains[nocase] \"chair\" order by valueInDollars desc limit 20")
  /// ```
  ///
  /// Takes time in proportion to the length of the text.
  ///
  /// - Throws: ``FetchTextError`` for a text that is not valid, does not fit the model, or names a past state, which
  ///   only a ``FetchText`` has.
  public init(text: String) throws {
    var parser = try FetchParser(text, of: Model.entity)
    self = try parser.fetch(needsEntity: false, allowsMoment: false).fetch()
  }

  /// The text of the fetch, which ``init(text:)`` reads. It is the same for equal fetches.
  ///
  /// Takes time in proportion to the length of the fetch.
  public var text: String { FetchText(self).description }
}
