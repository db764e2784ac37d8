import RepriseCore
import RepriseDynamic
import RepriseQuery
import RepriseTool

extension Inspection {
  /// The entities with their numbers of objects at a moment, and the span of the log.
  func overview(_ request: PageRequest) throws -> JSON {
    let context = try context(request)
    let entities: [JSON] = try store.entities.sorted { $0.name < $1.name }.map { entity in
      if Task.isCancelled { throw PageFailure.cancelled }
      return .object([
        "name": .text(entity.name), "count": .int(try context.count(entity)),
        "fetch": .text(usualFetch(of: entity)),
        "properties": .list((entity.attributes + entity.relationships).map { property($0, of: entity) }),
      ])
    }
    return .object([
      "path": .text(store.path), "isEditable": .bool(isEditable), "isLive": .bool(live != nil),
      "first": try momentJSON(at: store.log.firstPosition), "head": try momentJSON(at: store.log.head),
      "entities": .list(entities),
    ])
  }

  /// All objects, in the order of a counted index if there is one, so that the page can jump to any row.
  private func usualFetch(of entity: Entity) -> String {
    func text<Model: PersistentModel>(_ model: Model.Type) -> String {
      let indexed = entity.attributes.first { entity.isIndexed(by: $0) }
      let key = indexed.flatMap { try? SortKey<Model>(named: $0.name) }
      return key.map { key in Fetch<Model>().sorted { _ in [key] } }?.text ?? Fetch<Model>().text
    }
    return text(entity.model)
  }

  private func property(_ property: Property, of entity: Entity) -> JSON {
    var json: [String: JSON] = ["name": .text(property.name), "isOptional": .bool(property.isOptional)]
    switch property.kind {
    case .attribute(let kind): json["kind"] = .text("\(kind)")
    case .toOne: json["kind"] = .text("toOne")
    default: json["kind"] = .text("toMany")
    }
    json["isIndexed"] = .bool(entity.isIndexed(by: property))
    if property.isDerived { json["isDerived"] = .bool(true) }
    if let target = property.target {
      json["target"] = .text(target.name)
      json["inverse"] = .text(entity.inverse(of: property)?.name)
    }
    return .object(json)
  }

  /// The last transaction at or before a moment.
  func moment(_ request: PageRequest) throws -> JSON {
    if let position = try request.position("position") {
      let head = store.log.head
      guard position <= head else { throw ToolError.noPosition("@\(position)", head: head.number) }
      return try momentJSON(at: position)
    }
    return try momentJSON(at: Places(store).lastPosition(try request.required("time")))
  }

  func momentJSON(at position: Position) throws -> JSON {
    let transaction = try store.log.transaction(at: position, matching: TransactionFilter(), firstChangeOnly: true)
    guard let transaction else {
      return .object(["position": .int(position.number), "time": .null])
    }
    return .object(TransactionForm.moment(transaction))
  }
}

extension Entity {
  /// Whether an index begins with the property, so that rows are counted in its order.
  func isIndexed(by property: Property) -> Bool {
    declaredProperties.contains { index in
      switch index.role {
      case .attribute(let attribute): index.name == property.name && attribute.isIndexed
      case .index(.columns(let columns, _, _)): columns.first?.name == property.name
      default: false
      }
    }
  }

  /// The property at the other end of a relationship.
  func inverse(of property: Property) -> Property? {
    guard let target = property.target else { return nil }
    if let name = property.inverse { return target.property(named: name) }
    return target.relationships.first { $0.inverse == property.name && $0.target == self }
  }
}
