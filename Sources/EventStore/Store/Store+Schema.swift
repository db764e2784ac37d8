import RepriseLog
import RepriseObjectModel

extension Store {
  /// The descriptions of the models that the store was opened with, by which tools find their properties.
  public var entities: [Entity] { map.schema.entities.filter { !$0.isLink } }

  /// What the store has and no model of this program names: look at them in development, since a property that was
  /// renamed without `was:` is among them. Empty if there is nothing of the kind.
  ///
  /// They are about the store as this process last saw it: a newer program may add to them. Costs the number of
  /// properties.
  ///
  /// Stored values that the types of the models cannot hold are not among them, because this reads no objects.
  /// ``StoreMaintenance/preview(_:of:for:)`` lists these values before the store is opened. Afterwards, `load(_:)`
  /// throws for an object with such a value, and `readErrors` of a context names it once it is read.
  public var warnings: [SchemaWarning] {
    let map = self.map
    return map.stored.warnings(for: map.schema)
  }
}

extension StoredSchema {
  /// By entity and property in the order of their numbers.
  func warnings(for models: ResolvedSchema) -> [SchemaWarning] {
    let match = SchemaMatch(models, self)
    var warnings: [SchemaWarning] = []
    for (place, entity) in entities.enumerated() {
      guard let known = match.entity(at: place) else {
        if !entity.name.isEmpty { warnings.append(.entity(entity.name)) }
        continue
      }
      let places = entity.places(of: models.entities[known])
      for (place, property) in entity.properties.enumerated() where !places.contains(place) && !property.name.isEmpty {
        // It goes with the relationship that it is the other direction of.
        if entity.properties.contains(where: { property.name == Property.mirrorName(of: $0.name) }) { continue }
        // It is not there yet.
        if property.role.isIndex, property.index == nil { continue }
        warnings.append(
          property.role.isIndex
            ? .index(property.name, entity: entity.name) : .property(property.name, entity: entity.name))
      }
    }
    return warnings
  }
}
