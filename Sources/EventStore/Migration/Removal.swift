import RepriseLog
import RepriseObjectModel

/// What a migration takes away for good: an attribute or a relationship that no model has any more, or an index with
/// its rule.
///
/// What is only left out of the models stays in the store: its values, the work of its index, the rule of a unique one.
/// A removal is one commit, whatever the number of objects; the rows of indexes go in short ones behind it.
public struct Removal: Hashable, Sendable {
  enum Subject: Hashable {
    case attribute(String)
    case relationship(String)
    case index([String])
  }

  let entity: String
  let subject: Subject

  /// An attribute, with all indexes and rules that it is part of.
  ///
  /// Its values are in the log for good; from the commit on no model finds them, also not one that declares an
  /// attribute of that name again. Objects keep the bytes.
  ///
  /// - Parameters:
  ///   - property: The attribute's name in the store.
  ///   - entity: The entity's name in the store, or in the models.
  public static func attribute(_ property: String, of entity: String) -> Removal {
    Removal(entity: entity, subject: .attribute(property))
  }

  /// A relationship with both of its ends, of a many-to-many with its pairs.
  ///
  /// The objects at either end stay, whatever its delete rules say. Which objects were related is in the log for good.
  ///
  /// - Parameters:
  ///   - property: The name in the store of one of its ends.
  ///   - entity: The name in the store, or in the models, of the entity that has this end.
  public static func relationship(_ property: String, of entity: String) -> Removal {
    Removal(entity: entity, subject: .relationship(property))
  }

  /// An index over attributes and references, and what it says of them: that no two objects have the same.
  ///
  /// - Parameters:
  ///   - properties: The names of its columns in the store, in their order: one, or several.
  ///   - entity: The entity's name in the store, or in the models.
  public static func index(over properties: String..., of entity: String) -> Removal {
    Removal(entity: entity, subject: .index(properties))
  }
}

extension Removal: CustomStringConvertible {
  /// As in "Person.nickname" and "Person[name, zip]".
  public var description: String {
    switch subject {
    case .attribute(let name), .relationship(let name): "\(entity).\(name)"
    case .index(let columns): "\(entity)[\(columns.joined(separator: ", "))]"
    }
  }
}

extension Entity {
  /// Whether the model still has what a removal is about.
  func declares(_ subject: Removal.Subject) -> Bool {
    switch subject {
    case .attribute(let name), .relationship(let name): return slot(named: name) != nil
    case .index(let names):
      if names.count == 1, let slot = slot(named: names[0]), properties[slot].attribute?.isIndexed == true {
        return true
      }
      return indexes.contains { index in
        if case .columns = index.kind { index.columns.map { properties[$0].name } == names } else { false }
      }
    }
  }
}

extension StoredEntity {
  /// The attribute or the relationship that a removal is about; `nil` if it is done.
  fileprivate func property(of subject: Removal.Subject) -> StoredProperty? {
    switch subject {
    case .attribute(let name):
      properties.first { if case .attribute = $0.role { $0.name == name } else { false } }
    case .relationship(let name): properties.first { $0.name == name && $0.role.end != nil }
    case .index: nil
    }
  }

  /// The places of the properties that are the index that a removal is about, and of those that have it.
  fileprivate func places(ofIndexOver names: [String]) -> (retired: [Int], unindexed: [Int]) {
    let numbers = names.compactMap { name in properties.first { $0.name == name }?.number }
    guard numbers.count == names.count else { return ([], []) }
    let retired = properties.indices.filter { place in
      guard case .columns(let columns, _) = properties[place].role, !properties[place].name.isEmpty else {
        return false
      }
      return columns.map(\.property) == numbers
    }
    let unindexed = properties.indices.filter { place in
      guard case .attribute = properties[place].role, properties[place].index != nil else { return false }
      return numbers == [properties[place].number]
    }
    return (retired, unindexed)
  }
}

extension StoredSchema {
  /// The entity that a removal is about, by its name in the store or in the models.
  func entity(of removal: Removal, in models: ResolvedSchema) -> StoredEntity? {
    if let named = entity(named: removal.entity) { return named }
    let known = models.entities.firstIndex { $0.isEverNamed(removal.entity) }
    return known.flatMap { SchemaMatch(models, self).stored($0, self) }
  }

  /// Whether a removal would change anything.
  func has(_ removal: Removal, in models: ResolvedSchema) -> Bool {
    guard let entity = entity(of: removal, in: models) else { return false }
    guard case .index(let names) = removal.subject else { return entity.property(of: removal.subject) != nil }
    let places = entity.places(ofIndexOver: names)
    return !places.retired.isEmpty || !places.unindexed.isEmpty
  }

  /// Carries a removal out. Returns the indexes that nobody has any more.
  mutating func remove(_ removal: Removal, in models: ResolvedSchema) -> [UInt32] {
    guard let entity = entity(of: removal, in: models),
      let place = entities.firstIndex(where: { $0.number == entity.number })
    else { return [] }
    if let property = entity.property(of: removal.subject) {
      return property.role.end == nil
        ? retire([property.number], of: entity.number) : retire(relationship: property, of: entity.number)
    }
    guard case .index(let names) = removal.subject else { return [] }
    let places = entity.places(ofIndexOver: names)
    var obsolete = retire(places.retired.map { entity.properties[$0].number }, of: entity.number)
    for property in places.unindexed {
      if let index = entities[place].properties[property].index { obsolete.append(index) }
      entities[place].properties[property].index = nil
    }
    return obsolete
  }
}
