import RepriseCore

/// An object: its values, the transactions behind them, and its history.
package struct ObjectReport {
  let context: ObjectContext
  let id: AnyObjectID

  package init(_ id: AnyObjectID, in context: ObjectContext) { (self.id, self.context) = (id, context) }

  private struct ObjectJSON: Encodable {
    let object: String
    let values: [String: ValueJSON]
    let members: [String: [String]]
  }

  private func object() throws -> any PersistentModel {
    guard let object = try context.find(id) else { throw ToolError.noObject(id.description) }
    return object
  }

  /// Writes the values of all properties.
  package func write(to output: Output) throws {
    let object = try object()
    let entity = type(of: object).entity
    let toMany = entity.relationships.filter { $0.kind == .toMany }
    let single = entity.attributes + entity.relationships.filter { $0.kind == .toOne }
    if output.isJSON {
      var values: [String: ValueJSON] = [:]
      for property in single { values[property.name] = ValueJSON(value: try object[property.name]) }
      var members: [String: [String]] = [:]
      for property in toMany { members[property.name] = try object.members(of: property.name).map(\.description) }
      return try output.json(ObjectJSON(object: id.description, values: values, members: members))
    }
    try output.line(output.style.ink(.heading, PlainText.line(id.description)))
    for property in single {
      try output.line("  \(PlainText.line(property.name)): \(ValueText.line(try object[property.name]))")
    }
    for property in toMany {
      let members = try object.members(of: property.name)
      try output.line(
        "  \(PlainText.line(property.name)): \(members.count == 1 ? "1 object" : "\(members.count) objects")")
      for member in members.prefix(20) { try output.line("    \(PlainText.line(member.description))") }
      if members.count > 20 { try output.line("    … and \(members.count - 20) more") }
    }
  }

  private struct BlameJSON: Encodable {
    let property: String
    let value: ValueJSON
    let position: UInt64?
    let time: String?
    let author: String?
    let name: String?
  }

  /// Writes each property with the transaction that changed it last.
  package func writeBlame(to output: Output) throws {
    let object = try object()
    func blame<Model: PersistentModel>(_ object: Model) throws -> [String: LoggedTransaction] {
      try context.blame(for: object)
    }
    let blame = try blame(object)
    let entity = type(of: object).entity
    var table = Table([
      ("property", .left), ("value", .left), ("transaction", .right), ("time", .left), ("author", .left),
      ("name", .left),
    ])
    for property in entity.attributes + entity.relationships.filter({ $0.kind == .toOne }) {
      let (value, last) = (try object[property.name], blame[property.name])
      if output.isJSON {
        try output.json(
          BlameJSON(
            property: property.name, value: ValueJSON(value: value), position: last?.position.number,
            time: last.map { ValueText.time($0.microseconds) }, author: last?.author, name: last?.name))
      }
      table.add([
        property.name, ValueText.line(value), last.map { "@\($0.position)" } ?? "",
        last.map { ValueText.time($0.microseconds) } ?? "", last?.author ?? "", last?.name ?? "",
      ])
    }
    if !output.isJSON { try output.lines(table) }
  }

  /// Writes the transactions that changed the object, newest first, with its changes.
  ///
  /// - Parameter property: Only changes of this property.
  package func writeHistory(limit: Int?, property: String? = nil, to output: Output) throws {
    if let property, let entity = context.store.entities.first(where: { $0.name == id.entity }),
      entity.property(named: property) == nil
    {
      throw ToolError.noProperty(
        property, entity: entity.name, known: (entity.attributes + entity.relationships).map(\.name))
    }
    var count = 0
    for transaction in try context.history(of: id, limit: property == nil ? limit : nil) where count < limit ?? .max {
      let text = TransactionText(transaction, of: context.store) { change in
        change.object == id && (property == nil || change.properties.contains { $0.property == property })
      }
      if text.changes.isEmpty { continue }
      count += 1
      if output.isJSON {
        try output.json(text)
        continue
      }
      try output.line(text.title(output.style))
      for change in text.changes { for line in change.lines(output.style) { try output.line(line) } }
    }
  }
}
