import RepriseObjectModel

extension StoredSchema {
  /// Whether the schema covers these models, so that there is nothing to reconcile. It runs at every launch. If it
  /// returns false, the full comparison follows.
  func holds(_ models: ResolvedSchema, _ match: SchemaMatch) -> Bool {
    for (place, entity) in models.entities.enumerated() {
      guard let known = match.stored(place, self), !entity.formerNames.contains(known.name) else { return false }
      for (slot, property) in entity.properties.enumerated() {
        guard let matched = match.property(place, slot).map({ known.properties[$0] }),
          !property.formerNames.contains(matched.name),
          holds(matched, property, models.relationship(slot, of: entity), models, match)
        else { return false }
      }
    }
    return entities.count == models.entities.count
      || entities.indices.allSatisfy { match.entity(at: $0) != nil || !entities[$0].refers }
  }

  /// The match has checked the columns, and the check of the other end checks the inverse.
  private func holds(
    _ stored: StoredProperty, _ model: Property, _ relationship: ResolvedSchema.Relationship?, _ models: ResolvedSchema,
    _ match: SchemaMatch
  ) -> Bool {
    switch (stored.role, model.role) {
    case (.attribute(let kind, let isOptional), .attribute(let attribute)):
      return kind == attribute.kind && (isOptional == attribute.isOptional || isOptional && stored.wasRequired)
        && (stored.index != nil || !attribute.isIndexed)
    case (.toOne(let target, let inverse, _, let stores), .toOne):
      guard let relationship, stores == relationship.stores, stored.index != nil || !stores else { return false }
      return holds(relationship, target: target, inverse: inverse, models, match)
    case (.toMany(let target, let inverse, _), .toMany):
      guard let relationship else { return false }
      return holds(relationship, target: target, inverse: inverse, models, match)
    case (.columns(_, let uniqueness), .index(.columns(_, let declared, let keepsHistory))):
      return stored.index != nil && uniqueness >= declared && (stored.keepsHistory || !keepsHistory)
    case (.words(_, let version), .index(.words)):
      return stored.index != nil && version == SearchWords.version
    default: return false
    }
  }

  private func holds(
    _ relationship: ResolvedSchema.Relationship, target: UInt32, inverse: UInt32, _ models: ResolvedSchema,
    _ match: SchemaMatch
  ) -> Bool {
    guard let place = models.entities.firstIndex(where: { $0 === relationship.target }),
      let entity = match.stored(place, self), entity.number == target,
      let property = match.property(place, relationship.inverseSlot)
    else { return false }
    return entity.properties[property].number == inverse
  }
}
