/// A validated schema, with each relationship tied to its inverse.
package struct ResolvedSchema: Sendable {
  /// The entities of the models, then the links of many-to-many relationships.
  package let entities: [Entity]
  /// The version of the program's models: the version of its migrations, and 0 without them.
  package var version = 0
  package let byName: EntityTable<Entity>
  /// The indexes that are not built yet. Fetches cannot use them.
  package var unreadyIndexes: [UnreadyIndex] = []
  /// All relationships, entity by entity.
  private let relationships: [Relationship]
  /// The index in `ends` of the first property of each entity.
  private let starts: EntityTable<Int>
  /// The index in `relationships` for each property, or -1 for an attribute.
  private let ends: [Int]

  /// An index that is being built.
  // A class: arrays of objects share their metadata, which exists when a process starts.
  package final class UnreadyIndex: Sendable {
    package let entity: Entity
    package let slot: Int

    package init(_ entity: Entity, slot: Int) {
      self.entity = entity
      self.slot = slot
    }
  }

  /// The schema without models.
  package init() {
    entities = []
    byName = EntityTable()
    relationships = []
    starts = EntityTable()
    ends = []
  }

  /// - Parameter owners: The owners of many-to-many relationships that a store has recorded. For all others, the names
  ///   decide.
  package init(_ schema: Schema, owners: [Owner] = []) throws(SchemaError) {
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
      for slot in entity.ruledSlots {
        let property = entity.properties[slot]
        if let reason = property.attribute?.rules.lazy.compactMap(\.problem).first {
          throw .invalidRule(entity: entity.name, property: property.name, reason: reason)
        }
      }
      for property in entity.properties {
        guard let attribute = property.attribute, let rule = attribute.mergeRule else { continue }
        if !rule.isFor(attribute.type) { throw .mergeRule(rule, entity: entity.name, property: property.name) }
      }
    }
    let entities = try Self.withLinks(schema.entities, owners, &byName)
    self.entities = entities
    self.byName = byName
    try Self.checkFormerNames(of: schema.entities)
    var relationships: [Relationship] = []
    var starts = EntityTable<Int>()
    var ends: [Int] = []
    for entity in entities {
      starts.set(entity.interned, ends.count)
      for (slot, property) in entity.properties.enumerated() {
        guard let description = property.relationship else {
          ends.append(-1)
          continue
        }
        ends.append(relationships.count)
        relationships.append(try Self.resolve(slot, of: entity, description, owners, in: byName))
      }
    }
    self.relationships = relationships
    self.starts = starts
    self.ends = ends
    for entity in schema.entities where !entity.indexes.isEmpty { try check(indexesOf: entity) }
  }

  /// Checks that no former name is repeated within an entity or property. Two entities may share a former name, because
  /// they may have had it in turn.
  private static func checkFormerNames(of entities: [Entity]) throws(SchemaError) {
    for entity in entities {
      if let name = repeated(entity.formerNames, beside: entity.name) {
        throw .repeatedFormerName(name, entity: entity.name, property: nil)
      }
      for property in entity.properties {
        guard let name = repeated(property.formerNames, beside: property.name) else { continue }
        throw .repeatedFormerName(name, entity: entity.name, property: property.name)
      }
    }
  }

  /// The first former name that is also the present one, or an earlier one in the list.
  private static func repeated(_ formerNames: [String], beside name: String) -> String? {
    // There are few names, so each is compared with all before it.
    formerNames.indices.first { formerNames[$0] == name || formerNames[..<$0].contains(formerNames[$0]) }
      .map { formerNames[$0] }
  }

  /// The slots of the indexes of an entity that are not built yet.
  package func unreadyIndexes(of entity: Entity) -> [Int] {
    // Usually, all indexes are built.
    unreadyIndexes.isEmpty ? [] : unreadyIndexes.filter { $0.entity === entity }.map(\.slot)
  }

  package func relationship(_ slot: Int, of entity: Entity) -> Relationship? {
    guard let start = starts[entity.interned], ends[start + slot] >= 0 else { return nil }
    return relationships[ends[start + slot]]
  }

  /// The entity with this name or, if there is none, with this former name.
  package func entity(everNamed name: String) -> Entity? {
    entities.first { $0.name == name } ?? entities.first { $0.formerNames.contains(name) }
  }

  /// Replaces a former name of an entity by the present name, if the value is a reference. A value from an archive may
  /// have a former name.
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

  /// Whether saves must check relationships: some have limits, or delete rules that leave references.
  package var hasRelationshipRules: Bool {
    relationships.contains { $0.limits != 0...Int.max || $0.deleteRule.leavesReferences }
  }

  /// The objects that are deleted together with an object because of references that the object stores. Other
  /// relationships delete the objects that refer to it.
  package func cascadeTargets(
    of entity: Entity, _ values: ContiguousArray<PropertyValue>
  ) -> [AnyObjectID] {
    relationships(of: entity).compactMap { $0.stores && $0.deleteRule == .cascade ? values[$0.slot].reference : nil }
  }

  /// The slot of the reference whose places are in a slot. `nil` if the slot has no places.
  package func reference(placedBy slot: Int, of entity: Entity) -> Int? {
    guard entity.keepsPlaces else { return nil }
    return relationships(of: entity).first { $0.stores && $0.places?.slot == slot }?.slot
  }

  /// The derived end of a one-to-one that is stored in `slot`, where only one object may be found. `nil` for any other
  /// property.
  package func derivedEnd(ofOneToOne slot: Int, of entity: Entity) -> Relationship? {
    guard let end = relationship(slot, of: entity), end.stores, !end.inverseIsToMany else { return nil }
    return relationship(end.inverseSlot, of: end.target)
  }
}
