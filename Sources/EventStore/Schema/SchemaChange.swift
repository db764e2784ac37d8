import RepriseObjectModel

/// An event of a schema transaction: gives an entity or a property, by number, its name and role.
///
/// The same event declares new ones and renames or changes existing ones. Nothing is ever removed.
package enum SchemaChange: Hashable, Sendable {
  case entity(number: UInt32, name: String)
  case property(entity: UInt32, StoredProperty)
}

extension StoredSchema {
  /// The events that turn this schema into `next`; none if only the revision differs.
  package func changes(to next: StoredSchema) -> [SchemaChange] {
    var changes: [SchemaChange] = []
    for entity in next.entities {
      let known = self.entity(number: entity.number)
      if known?.name != entity.name { changes.append(.entity(number: entity.number, name: entity.name)) }
      for property in entity.properties where known?.properties.contains(property) != true {
        changes.append(.property(entity: entity.number, property))
      }
    }
    return changes
  }

  /// Applies one event of a schema transaction. Throws for a property of an unknown entity.
  package mutating func apply(_ change: SchemaChange) throws(MalformedBytes) {
    switch change {
    case .entity(let number, let name):
      if let index = entities.firstIndex(where: { $0.number >= number }) {
        if entities[index].number == number {
          entities[index].name = name
        } else {
          entities.insert(StoredEntity(number: number, name: name, properties: []), at: index)
        }
      } else {
        entities.append(StoredEntity(number: number, name: name, properties: []))
      }
    case .property(let number, let property):
      guard let index = entities.firstIndex(where: { $0.number == number }) else {
        throw MalformedBytes("a property of a known entity", at: 0)
      }
      entities[index].put(property)
    }
  }
}

extension StoredEntity {
  fileprivate mutating func put(_ property: StoredProperty) {
    guard let index = properties.firstIndex(where: { $0.number >= property.number }) else {
      properties.append(property)
      return
    }
    if properties[index].number == property.number {
      properties[index] = property
    } else {
      properties.insert(property, at: index)
    }
  }
}

extension ByteWriter {
  mutating func schemaChange(_ change: SchemaChange) {
    switch change {
    case .entity(let number, let name):
      append(1)
      varint(UInt64(number))
      string(name)
    case .property(let entity, let property):
      append(2)
      varint(UInt64(entity))
      self.property(property)
    }
  }
}

extension ByteReader {
  mutating func schemaChange() throws(MalformedBytes) -> SchemaChange {
    switch try byte("a kind of change of the schema") {
    case 1: return .entity(number: try schemaNumber("an entity's number"), name: try string("an entity's name"))
    case 2: return .property(entity: try schemaNumber("an entity's number"), try property())
    default:
      offset -= 1
      throw fail("a kind of change of the schema")
    }
  }
}
