extension ResolvedSchema {
  /// The end of a many-to-many that is the owner in the links of a store, under any name.
  package struct Owner: Sendable {
    fileprivate let entity: EntityName
    fileprivate let slot: Int
    /// The name of the links in the store, if it differs from the name in the models.
    fileprivate let links: String?

    package init(_ entity: Entity, slot: Int, links: String?) {
      self.entity = entity.interned
      self.slot = slot
      self.links = links
    }
  }

  /// Adds an entity for the links of each many-to-many relationship.
  static func withLinks(
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

  /// Whether the first of the two ends of a many-to-many is the owner, even if only the other end names the inverse.
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

  static func resolve(
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
      // Both ends name each other, so the choice only has to be the same from either end.
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
