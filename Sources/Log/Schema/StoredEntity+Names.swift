import RepriseObjectModel

extension StoredEntity {
  /// Renames this entity and its properties to the names of a model that declares their former names.
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

  /// Renames the indexes whose columns were renamed.
  package mutating func nameIndexes() {
    for place in properties.indices where !properties[place].name.isEmpty {
      if let name = indexName(properties[place]) { properties[place].rename(to: name) }
    }
  }

  /// The name of an index that is a separate property. It follows from the names of its columns.
  private func indexName(_ property: StoredProperty) -> String? {
    func name(_ number: UInt32) -> String { self.property(number: number)?.name ?? "" }
    return switch property.role {
    case .columns(let columns, _):
      Property.IndexDescription.name(of: columns.map { IndexColumn(name($0.property), $0.collation) })
    case .words(let attribute, _): Property.IndexDescription.name(ofWordsOf: name(attribute))
    case .attribute, .toOne, .toMany: nil
    }
  }

  /// The name of a property. For a converted property, the name of its successor.
  func lastName(of property: StoredProperty) -> String {
    guard property.name.isEmpty, let last = property.formerNames.last else { return property.name }
    // The successor has a higher number.
    let next = properties.first {
      $0.number > property.number && ($0.name == last || $0.formerNames.contains(last)) && !$0.role.isIndex
    }
    return next.map(lastName) ?? last
  }

  /// The name that the log's reader uses for a property that has or had this name.
  package func lastName(ofWhatWasNamed name: String) -> String {
    if property(named: name) != nil { return name }
    let had = properties.first { !$0.name.isEmpty && $0.formerNames.contains(name) }
    return had?.name ?? properties.last { $0.formerNames.contains(name) }.map(lastName) ?? name
  }
}
