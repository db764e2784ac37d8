/// A validated schema, with each relationship tied to its inverse.
package struct ResolvedSchema: Sendable {
  /// The models', then those of the links of many-to-many relationships.
  package let entities: [Entity]
  /// The version of the program that the models are of: that of its migrations, 0 without them.
  package var version = 0
  package let byName: EntityTable<Entity>
  /// The indexes that the store does not have yet, so that fetches must do without.
  package var unreadyIndexes: [UnreadyIndex] = []
  /// All relationships, entity by entity.
  private let relationships: [Relationship]
  /// By entity: where its properties begin in `ends`.
  private let starts: EntityTable<Int>
  /// By property: the place of the relationship, -1 for an attribute.
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

  /// One end of a relationship, by slot.
  ///
  /// An edge is stored once: in the object at the end that `stores`, as a reference. The other end reads an index. Of a
  /// to-one and a to-many the to-one stores; of two to-ones the one that names its inverse. Two to-manies are each the
  /// inverse of a to-one of their links.
  // A class: arrays of objects share their metadata, which exists when a process starts.
  package final class Relationship: Sendable {
    package let slot: Int
    package let isToMany: Bool
    package let deleteRule: DeleteRule
    package let target: Entity
    package let inverseSlot: Int
    package let inverseIsToMany: Bool
    package let stores: Bool
    /// How many objects there are at the other end when a save is made.
    package let limits: ClosedRange<Int>
    /// What keeps the places of objects, if the relationship is ordered; of the to-one as well whose inverse is.
    package let places: Places?
    /// What lies beyond the links of a many-to-many, which are its `target`; `nil` for other relationships.
    package let far: Far?

    /// By slot of the end that stores the reference: the attribute, and the index over reference and attribute.
    package struct Places: Sendable {
      package let slot: Int
      package let index: Int

      /// `nil` if the relationship that leads to the property with this name is not ordered.
      fileprivate init?(_ reference: String, of entity: Entity) {
        let (place, index) = (Property.places(in: reference)[0].name, Property.places(in: reference)[1].name)
        guard let slot = entity.properties.firstIndex(where: { $0.name == place && $0.attribute != nil }),
          let number = entity.properties.firstIndex(where: { $0.name == index && $0.isIndex })
        else { return nil }
        self.slot = slot
        self.index = number
      }
    }

    /// The other end of a many-to-many.
    package struct Far: Sendable {
      /// The slot in which a link refers to its object at the other end.
      package let slot: Int
      /// The entity of these objects.
      package let entity: Entity
      /// What happens to them when the object at this end is deleted. Its links are deleted in any case.
      package let deleteRule: DeleteRule
      /// Whether the relationship is its own inverse: then there is a link in each direction.
      package let isMirrored: Bool
    }

    /// The entity of the objects that programs see at the other end.
    package var destination: Entity { far?.entity ?? target }

    fileprivate init(
      _ entity: Entity, slot: Int, isToMany: Bool, deleteRule: DeleteRule, target: Entity, inverseSlot: Int,
      inverseIsToMany: Bool,
      stores: Bool, limits: ClosedRange<Int> = 0...Int.max, far: Far? = nil
    ) {
      self.far = far
      self.limits = limits
      // Only if there may be one, as this is done at each start.
      let (storing, reference) = stores ? (entity, slot) : (target, inverseSlot)
      places = storing.keepsPlaces ? Places(storing.properties[reference].name, of: storing) : nil
      self.slot = slot
      self.isToMany = isToMany
      self.deleteRule = deleteRule
      self.target = target
      self.inverseSlot = inverseSlot
      self.inverseIsToMany = inverseIsToMany
      self.stores = stores
    }
  }

  /// The end of a many-to-many that the links in a store call the owner, whatever its name is by now.
  package struct Owner: Sendable {
    fileprivate let entity: EntityName
    fileprivate let slot: Int
    /// The name of the links in the store, if it is another than theirs.
    fileprivate let links: String?

    package init(_ entity: Entity, slot: Int, links: String?) {
      self.entity = entity.interned
      self.slot = slot
      self.links = links
    }
  }

  /// - Parameter owners: What a store knows of the many-to-many relationships; of others the names decide.
  /// That of no models.
  package init() {
    entities = []
    byName = EntityTable()
    relationships = []
    starts = EntityTable()
    ends = []
  }

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

  /// Two may have had one name in turn, but none has it twice.
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
    // Few, so each is compared with those before it.
    formerNames.indices.first { formerNames[$0] == name || formerNames[..<$0].contains(formerNames[$0]) }
      .map { formerNames[$0] }
  }

  /// By slot: the indexes of an entity that fetches must do without.
  package func unreadyIndexes(of entity: Entity) -> [Int] {
    // Most often there is none.
    unreadyIndexes.isEmpty ? [] : unreadyIndexes.filter { $0.entity === entity }.map(\.slot)
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

  /// Whether saves must be checked for relationships that have limits, or that deletions leave as they are.
  package var hasRelationshipRules: Bool {
    relationships.contains { $0.limits != 0...Int.max || $0.deleteRule.leavesReferences }
  }

  /// The objects that go with a deleted one by the references that it stores. By the other relationships those go that
  /// refer to it.
  package func cascadeTargets(
    of entity: Entity, _ values: ContiguousArray<PropertyValue>
  ) -> [AnyObjectID] {
    relationships(of: entity).compactMap { $0.stores && $0.deleteRule == .cascade ? values[$0.slot].reference : nil }
  }

  /// The slot of the reference whose places are kept in a slot; `nil` if none are.
  package func reference(placedBy slot: Int, of entity: Entity) -> Int? {
    guard entity.keepsPlaces else { return nil }
    return relationships(of: entity).first { $0.stores && $0.places?.slot == slot }?.slot
  }

  /// The derived end of a one-to-one that is stored in `slot`, where only one object may be found; `nil` of any other
  /// property.
  package func derivedEnd(ofOneToOne slot: Int, of entity: Entity) -> Relationship? {
    guard let end = relationship(slot, of: entity), end.stores, !end.inverseIsToMany else { return nil }
    return relationship(end.inverseSlot, of: end.target)
  }

  /// Adds an entity for the links of each many-to-many relationship.
  private static func withLinks(
    _ models: [Entity], _ owners: [Owner], _ byName: inout EntityTable<Entity>
  ) throws(SchemaError) -> [Entity] {
    var entities = models
    for entity in models {
      for (slot, property) in entity.properties.enumerated() where property.isToMany {
        guard let description = property.relationship else { continue }
        let end = try inverse(slot, of: entity, description, in: byName)
        guard end.entity.properties[end.slot].isToMany, isOwner((entity, slot), end, owners) else { continue }
        let links = Link.entity((entity, slot), end, stored: owners.first { $0.is((entity, slot)) }?.links)
        guard byName[links.interned] == nil else { throw .duplicateEntity(links.name) }
        byName.set(links.interned, links)
        entities.append(links)
      }
    }
    return entities
  }

  private typealias End = (entity: Entity, slot: Int)

  /// Whether the first of the two ends of a many-to-many gives it its name, whoever of them names the other.
  private static func isOwner(_ one: End, _ other: End, _ owners: [Owner]) -> Bool {
    let isKnown = owners.contains { $0.is(one) }
    if isKnown != owners.contains(where: { $0.is(other) }) { return isKnown }
    let (property, otherProperty) = (one.entity.properties[one.slot], other.entity.properties[other.slot])
    if one.entity === other.entity, otherProperty.isMirror(of: property) { return true }
    if one.entity === other.entity, property.isMirror(of: otherProperty) { return false }
    return (one.entity.name, one.entity.properties[one.slot].name)
      < (other.entity.name, other.entity.properties[other.slot].name)
  }

  /// The other end, as the models declare it.
  private static func inverse(
    _ slot: Int, of entity: Entity, _ description: Property.RelationshipDescription, in byName: EntityTable<Entity>
  ) throws(SchemaError) -> End {
    let property = entity.properties[slot]
    let target = description.target.entity
    guard byName[target.interned] === target else {
      throw .missingTarget(entity: entity.name, property: property.name, target: target.name)
    }
    let named = description.inverse
    if property.isMirrored(in: entity), let mirror = target.slot(named: Property.mirrorName(of: property.name)) {
      return (target, mirror)
    }
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
    if let claimed = target.properties[inverse].relationship?.inverse, claimed != property.name,
      !property.isMirror(of: target.properties[inverse])
    {
      throw .missingInverse(entity: entity.name, property: property.name, target: target.name, inverse: named)
    }
    return (target, inverse)
  }

  private static func resolve(
    _ slot: Int, of entity: Entity, _ description: Property.RelationshipDescription, _ owners: [Owner],
    in byName: EntityTable<Entity>
  ) throws(SchemaError) -> Relationship {
    let property = entity.properties[slot]
    if entity.isLink, let name = description.inverse, let inverse = description.target.entity.slot(named: name) {
      return Relationship(
        entity, slot: slot, isToMany: false, deleteRule: .nullify, target: description.target.entity,
        inverseSlot: inverse,
        inverseIsToMany: true, stores: true)
    }
    let (target, inverse) = try Self.inverse(slot, of: entity, description, in: byName)
    let back = target.properties[inverse]
    if property.isToMany && back.isToMany {
      let isOwner = Self.isOwner((entity, slot), (target, inverse), owners)
      let name = isOwner ? Link.name(entity.name, property.name) : Link.name(target.name, back.name)
      guard let links = byName[EntityName(name)] else {
        throw .missingTarget(entity: entity.name, property: property.name, target: name)
      }
      return Relationship(
        entity, slot: slot, isToMany: true,
        deleteRule: description.deleteRule.leavesReferences ? description.deleteRule : .cascade, target: links,
        inverseSlot: isOwner ? Link.owner : Link.member, inverseIsToMany: false, stores: false,
        limits: description.limits,
        far: Relationship.Far(
          slot: isOwner ? Link.member : Link.owner, entity: target, deleteRule: description.deleteRule,
          isMirrored: property.isMirrored(in: entity)))
    }
    let stores: Bool
    if property.isToMany || back.isToMany {
      stores = !property.isToMany
    } else if back.relationship?.inverse != nil && description.inverse != nil {
      // Both name each other, so any choice will do that is the same from either end.
      stores = (entity.name, property.name) <= (target.name, back.name)
    } else {
      stores = description.inverse != nil
    }
    return Relationship(
      entity, slot: slot, isToMany: property.isToMany, deleteRule: description.deleteRule, target: target,
      inverseSlot: inverse,
      inverseIsToMany: back.isToMany, stores: stores, limits: description.limits)
  }
}

extension ResolvedSchema.Owner {
  fileprivate func `is`(_ end: (entity: Entity, slot: Int)) -> Bool {
    entity == end.entity.interned && slot == end.slot
  }
}
