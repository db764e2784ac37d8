import RepriseObjectModel

// A retired property loses its name, and no program knows its meaning. Its number stays, so that events and records can
// be read.

extension StoredSchema {
  /// Retires properties, and the indexes that are over them. Returns the indexes that are no longer used.
  package mutating func retire(_ properties: [UInt32], of entity: UInt32) -> [UInt32] {
    guard let place = entities.firstIndex(where: { $0.number == entity }) else { return [] }
    return entities[place].retire(properties)
  }

  /// Retires an entity and all relationships to it. Returns the indexes that are no longer used.
  package mutating func retire(entity number: UInt32) -> [UInt32] {
    var obsolete: [UInt32] = []
    for place in entities.indices {
      if entities[place].number == number {
        for property in entities[place].properties.indices {
          if let index = entities[place].properties[property].index { obsolete.append(index) }
          entities[place].properties[property].index = nil
        }
        entities[place].rename(to: "")
      } else {
        obsolete += entities[place].retire(entities[place].leading { $0.role.end?.target == number })
      }
    }
    return obsolete
  }

  /// Retires both ends of a relationship, and the links of a many-to-many relationship. Returns the indexes that are no
  /// longer used.
  package mutating func retire(relationship property: StoredProperty, of entity: UInt32) -> [UInt32] {
    guard let (target, inverse) = property.role.end, let other = self.entity(number: target) else { return [] }
    if isLink(other) { return retire(entity: target) }
    var obsolete: [UInt32] = []
    for (end, entity) in [(property.number, entity), (inverse, target)] {
      guard let place = entities.firstIndex(where: { $0.number == entity }) else { continue }
      obsolete += entities[place].retire(entities[place].leading { $0.number == end })
    }
    return obsolete
  }
}

extension StoredEntity {
  /// The numbers of some relationships, and of the properties that keep the places of their members.
  fileprivate func leading(_ isWanted: (StoredProperty) -> Bool) -> [UInt32] {
    let ends = properties.filter { !$0.name.isEmpty && $0.role.end != nil && isWanted($0) }
    let places = ends.compactMap { end in
      // Another property may have the name, and the places, from now on.
      properties.contains { $0.name == end.name && $0.number != end.number }
        ? nil : property(named: Property.nameOfPlaces(in: end.name))
    }
    return (ends + places).map(\.number)
  }

  fileprivate mutating func retire(_ numbers: [UInt32]) -> [UInt32] {
    var obsolete: [UInt32] = []
    for place in properties.indices where !properties[place].name.isEmpty {
      let isOver: Bool =
        switch properties[place].role {
        case .columns(let columns, _):
          numbers.contains(properties[place].number) || columns.contains { numbers.contains($0.property) }
        case .words(let attribute, _): numbers.contains(attribute)
        case .attribute, .toOne, .toMany: numbers.contains(properties[place].number)
        }
      if !isOver { continue }
      if let index = properties[place].index { obsolete.append(index) }
      properties[place].index = nil
      properties[place].rename(to: "")
    }
    return obsolete
  }
}

extension StoredProperty {
  /// Whether this is an attribute that was retired, and gave its name to `next`.
  package func mayBecome(_ next: StoredProperty) -> Bool {
    guard name.isEmpty, case .attribute = role else { return false }
    return formerNames.last == next.formerNames.first ?? next.name
  }
}

extension StoredEntity {
  /// The attribute that has taken the place of a retired one, the last of several. `nil` if there is none.
  package func successor(of property: StoredProperty) -> StoredProperty? {
    let next = properties.first { $0.number > property.number && $0.role.end == nil && property.mayBecome($0) }
    return next.map { successor(of: $0) ?? $0 }
  }

  /// Whether a property goes with another one: the other direction of a relationship, or the places of its members.
  package func isHidden(_ property: StoredProperty) -> Bool {
    properties.contains {
      property.name == Property.mirrorName(of: $0.name) || property.name == Property.nameOfPlaces(in: $0.name)
    }
  }
}

extension StoredProperty.Role {
  /// The other end of a relationship. `nil` for anything else.
  package var end: (target: UInt32, inverse: UInt32)? {
    switch self {
    case .toOne(let target, let inverse, _, _): (target, inverse)
    case .toMany(let target, let inverse, _): (target, inverse)
    case .attribute, .columns, .words: nil
    }
  }

  /// Whether records hold a reference.
  package var stores: Bool { if case .toOne(_, _, _, stores: true) = self { true } else { false } }
}
