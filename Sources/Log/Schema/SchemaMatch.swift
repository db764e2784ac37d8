import RepriseObjectModel

/// The entities and properties of a store, matched with the models. One array for all properties: arrays of arrays have
/// a type that is instantiated at each start of a process.
package struct SchemaMatch {
  /// By entity of the models: the place of the stored one, -1 for none.
  private(set) var entities: [Int] = []
  /// By entity of the models: where its properties begin in `properties`.
  private var starts: [Int] = []
  private var properties: [Int] = []

  package init(_ models: ResolvedSchema, _ stored: StoredSchema) {
    entities.reserveCapacity(models.entities.count)
    for entity in models.entities {
      starts.append(properties.count)
      let place = stored.entities.place(of: entity, among: models.entities)
      entities.append(place ?? -1)
      guard let place else {
        for _ in entity.properties { properties.append(-1) }
        continue
      }
      stored.entities[place].match(entity) { properties.append($0) }
    }
  }

  /// The stored entity that matches an entity of the models.
  package func stored(_ entity: Int, _ schema: StoredSchema) -> StoredEntity? {
    entities[entity] < 0 ? nil : schema.entities[entities[entity]]
  }

  /// By entity of the models and slot: the place of the stored property.
  package func property(_ entity: Int, _ slot: Int) -> Int? {
    let place = properties[starts[entity] + slot]
    return place < 0 ? nil : place
  }

  /// The entity of the models that matches a stored entity.
  package func entity(at place: Int) -> Int? { entities.firstIndex(of: place) }
}

extension StoredEntity {
  /// By slot of a model of this entity: the place of the stored property, -1 for none.
  package func places(of entity: Entity) -> [Int] {
    var places: [Int] = []
    places.reserveCapacity(entity.properties.count)
    match(entity) { places.append($0) }
    return places
  }

  fileprivate func match(_ entity: Entity, _ body: (Int) -> Void) {
    for (slot, property) in entity.properties.enumerated() {
      let index = property.isIndex ? entity.index(slot) : nil
      body((index.map { place(of: $0, of: entity) } ?? place(of: property, of: entity)) ?? -1)
    }
  }

  private func place(of property: Property, of entity: Entity) -> Int? {
    properties.place(of: property, among: entity.properties)
  }

  /// An index is identified by its columns. Its name follows from them.
  private func place(of index: EntityIndex, of entity: Entity) -> Int? {
    var columns: [UInt32] = []
    columns.reserveCapacity(index.columns.count)
    for slot in index.columns {
      guard let place = place(of: entity.properties[slot], of: entity) else { return nil }
      columns.append(properties[place].number)
    }
    return properties.firstIndex { $0.role.isIndex(index.kind, over: columns) }
  }
}

extension StoredProperty.Role {
  fileprivate func isIndex(_ kind: EntityIndex.Kind, over numbers: [UInt32]) -> Bool {
    switch (self, kind) {
    case (.columns(let columns, _), .columns(let collations)):
      columns.count == numbers.count && collations.count == numbers.count
        && columns.indices.allSatisfy {
          columns[$0].property == numbers[$0] && columns[$0].collation == collations[$0]
        }
    case (.words(let attribute, _), .words): numbers.count == 1 && attribute == numbers[0]
    default: false
    }
  }
}
