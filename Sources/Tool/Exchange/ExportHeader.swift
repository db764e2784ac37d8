import RepriseDynamic
import RepriseObjectModel

/// The first line of an export in JSON: the version of the format, and the entities with their properties.
struct ExportHeader: Equatable {
  static let key = "reprise-export"
  static let version = 1
  /// The last line, so that a reader notices a file without its end.
  static let end = JSONText.members([.init("end", .bool(true))])

  let entities: [EntityDescription]

  init(_ entities: [EntityDescription]) { self.entities = entities }

  var json: JSONText {
    .members([
      .init(Self.key, .number("\(Self.version)")),
      .init(
        "entities",
        .list(
          entities.map { entity in
            .members([.init("name", .text(entity.name)), .init("properties", .list(entity.properties.map(Self.json)))])
          })),
    ])
  }

  private static func json(_ property: PropertyDescription) -> JSONText {
    var members: [JSONText.Member] = property.name.isEmpty ? [] : [.init("name", .text(property.name))]
    func add(_ key: String, _ value: JSONText?) { if let value { members.append(.init(key, value)) } }
    func flag(_ key: String, _ isSet: Bool) { if isSet { add(key, .bool(true)) } }
    switch property.role {
    case .attribute(let kind, let isOptional, let value, let isIndexed, let isDerived):
      add("kind", .text("\(kind)"))
      if value != (isOptional ? .null : kind.zero) { add("default", ExchangeValue.json(value)) }
      flag("isOptional", isOptional)
      flag("isIndexed", isIndexed)
      flag("isDerived", isDerived)
    case .toOne(let target, let inverse, let rule):
      add("kind", .text("toOne"))
      relationship(target, inverse, rule)
    case .toMany(let target, let inverse, let rule, let isOrdered):
      add("kind", .text("toMany"))
      relationship(target, inverse, rule)
      flag("isOrdered", isOrdered)
    case .index(let columns, let isUnique, let nilsAreEqual, let keepsHistory):
      add("kind", .text(isUnique ? "unique" : "index"))
      add(
        "columns",
        .list(
          columns.map { column in
            .list([.text(column.name)] + (column.collation == .binary ? [] : [.text(column.collation.name)]))
          }))
      flag("nilsAreEqual", nilsAreEqual)
      flag("keepsHistory", keepsHistory)
    case .words(let attribute):
      add("kind", .text("words"))
      add("attribute", .text(attribute))
    }
    func relationship(_ target: String, _ inverse: String?, _ rule: DeleteRule) {
      add("target", .text(target))
      add("inverse", inverse.map { .text($0) })
      if rule != .nullify { add("deleteRule", .text("\(rule)")) }
    }
    return .members(members)
  }
}

// MARK: Reading

extension ExportHeader {
  /// A header that is not as an export writes it.
  struct Failure: Error { let reason: String }

  /// The version of the format. `nil` if the line is no header.
  static func version(of json: JSONText) -> Int? {
    if case .number(let digits)? = json[key] { Int(digits) } else { nil }
  }

  init(_ json: JSONText) throws(Failure) {
    guard let list = json["entities"]?.list else { throw Failure(reason: "it has no list 'entities'") }
    var entities: [EntityDescription] = []
    for entity in list {
      guard let name = entity["name"]?.text, !name.isEmpty, let properties = entity["properties"]?.list else {
        throw Failure(reason: "an entity has no name, or no list 'properties'")
      }
      let place = PlainText.line(name)
      if entities.contains(where: { $0.name == name }) { throw Failure(reason: "the entity '\(place)' occurs twice") }
      var made: [PropertyDescription] = []
      for property in properties {
        let property = try Self.property(property, of: place)
        if !property.name.isEmpty, made.contains(where: { $0.name == property.name }) {
          throw Failure(reason: "'\(place)' has the property '\(PlainText.line(property.name))' twice")
        }
        made.append(property)
      }
      entities.append(EntityDescription(name, made))
    }
    self.init(entities)
    try requireNames()
  }

  private static func property(_ json: JSONText, of entity: String) throws(Failure) -> PropertyDescription {
    func failure(_ reason: String) -> Failure { Failure(reason: "a property of '\(entity)' \(reason)") }
    func flag(_ key: String) -> Bool { json[key]?.bool ?? false }
    let name = json["name"]?.text ?? ""
    guard let kind = json["kind"]?.text else { throw failure("has no kind") }
    func rule() throws(Failure) -> DeleteRule {
      guard let text = json["deleteRule"] else { return .nullify }
      let rules: [DeleteRule] = [.nullify, .cascade, .deny, .noAction]
      guard let rule = rules.first(where: { .text("\($0)") == text }) else {
        throw failure("has an unknown delete rule")
      }
      return rule
    }
    switch kind {
    case "index", "unique":
      var columns: [IndexColumn] = []
      for column in json["columns"]?.list ?? [] {
        guard let parts = column.list, let name = parts.first?.text, parts.count <= 2,
          let collation = parts.count == 1 ? .binary : parts[1].text.flatMap({ Collation(name: $0) })
        else { throw failure("has an unknown column or collation") }
        columns.append(IndexColumn(name, collation))
      }
      return PropertyDescription(
        "",
        .index(
          columns, isUnique: kind == "unique", nilsAreEqual: flag("nilsAreEqual"), keepsHistory: flag("keepsHistory")))
    case "words": return PropertyDescription("", .words(json["attribute"]?.text ?? ""))
    case "toOne", "toMany":
      guard !name.isEmpty, let target = json["target"]?.text else { throw failure("has no name, or no target") }
      let inverse = json["inverse"]?.text
      return try PropertyDescription(
        name,
        kind == "toOne"
          ? .toOne(target, inverse: inverse, rule())
          : .toMany(target, inverse: inverse, rule(), isOrdered: flag("isOrdered")))
    default:
      guard let found = AttributeKind.allCases.first(where: { "\($0)" == kind }) else {
        throw failure("has the unknown kind '\(PlainText.line(kind))'")
      }
      if name.isEmpty { throw failure("has no name") }
      let isOptional = flag("isOptional")
      var value = isOptional ? PropertyValue.null : found.zero
      if let json = json["default"] {
        do { value = try ExchangeValue.value(json, of: found, isOptional: isOptional) } catch {
          throw failure("has a default that is not \(error.expected)")
        }
      }
      return PropertyDescription(
        name,
        .attribute(
          found, isOptional: isOptional, default: value, isIndexed: flag("isIndexed"), isDerived: flag("isDerived")))
    }
  }

  /// Names that lead nowhere would make a schema that lacks a property without a word.
  private func requireNames() throws(Failure) {
    let names = Set(entities.map(\.name))
    for entity in entities {
      let properties = Set(entity.properties.map(\.name)).subtracting([""])
      func require(_ isKnown: Bool, _ name: String) throws(Failure) {
        if isKnown { return }
        let (entity, name) = (PlainText.line(entity.name), PlainText.line(name))
        throw Failure(reason: "a property of '\(entity)' refers to '\(name)', which the header lacks")
      }
      for property in entity.properties {
        switch property.role {
        case .attribute: break
        case .toOne(let target, _, _), .toMany(let target, _, _, _): try require(names.contains(target), target)
        case .index(let columns, _, _, _):
          try require(!columns.isEmpty, "")
          for column in columns { try require(properties.contains(column.name), column.name) }
        case .words(let attribute): try require(properties.contains(attribute), attribute)
        }
      }
    }
  }
}
