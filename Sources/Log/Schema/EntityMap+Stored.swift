import RepriseObjectModel

extension EntityMap {
  /// Maps all properties that a store has for an entity, except retired ones. The models need not declare the entity.
  package convenience init?(allOf entity: StoredEntity, named name: String) {
    let properties = entity.properties.compactMap { property -> Property? in
      if property.name.isEmpty { return nil }
      return switch property.role {
      case .attribute(let kind, let isOptional):
        .storedAttribute(property.name, kind, isOptional: isOptional, default: property.defaultValue)
      case .toOne(_, _, _, stores: true): .storedReference(property.name)
      case .toOne, .toMany, .columns, .words: nil
      }
    }
    // Not an entity of a program. It only maps numbers to values.
    self.init(Entity(linksNamed: name, properties: properties), entity)
  }
}
