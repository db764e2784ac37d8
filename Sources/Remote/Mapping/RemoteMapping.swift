import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

/// How the rows of a server become objects of a model, and back.
///
/// ```swift
/// let mapping = RemoteMapping<Article, ArticleRecord>(
///   key: { $0.remoteID }, id: { $0.id },
///   apply: { record, article, _ in
///     article.title = record.title
///     article.version = record.version
///   },
///   record: { ArticleRecord(id: $0.remoteID, title: $0.title, version: $0.version) })
/// ```
public struct RemoteMapping<Element: PersistentModel, Record: Codable & Sendable>: Sendable {
  let keyName: String
  let identify: @Sendable (Record) -> String?
  let find: @Sendable (String, ObjectContext) throws -> Element?
  /// The stored form of an identifier; `nil` if it is none of the key's type.
  let keyValue: @Sendable (String) -> PropertyValue?
  let keyText: @Sendable (PropertyValue) -> String?
  let apply: @Sendable (Record, Element, EditingContext) throws -> Void
  let record: @Sendable (Element) throws -> Record
  let keys: @Sendable (Fetch<Element>, ObjectContext) throws -> [(id: Element.ID, key: String)]

  /// The identifier of a row; `nil` if it has none of the key's type.
  func validID(_ record: Record) -> String? { identify(record).flatMap { keyValue($0) == nil ? nil : $0 } }

  /// An identifier as ``identify`` would write it; `nil` if it is none of the key's type.
  func normalID(_ text: String) -> String? { keyValue(text).flatMap(keyText) }

  /// A mapping.
  ///
  /// - Parameters:
  ///   - key: The attribute that holds the identifier of the row on the server. It must be unique in the model, so that
  ///     no row is there twice; a source refuses any other. Optional where the server names new rows; they have none
  ///     until it has answered.
  ///   - id: The identifier of a row.
  ///   - apply: Sets what the row says: the attributes, and relationships by looking up or inserting the objects at the
  ///     other end in the context. For new objects, which have defaults until then, and for known ones alike. It runs
  ///     off the main actor, and again if another save came between. The key is set by the source. If it throws, the
  ///     row is left out, and listed by ``RemoteSource/refusedRows()``.
  ///   - record: The row that is to be sent for an object.
  public init<ID: AttributeValue & LosslessStringConvertible>(
    key: @escaping @Sendable (Element.Fields) -> Field<Element, ID>, id: @escaping @Sendable (Record) -> ID?,
    apply: @escaping @Sendable (Record, Element, EditingContext) throws -> Void,
    record: @escaping @Sendable (Element) throws -> Record
  ) {
    keyName = key(Element.Fields(.root)).term.path.last ?? ""
    identify = { id($0)?.description }
    keyValue = { ID($0)?.propertyValue }
    keyText = { value in if case .null = value { nil } else { ID.from(value)?.description } }
    find = { text, context in
      guard let id = ID(text) else { return nil }
      return try context.fetch(Fetch<Element> { key($0) == id }.limit(1)).first
    }
    keys = { fetch, context in
      try context.fetchValues(fetch, { key($0) }).compactMap { row in
        row.values.map { (id: row.id, key: $0.description) }
      }
    }
    self.apply = apply
    self.record = record
  }
}
