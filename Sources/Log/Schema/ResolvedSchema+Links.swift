import RepriseObjectModel

extension ResolvedSchema {
  /// These models, with the links of many-to-many relationships as a store has them.
  ///
  /// Which end is the owner is decided by names, once: the IDs of links follow from it, so no later name changes it.
  package func following(_ stored: StoredSchema) throws(StoreError) -> ResolvedSchema {
    guard entities.contains(where: { $0.isLink }) else { return self }
    let match = SchemaMatch(self, stored)
    var owners: [Owner] = []
    var isAsStored = true
    for (place, entity) in entities.enumerated() where !entity.isLink {
      guard let known = match.stored(place, stored) else { continue }
      for slot in entity.properties.indices {
        guard let end = relationship(slot, of: entity), end.far != nil, let property = match.property(place, slot),
          case .toMany(let target, let inverse, _) = known.properties[property].role,
          let links = stored.entity(number: target), stored.isLink(links),
          links.property(number: inverse)?.name == Link.ownerName
        else { continue }
        let name = Link.name(entity.name, entity.properties[slot].name)
        // A newer program has renamed the relationship, so the present name is a former one now.
        let isNamed = links.name == name || links.formerNames.contains(name)
        let isFound = isNamed || (end.isOwner && end.target.formerNames.contains(links.name))
        owners.append(Owner(entity, slot: slot, links: isFound ? nil : links.name))
        if !isFound || !end.isOwner { isAsStored = false }
      }
    }
    if isAsStored { return self }
    do throws(SchemaError) {
      var models = try ResolvedSchema(Schema(entities: entities.filter { !$0.isLink }), owners: owners)
      models.version = version
      return models
    } catch {
      throw .schema(error)
    }
  }
}
