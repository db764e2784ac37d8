import RepriseCore
import RepriseObjectModel

/// An object of a file, checked against the entities of the store.
struct ImportedObject {
  let id: AnyObjectID
  let layout: ExchangeLayout
  /// The values that the file has. A property that the file lacks keeps its value.
  var values: [(property: ExchangeLayout.Single, value: PropertyValue)] = []
  var members: [(list: ExchangeLayout.Many, members: [AnyObjectID])] = []
  let place: ImportError.Place

  init(_ id: AnyObjectID, _ layout: ExchangeLayout, at place: ImportError.Place) {
    (self.id, self.layout, self.place) = (id, layout, place)
  }

  /// The number of changes that a save of the object may have.
  var weight: Int { 1 + members.reduce(0) { $0 + $1.members.count } }

  /// The bytes of its texts and other long values.
  var byteCount: Int {
    values.reduce(0) { count, each in
      switch each.value {
      case .string(let text): count + text.utf8.count
      case .bytes(let bytes): count + bytes.count
      default: count
      }
    }
  }

  /// Adds a value or a list of members.
  mutating func add(_ name: String, _ json: JSONText) throws {
    if let property = layout.single(name) {
      values.append((property, try value(json, property)))
    } else if let list = layout.list(name) {
      members.append((list, try ids(json, list)))
    } else {
      throw ImportError.unknownProperty(place, name, entity: layout.entity.name, known: layout.names)
    }
  }

  private func value(_ json: JSONText, _ property: ExchangeLayout.Single) throws -> PropertyValue {
    guard let kind = property.kind else {
      if case .null = json { return .null }
      guard let target = property.target, let id = Self.id(json, of: target) else {
        throw mismatch(property.name, "an object of \(PlainText.line(property.target?.name ?? "")), or null", json)
      }
      return .reference(id)
    }
    do { return try ExchangeValue.value(json, of: kind, isOptional: property.isOptional) } catch {
      throw mismatch(property.name, error.expected, json)
    }
  }

  private func ids(_ json: JSONText, _ list: ExchangeLayout.Many) throws -> [AnyObjectID] {
    let expected = "a list of objects of \(PlainText.line(list.target.name))"
    guard let items = json.list else { throw mismatch(list.name, expected, json) }
    var (ids, seen): ([AnyObjectID], Set<UniqueID>) = ([], [])
    for item in items {
      guard let id = Self.id(item, of: list.target) else { throw mismatch(list.name, expected, item) }
      guard seen.insert(id.uuid).inserted else { throw mismatch(list.name, expected + " without repetitions", item) }
      ids.append(id)
    }
    return ids
  }

  private func mismatch(_ property: String, _ expected: String, _ json: JSONText) -> ImportError {
    .wrongValue(place, property: property, expected: expected, found: PlainText.cut(json.line, to: 60))
  }

  /// The ID in `Entity/UUID`. `nil` for an object of another entity.
  static func id(_ json: JSONText, of entity: Entity) -> AnyObjectID? {
    guard let text = json.text, let parts = parts(text), entity.isEverNamed(parts.entity) else { return nil }
    return AnyObjectID(entity.interned, parts.uuid)
  }

  /// The entity and the UUID. The name may have slashes.
  static func parts(_ text: String) -> (entity: String, uuid: UniqueID)? {
    guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")),
      let uuid = UniqueID(String(text[slash...].dropFirst()))
    else { return nil }
    return (String(text[..<slash]), uuid)
  }
}
