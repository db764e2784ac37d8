extension Link {
  /// The slot of the reference to the owner. When the links were first made, the owner's end of the relationship had
  /// the lesser name.
  static let owner = 0
  /// The slot of the reference to the object at the other end.
  static let member = 1
  /// The name in the store of the reference in slot `owner`.
  package static let ownerName = "owner"
  /// The name in the store of the reference in slot `member`.
  package static let memberName = "member"

  /// The entity of the links between two ends.
  ///
  /// - Parameter stored: The name of the links in a store. Needed if it has no present or former name of the owner.
  static func entity(
    _ owner: (entity: Entity, slot: Int), _ member: (entity: Entity, slot: Int), stored: String? = nil
  ) -> Entity {
    func end(_ name: String, _ end: (entity: Entity, slot: Int)) -> Property {
      let relationship = Property.RelationshipDescription(
        target: end.entity.model, inverse: end.entity.properties[end.slot].name, deleteRule: .nullify)
      return Property(name: name, role: .toOne(relationship))
    }
    func places(_ name: String, _ end: (entity: Entity, slot: Int)) -> [Property] {
      end.entity.properties[end.slot].relationship?.isOrdered == true ? Property.places(in: name) : []
    }
    let property = owner.entity.properties[owner.slot]
    let names = ([owner.entity.name] + owner.entity.formerNames).flatMap { entity in
      ([property.name] + property.formerNames).map { name(entity, $0) }
    }
    let others = names.dropFirst() + [stored].compactMap { $0 }.filter { !names.contains($0) }
    return Entity(
      linksNamed: names[0], was: Array(others),
      properties: [end(ownerName, owner), end(memberName, member)] + places(ownerName, owner)
        + places(memberName, member))
  }

  /// The name in the store of the links of a relationship.
  package static func name(_ entity: String, _ property: String) -> String { "\(entity).\(property)" }

  /// The ID is computed from the two objects, so two contexts that link the same objects add the same link. One look-up
  /// finds it. The links of an owner are adjacent in the store.
  package static func id(_ owner: UniqueID, _ member: UniqueID) -> UniqueID {
    var hash = owner.low &+ 0x9E37_79B9_7F4A_7C15
    for word in [owner.high, member.low, member.high, owner.low] {
      let product = (hash ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
      hash = (product.high ^ product.low) &+ word.byteSwapped
    }
    // Version 8, "custom", of RFC 9562.
    return UniqueID(
      high: owner.high & ~0xF000 | 0x8000, low: hash & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }
}

extension ResolvedSchema.Relationship {
  /// Whether this is the end of a many-to-many whose object is the owner in the links.
  package var isOwner: Bool { far != nil && inverseSlot == Link.owner }

  /// The link of a many-to-many between an object at this end and an object at the other end.
  package func link(_ near: UniqueID, _ far: UniqueID) -> (id: AnyObjectID, values: ContiguousArray<PropertyValue>) {
    let (owner, member) = isOwner ? (near, far) : (far, near)
    let nearID = AnyObjectID(
      target.properties[inverseSlot].relationship?.target.entity.interned ?? destination.interned, near)
    let farID = AnyObjectID(destination.interned, far)
    let id = AnyObjectID(target.interned, Link.id(owner, member))
    var values = target.defaults
    values[Link.owner] = .reference(isOwner ? nearID : farID)
    values[Link.member] = .reference(isOwner ? farID : nearID)
    // The only attributes of a link are its places.
    for (slot, property) in target.properties.enumerated() where property.attribute != nil {
      values[slot] = Place.atEnd()
    }
    return (id, values)
  }
}

extension ResolvedSchema {
  /// The link in the other direction, if the relationship is its own inverse. Otherwise `nil`.
  package func mirror(ofLink entity: Entity, _ values: ContiguousArray<PropertyValue>) -> AnyObjectID? {
    guard entity.isLink, let end = relationship(Link.owner, of: entity),
      relationship(end.inverseSlot, of: end.target)?.far?.isMirrored == true,
      let owner = values[Link.owner].reference, let member = values[Link.member].reference
    else { return nil }
    return AnyObjectID(entity.interned, Link.id(member.uuid, owner.uuid))
  }
}
