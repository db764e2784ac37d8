import RepriseCore
import RepriseTool

extension Inspection {
  /// An object with the transactions behind its values.
  func object(_ request: PageRequest) throws -> JSON {
    let context = try context(request)
    let id = try id(request, in: context)
    var json: [String: JSON] = ["id": .text(id.description), "entity": .text(id.entity), "exists": .bool(false)]
    let draft = resumed(in: context)
    if let draft {
      json["isDeleted"] = .bool(draft.context.changes.deleted.contains(id))
      json["version"] = .text("\(draft.version) at \(draft.context.position)")
    }
    guard let object = try context.find(id) else { return .object(json) }
    let entity = type(of: object).entity
    json["exists"] = .bool(true)
    json["label"] = .text(Labels.label(of: object))
    json["values"] = .object(try values(of: object, entity, Labels(context)))
    var members: [String: JSON] = [:]
    for property in entity.relationships where property.kind == .toMany {
      members[property.name] = .int(try Members(of: object, property, in: context).count())
    }
    json["members"] = .object(members)
    if let draft {
      json["isUnsaved"] = .bool(draft.context.changes.inserted.contains(id))
      json["unsaved"] = .object(unsavedValues(of: object))
      json["written"] = .object(try written(object, entity))
    }
    func blame<Model: PersistentModel>(_ object: Model) throws -> [String: LoggedTransaction] {
      try context.blame(for: object)
    }
    json["blame"] = .object(try blame(object).mapValues { .object(TransactionForm.moment($0)) })
    return .object(json)
  }

  /// The unsaved changes of an object, by property, with the values in the store.
  private func unsavedValues(of object: any PersistentModel) -> [String: JSON] {
    let changes = object.pendingChanges.map { ($0.property, TransactionForm.json($0)) }
    return Dictionary(changes) { first, _ in first }
  }

  /// The values of attributes as the page edits them. A text is in the values of the object.
  private func written(_ object: any PersistentModel, _ entity: Entity) throws -> [String: JSON] {
    var texts: [String: JSON] = [:]
    for property in entity.attributes {
      let value = try object[property.name]
      if let text = WrittenValue.text(of: value) { texts[property.name] = .text(text) }
    }
    return texts
  }

  /// Some members of a to-many relationship.
  func members(_ request: PageRequest) throws -> JSON {
    let context = try context(request)
    let id = try id(request, in: context)
    let name = try request.required("property")
    guard let object = try context.find(id) else { throw ToolError.noObject(id.description) }
    let entity = type(of: object).entity
    guard let property = entity.property(named: name), property.kind == .toMany else {
      throw ToolError.noProperty(
        name, entity: entity.name, known: entity.relationships.filter { $0.kind == .toMany }.map(\.name))
    }
    let members = Members(of: object, property, in: context)
    let labels = Labels(context)
    let (offset, limit) = (try request.number("offset", or: 0), try request.number("limit", or: 50, upTo: 500))
    return .object([
      "total": .int(try members.count()),
      "members": .list(
        try members.ids(offset: offset, limit: limit).map { id in
          .object(["id": .text(id.description), "label": .text(labels.label(of: id))])
        }),
    ])
  }

  /// The whole value of a property, of any length.
  func value(_ request: PageRequest) throws -> PageAnswer {
    let context = try context(request)
    let id = try id(request, in: context)
    let name = try request.required("property")
    guard let object = try context.find(id) else { throw ToolError.noObject(id.description) }
    let file = "\(id.uuid)-\(name)"
    return switch try object[name] {
    case .string(let text): PageAnswer(type: "text/plain; charset=utf-8", body: .bytes(Array(text.utf8)))
    case .bytes(let bytes): PageAnswer(type: "application/octet-stream", fileName: file, body: .bytes(bytes))
    case .blob(let blob): PageAnswer(type: "application/octet-stream", fileName: file, body: .blob(blob))
    default: throw PageFailure.noValue(name)
    }
  }
}

/// The members of a to-many relationship.
private struct Members {
  private let object: any PersistentModel
  private let property: Property
  private let context: ObjectContext

  init(of object: any PersistentModel, _ property: Property, in context: ObjectContext) {
    (self.object, self.property, self.context) = (object, property, context)
  }

  /// The entity and the condition of a fetch of the members. A folder can have a million notes, so their instances are
  /// not all made. `nil` if the members have an order, or if links store them.
  private var fetch: (Entity, [String: PropertyValue])? {
    guard !property.isOrdered, let target = property.target,
      let inverse = type(of: object).entity.inverse(of: property), inverse.kind == .toOne
    else { return nil }
    return (target, [inverse.name: .reference(object._storage.id)])
  }

  func count() throws -> Int {
    if let (entity, values) = fetch { return try context.count(entity, values) }
    return try object.members(of: property.name).count
  }

  func ids(offset: Int, limit: Int) throws -> [AnyObjectID] {
    if let (entity, values) = fetch {
      return try context.fetch(entity, values, limit: limit, offset: offset).map(\._storage.id)
    }
    return Array(try object.members(of: property.name).dropFirst(offset).prefix(limit))
  }
}
