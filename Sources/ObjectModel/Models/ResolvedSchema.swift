/// A validated schema, with each relationship tied to its inverse.
package struct ResolvedSchema: Sendable {
  package let entities: [Entity]
  /// The version of the program that the models are of: that of its migrations, 0 without them.
  package var version = 0
  package let byName: EntityTable<Entity>
  /// All relationships, entity by entity.
  private let relationships: [Relationship]
  /// By entity: where its properties begin in `ends`.
  private let starts: EntityTable<Int>
  /// By property: the place of the relationship, -1 for an attribute.
  private let ends: [Int]

  /// One end of a relationship, by slot.
  ///
  /// An edge is stored once: in the object at the end that `stores`, as a reference. The other end reads an index. Of a
  /// to-one and a to-many the to-one stores; of two to-ones the one that names its inverse.
  // A class: arrays of objects share their metadata, which exists when a process starts.
  package final class Relationship: Sendable {
    package let slot: Int
    package let isToMany: Bool
    package let deleteRule: DeleteRule
    package let target: Entity
    package let inverseSlot: Int
    package let inverseIsToMany: Bool
    package let stores: Bool

    fileprivate init(
      slot: Int, isToMany: Bool, deleteRule: DeleteRule, target: Entity, inverseSlot: Int, inverseIsToMany: Bool,
      stores: Bool
    ) {
      self.slot = slot
      self.isToMany = isToMany
      self.deleteRule = deleteRule
      self.target = target
      self.inverseSlot = inverseSlot
      self.inverseIsToMany = inverseIsToMany
      self.stores = stores
    }
  }

  package init(_ schema: Schema) throws(SchemaError) {
    entities = schema.entities
    var byName = EntityTable<Entity>()
    for entity in schema.entities {
      guard !entity.name.isEmpty else { throw .emptyName(entity: entity.name) }
      guard byName[entity.interned] == nil else { throw .duplicateEntity(entity.name) }
      byName.set(entity.interned, entity)
      for (slot, property) in entity.properties.enumerated()
      where entity.properties.firstIndex(where: { $0.name == property.name }) != slot {
        throw .duplicateProperty(entity: entity.name, property: property.name)
      }
      guard !entity.properties.contains(where: \.name.isEmpty) else { throw .emptyName(entity: entity.name) }
      if let property = entity.properties.first(where: { $0.attribute?.isDefaultReadable == false }) {
        throw .missingDefault(entity: entity.name, property: property.name)
      }
      for property in entity.properties {
        guard let attribute = property.attribute, let rule = attribute.mergeRule else { continue }
        if !rule.isFor(attribute.kind) { throw .mergeRule(rule, entity: entity.name, property: property.name) }
      }
    }
    self.byName = byName
    try Self.checkFormerNames(of: schema.entities)
    var relationships: [Relationship] = []
    var starts = EntityTable<Int>()
    var ends: [Int] = []
    for entity in schema.entities {
      starts.set(entity.interned, ends.count)
      for (slot, property) in entity.properties.enumerated() {
        guard let description = property.relationship else {
          ends.append(-1)
          continue
        }
        ends.append(relationships.count)
        relationships.append(try Self.resolve(slot, of: entity, description, in: byName))
      }
    }
    self.relationships = relationships
    self.starts = starts
    self.ends = ends
    for entity in schema.entities where !entity.indexes.isEmpty { try check(indexesOf: entity) }
  }

  /// Two may have had one name in turn, but none has it twice.
  private static func checkFormerNames(of entities: [Entity]) throws(SchemaError) {
    for entity in entities {
      var names: Set<String> = [entity.name]
      for name in entity.formerNames where !names.insert(name).inserted {
        throw .repeatedFormerName(name, entity: entity.name, property: nil)
      }
      for property in entity.properties where !property.formerNames.isEmpty {
        names = [property.name]
        for name in property.formerNames where !names.insert(name).inserted {
          throw .repeatedFormerName(name, entity: entity.name, property: property.name)
        }
      }
    }
  }

  package func relationship(_ slot: Int, of entity: Entity) -> Relationship? {
    guard let start = starts[entity.interned], ends[start + slot] >= 0 else { return nil }
    return relationships[ends[start + slot]]
  }

  /// The entity that has this name or, if none has, that had it.
  package func entity(everNamed name: String) -> Entity? {
    entities.first { $0.name == name } ?? entities.first { $0.formerNames.contains(name) }
  }

  /// A value from an archive, in which a reference may have the name that its entity had at the time.
  package func underPresentName(_ value: PropertyValue) -> PropertyValue {
    guard let id = value.reference, byName[id.name] == nil, let entity = entity(everNamed: id.entity) else {
      return value
    }
    return .reference(AnyObjectID(entity.interned, id.uuid))
  }

  /// All relationships of an entity.
  package func relationships(of entity: Entity) -> [Relationship] {
    entity.properties.indices.compactMap { relationship($0, of: entity) }
  }

  /// The objects that go with a deleted one by the references that it stores. By the other relationships those go that
  /// refer to it.
  package func cascadeTargets(
    of entity: Entity, _ values: ContiguousArray<PropertyValue>
  ) -> [AnyObjectID] {
    relationships(of: entity).compactMap { $0.stores && $0.deleteRule == .cascade ? values[$0.slot].reference : nil }
  }

  /// The derived end of a one-to-one that is stored in `slot`, where only one object may be found; `nil` of any other
  /// property.
  package func derivedEnd(ofOneToOne slot: Int, of entity: Entity) -> Relationship? {
    guard let end = relationship(slot, of: entity), end.stores, !end.inverseIsToMany else { return nil }
    return relationship(end.inverseSlot, of: end.target)
  }

  private static func resolve(
    _ slot: Int, of entity: Entity, _ description: Property.RelationshipDescription, in byName: EntityTable<Entity>
  ) throws(SchemaError) -> Relationship {
    let property = entity.properties[slot]
    let target = description.target.entity
    guard byName[target.interned] === target else {
      throw .missingTarget(entity: entity.name, property: property.name, target: target.name)
    }
    let named = description.inverse
    let candidates = target.properties.indices.filter { other in
      let back = target.properties[other]
      guard let end = back.relationship, end.target.entity === entity, !(target === entity && other == slot) else {
        return false
      }
      return named.map { $0 == back.name } ?? (end.inverse == property.name)
    }
    guard let inverse = candidates.first, candidates.count == 1 else {
      throw .missingInverse(entity: entity.name, property: property.name, target: target.name, inverse: named)
    }
    let back = target.properties[inverse]
    if let claimed = back.relationship?.inverse, claimed != property.name {
      throw .missingInverse(entity: entity.name, property: property.name, target: target.name, inverse: named)
    }
    if property.isToMany && back.isToMany {
      throw .manyToMany(entity: entity.name, property: property.name, inverse: back.name)
    }
    let stores: Bool
    if property.isToMany || back.isToMany {
      stores = !property.isToMany
    } else if back.relationship?.inverse != nil && named != nil {
      // Both name each other, so any choice will do that is the same from either end.
      stores = (entity.name, property.name) <= (target.name, back.name)
    } else {
      stores = named != nil
    }
    return Relationship(
      slot: slot, isToMany: property.isToMany, deleteRule: description.deleteRule, target: target, inverseSlot: inverse,
      inverseIsToMany: back.isToMany, stores: stores)
  }
}
