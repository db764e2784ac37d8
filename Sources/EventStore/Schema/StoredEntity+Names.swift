import RepriseObjectModel

extension StoredEntity {
  /// Takes over the names of a model of this entity, where that says that they were others.
  mutating func follow(_ entity: Entity, _ match: SchemaMatch, _ place: Int) {
    if entity.formerNames.contains(name) { rename(to: entity.name) }
    for (slot, property) in entity.properties.enumerated() {
      guard let place = match.property(place, slot), property.formerNames.contains(properties[place].name) else {
        continue
      }
      properties[place].rename(to: property.name)
    }
    nameIndexes()
  }

  /// Renames the indexes whose columns have other names.
  mutating func nameIndexes() {
    for place in properties.indices where !properties[place].name.isEmpty {
      if let name = indexName(properties[place]) { properties[place].rename(to: name) }
    }
  }

  /// The name of an index that is a property of its own, which follows from the names of its columns.
  private func indexName(_ property: StoredProperty) -> String? {
    func name(_ number: UInt32) -> String { self.property(number: number)?.name ?? "" }
    return switch property.role {
    case .columns(let columns, _):
      Property.IndexDescription.name(of: columns.map { IndexColumn(name($0.property), $0.collation) })
    case .words(let attribute, _): Property.IndexDescription.name(ofWordsOf: name(attribute))
    case .attribute, .toOne, .toMany: nil
    }
  }
}
