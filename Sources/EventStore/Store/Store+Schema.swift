import RepriseLog
import RepriseObjectModel

extension Store {
  /// The descriptions of the models that the store was opened with. Tools find the properties of the models in them.
  /// The cost grows with the number of models.
  public var entities: [Entity] { map.schema.entities.filter { !$0.isLink } }

  /// The properties, indexes and entities that the store has and no model of this program names. Usually empty. Read
  /// them during development, because a property that was renamed without `was:` is among them. For example,
  /// `print(store.warnings)` after opening. Ordered by the numbers of entities and properties. The cost grows with the
  /// number of properties.
  ///
  /// The warnings describe the schema that this process last read; a newer program may add to it.
  ///
  /// The warnings do not cover stored values that the types of the models cannot hold, because this property reads no
  /// objects. ``StoreMaintenance/preview(_:of:for:)`` lists such values before the store is opened. Afterwards,
  /// `load(_:)` throws for an object with such a value, and `readErrors` of a context names the object once its value
  /// is read.
  public var warnings: [SchemaWarning] {
    let map = self.map
    return map.stored.warnings(for: map.schema)
  }
}

extension StoredSchema {
  /// The warnings, ordered by the numbers of entities and properties.
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
        // The other direction of a relationship is reported under the name of that relationship.
        if entity.properties.contains(where: { property.name == Property.mirrorName(of: $0.name) }) { continue }
        // The index is not built yet.
        if property.role.isIndex, property.index == nil { continue }
        warnings.append(
          property.role.isIndex
            ? .index(property.name, entity: entity.name) : .property(property.name, entity: entity.name))
      }
    }
    return warnings
  }
}
