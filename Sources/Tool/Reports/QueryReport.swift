import RepriseCore
import RepriseDynamic

/// The objects that a fetch finds, as a text describes it.
package struct QueryReport {
  /// The part of the result that is shown.
  package enum Part: Sendable {
    case objects
    case count
    /// How the store found the objects.
    case plan
  }

  private let text: FetchText
  package var part = Part.objects
  /// The position to read at, if the text has none.
  package var position: Position?
  /// The most rows in a table. A table has all its rows in memory.
  package var tableLimit = 1_000

  /// Whether the text has a position or a time.
  package var hasMoment: Bool { text.moment != nil }

  package init(_ text: String) throws { self.text = try FetchText(text) }

  private struct RowJSON: Encodable {
    let object: String
    let values: [String: ValueJSON]
  }

  @MainActor package func write(_ store: Store, to output: Output) throws {
    let context = try Places(store).context(at: text.moment, or: position)
    let entity = try text.entity(among: store.entities)
    func write<Model: PersistentModel>(_ model: Model.Type) throws {
      let fetch = try text.fetch(model)
      switch part {
      case .count:
        let count = try context.count(fetch)
        if output.isJSON { try output.json(["count": count]) } else { try output.line("\(count)") }
      case .plan: try PlanText(context.explain(fetch)).write(to: output)
      case .objects: try self.write(context, fetch, entity, to: output)
      }
    }
    try write(entity.model)
  }

  private func write<Model: PersistentModel>(
    _ context: ObjectContext, _ fetch: Fetch<Model>, _ entity: Entity, to output: Output
  ) throws {
    let properties = entity.attributes + entity.relationships.filter { $0.kind == .toOne }
    if output.isJSON {
      for object in try context.fetch(fetch) {
        var values: [String: ValueJSON] = [:]
        for property in properties { values[property.name] = ValueJSON(value: try object[property.name]) }
        try output.json(RowJSON(object: object.id.any.description, values: values))
      }
      return
    }
    let count = try context.count(fetch)
    var table = Table(
      [("id", .left)] + properties.map { ($0.name, $0.isNumber ? .right : .left) }, limit: output.style.columns)
    for object in try context.fetch(count > tableLimit ? fetch.limit(tableLimit) : fetch) {
      table.add(try ["\(object.id.uuid)"] + properties.map { ValueText.cell(try object[$0.name]) })
    }
    try output.lines(table)
    if count > tableLimit {
      try output.line("… and \(count - tableLimit) more. Add a limit, or use --json.")
    }
  }
}

extension Property {
  fileprivate var isNumber: Bool {
    switch kind {
    case .attribute(.int), .attribute(.unsigned), .attribute(.double): true
    default: false
    }
  }
}

extension ValueText {
  /// A value in a table: texts without quotation marks, and nothing for nil.
  static func cell(_ value: PropertyValue) -> String {
    switch value {
    case .null: ""
    case .string(let text): PlainText.line(text)
    default: line(value)
    }
  }
}
