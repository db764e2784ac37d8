import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

/// The conversion between rows of a server and objects of a model.
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
  /// The stored form of an identifier. `nil` if it does not belong to the key's type.
  let keyValue: @Sendable (String) -> PropertyValue?
  let keyText: @Sendable (PropertyValue) -> String?
  let apply: @Sendable (Record, Element, EditingContext) throws -> Void
  let record: @Sendable (Element) throws -> Record
  let keys: @Sendable (Fetch<Element>, ObjectContext) throws -> [(id: Element.ID, key: String)]

  /// The identifier of a row. `nil` if it does not belong to the key's type.
  func validID(_ record: Record) -> String? { identify(record).flatMap { keyValue($0) == nil ? nil : $0 } }

  /// An identifier as ``identify`` would write it. `nil` if it does not belong to the key's type.
  func normalID(_ text: String) -> String? { keyValue(text).flatMap(keyText) }

  /// Makes a mapping.
  ///
  /// - Parameters:
  ///   - key: The attribute for the row's identifier on the server. It must be unique in the model, or the source's
  ///     initializer throws. It may be optional if the server names new rows, which have no identifier until the server
  ///     has answered.
  ///   - id: Returns the identifier of a row.
  ///   - apply: Sets the object's attributes from the row. For relationships, it looks the other objects up in the
  ///     context, or inserts them. The source calls it for new objects, which have default values, and for known ones,
  ///     and sets the key itself. It runs off the main actor, and runs again if another save has committed in the
  ///     meantime. If it throws, the row is left out, and ``RemoteSource/refusedRows()`` lists it.
  ///   - record: Makes the row to send for an object.
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
