import RepriseCore
import RepriseDynamic
import RepriseQuery
import RepriseTool

extension Inspection {
  /// The most rows of an answer.
  private static let mostRows = 500

  /// Some rows of a fetch, with the number of all of them.
  func rows(_ request: PageRequest) throws -> JSON {
    let text = try FetchText(try request.required("fetch"))
    let entity = try text.entity(among: store.entities)
    let context = try context(request, text.moment)
    let offset = try request.number("offset", or: 0)
    let limit = try request.number("limit", or: 100, upTo: Self.mostRows)
    let changes = try request.position("since").map {
      try RecentChanges(of: entity, after: $0, upTo: context.position, store)
    }
    let unsaved = resumed(in: context).map(UnsavedChanges.init)
    func rows<Model: PersistentModel>(_ model: Model.Type) throws -> JSON {
      let began = ContinuousClock.now
      let whole = try text.fetch(model)
      let total = try count(whole, in: context)
      if Task.isCancelled { throw PageFailure.cancelled }
      let first = min(offset, total)
      let shown = first..<first + min(limit, total - first)
      let labels = Labels(context)
      let rows = try objects(whole, shown, of: total, in: context).map {
        try row($0, of: entity, changes, unsaved, labels)
      }
      return .object([
        "entity": .text(entity.name), "total": .int(total), "offset": .int(offset),
        "reach": .int(try reach(of: whole, total, in: context)),
        "position": .int(context.position.number), "at": text.moment == nil ? .null : .int(context.position.number),
        "rows": .list(rows), "milliseconds": .double((ContinuousClock.now - began).milliseconds),
      ])
    }
    return try rows(entity.model)
  }

  private func row(
    _ object: some PersistentModel, of entity: Entity, _ changes: RecentChanges?, _ unsaved: UnsavedChanges?,
    _ labels: Labels
  ) throws -> JSON {
    var json: [String: JSON] = [
      "id": .text(object.id.any.description), "values": .object(try values(of: object, entity, labels)),
    ]
    if let changes {
      json["changed"] = .list(changes.properties(of: object.id.any).map { .text($0) })
      json["isNew"] = .bool(changes.hasInserted(object.id.any))
    }
    if let unsaved {
      json["unsaved"] = .list(unsaved.values(of: object).map { .text($0.property) })
      json["isUnsaved"] = .bool(unsaved.inserted.contains(object.id.any))
    }
    return .object(json)
  }

  /// The attributes and the to-one relationships.
  func values(of object: any PersistentModel, _ entity: Entity, _ labels: Labels) throws -> [String: JSON] {
    var values: [String: JSON] = [:]
    for property in entity.attributes + entity.relationships.filter({ $0.kind == .toOne }) {
      values[property.name] = ValueForm.json(try object[property.name]) { labels.label(of: $0) }
    }
    return values
  }

  /// How the store finds the objects of a fetch, their number, and the time that counting takes.
  func plan(_ request: PageRequest) throws -> JSON {
    let text = try FetchText(try request.required("fetch"))
    let entity = try text.entity(among: store.entities)
    let context = try context(request, text.moment)
    func plan<Model: PersistentModel>(_ model: Model.Type) throws -> JSON {
      let fetch = try text.fetch(model)
      let explanation = try context.explain(fetch)
      let began = ContinuousClock.now
      let count = try context.count(fetch)
      return .object([
        "text": .text(text.description), "entity": .text(entity.name), "plan": .text("\(explanation)"),
        "count": .int(count), "milliseconds": .double((ContinuousClock.now - began).milliseconds),
      ])
    }
    return try plan(entity.model)
  }
}

extension Duration {
  fileprivate var milliseconds: Double { Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15 }
}
