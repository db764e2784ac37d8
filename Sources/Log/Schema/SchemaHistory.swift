import RepriseObjectModel

/// Earlier facts about a stored schema: former names, formerly required attributes, the version that migrations have
/// reached, and their effects on objects. It follows from the log, and `meta` has a copy beside the schema.
package struct SchemaHistory {
  private var version: UInt32 = 0
  private var oldestVersion: UInt32 = 0
  private var entries: [Entry] = []
  private var descents: [Descent] = []

  private struct Entry {
    let kind: Kind
    let number: UInt32
    let names: [String]
  }

  private enum Kind: UInt8 {
    case entity = 1
    case property = 2
    /// A property that was a required attribute. It has no names here.
    case widened = 3
  }

  init(of schema: StoredSchema) {
    version = schema.version
    oldestVersion = schema.oldestVersion
    descents = schema.descents
    for entity in schema.entities {
      add(.entity, entity.number, entity.formerNames)
      for property in entity.properties {
        add(.property, property.number, property.formerNames)
        if property.wasRequired { entries.append(Entry(kind: .widened, number: property.number, names: [])) }
      }
    }
  }

  private mutating func add(_ kind: Kind, _ number: UInt32, _ names: [String]) {
    if !names.isEmpty { entries.append(Entry(kind: kind, number: number, names: names)) }
  }

  package func isOlder(than other: Self?) -> Bool { other.map { version < $0.version } ?? false }

  func encoded() -> [UInt8] {
    var writer = ByteWriter.sealing(reserving: 64)
    writer.varint(UInt64(version))
    writer.varint(UInt64(oldestVersion))
    writer.varint(entries.count)
    for entry in entries {
      writer.append(entry.kind.rawValue)
      writer.varint(UInt64(entry.number))
      writer.varint(entry.names.count)
      for name in entry.names { writer.string(name) }
    }
    writer.varint(descents.count)
    for descent in descents { writer.descent(descent) }
    return writer.sealed()
  }

  package init(encoded bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    var reader = try ByteReader(sealed: bytes)
    version = try reader.number("a version of the schema")
    oldestVersion = try reader.number("an oldest version")
    for _ in 0..<(try reader.count(of: 3, "the number of former names")) {
      guard let kind = Kind(rawValue: try reader.byte("the kind of a former name")) else {
        throw reader.fail("the kind of a former name")
      }
      let number = try reader.schemaNumber("the number of an entity or a property")
      var names: [String] = []
      for _ in 0..<(try reader.count(of: 1, "a number of names")) { names.append(try reader.string("a former name")) }
      entries.append(Entry(kind: kind, number: number, names: names))
    }
    for _ in 0..<(try reader.count(of: 5, "the number of mappings")) { descents.append(try reader.descent()) }
    try reader.expectEnd("the end of the history")
  }

  fileprivate func apply(to schema: inout StoredSchema) {
    schema.version = version
    schema.oldestVersion = oldestVersion
    schema.descents = descents
    for entry in entries {
      for place in schema.entities.indices {
        switch entry.kind {
        case .entity where schema.entities[place].number == entry.number:
          schema.entities[place].formerNames = entry.names
        case .entity: continue
        case .property, .widened:
          guard let property = schema.entities[place].properties.firstIndex(where: { $0.number == entry.number }) else {
            continue
          }
          if entry.kind == .widened {
            schema.entities[place].properties[property].wasRequired = true
          } else {
            schema.entities[place].properties[property].formerNames = entry.names
          }
        }
      }
    }
  }
}

extension StoredSchema {
  package mutating func take(_ history: SchemaHistory) { history.apply(to: &self) }
}
