import RepriseObjectModel

/// An event of a schema transaction. There are three kinds. An event gives an entity or a property its name and role,
/// by its number. Or it records the version that migrations have reached, and the oldest version that may continue. Or
/// it records the effect of a migration on objects.
///
/// The same kind of event declares a new entity or property, and renames or changes an existing one. No event removes
/// one.
package enum SchemaChange: Equatable, Sendable {
  case entity(number: UInt32, name: String)
  case property(entity: UInt32, StoredProperty)
  case version(UInt32, oldest: UInt32)
  case descent(Descent)
}

extension StoredSchema {
  /// The events that turn this schema into `next`. None if only the revision differs.
  package func changes(to next: StoredSchema) -> [SchemaChange] {
    var changes: [SchemaChange] = []
    for entity in next.entities {
      let known = self.entity(number: entity.number)
      if known?.name != entity.name { changes.append(.entity(number: entity.number, name: entity.name)) }
      for property in entity.properties where known?.property(number: property.number)?.isDeclared(as: property) != true
      {
        changes.append(.property(entity: entity.number, property))
      }
    }
    if (version, oldestVersion) != (next.version, next.oldestVersion) {
      changes.append(.version(next.version, oldest: next.oldestVersion))
    }
    changes += next.descents.dropFirst(descents.count).map { .descent($0) }
    return changes
  }

  /// Applies one event of a schema transaction. Throws for a property of an unknown entity.
  package mutating func apply(_ change: SchemaChange) throws(MalformedBytes) {
    switch change {
    case .entity(let number, let name):
      if let index = entities.firstIndex(where: { $0.number >= number }) {
        if entities[index].number == number {
          entities[index].rename(to: name)
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
    case .version(let number, let oldest): (version, oldestVersion) = (number, oldest)
    case .descent(let descent): descents.append(descent)
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
      let before = properties[index]
      properties[index] = property
      properties[index].name = before.name
      properties[index].formerNames = before.formerNames
      properties[index].wasRequired = before.wasRequired || property.widens(before)
      properties[index].rename(to: property.name)
    } else {
      properties.insert(property, at: index)
    }
  }
}

extension StoredProperty {
  /// Whether the property is an attribute that becomes optional.
  func widens(_ before: StoredProperty) -> Bool {
    if case .attribute(_, isOptional: false) = before.role { isOptional } else { false }
  }

  /// Whether an event that declares `other` changes nothing.
  fileprivate func isDeclared(as other: StoredProperty) -> Bool {
    name == other.name && role == other.role && index == other.index && defaultValue == other.defaultValue
      && keepsHistory == other.keepsHistory
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
    case .version(let number, let oldest):
      append(3)
      varint(UInt64(number))
      varint(UInt64(oldest))
    case .descent(let descent):
      append(4)
      self.descent(descent)
    }
  }
}

extension ByteReader {
  mutating func schemaChange() throws(MalformedBytes) -> SchemaChange {
    switch try byte("a kind of change of the schema") {
    case 1: return .entity(number: try schemaNumber("an entity's number"), name: try string("an entity's name"))
    case 2: return .property(entity: try schemaNumber("an entity's number"), try property())
    case 3: return .version(try number("a version"), oldest: try number("an oldest version"))
    case 4: return .descent(try descent())
    default:
      offset -= 1
      throw fail("a kind of change of the schema")
    }
  }
}
