import RepriseLog
import RepriseObjectModel

/// A step of a ``Migration`` that removes an attribute or a relationship that no model has any more, or an index with
/// its rule.
///
/// If you only leave an attribute out of the models, the store keeps its values. Every save still updates its index,
/// and checks its unique rule. A removal is one commit, regardless of the number of objects. Afterwards, short commits
/// remove the rows of its indexes.
public struct Removal: Equatable, Sendable {
  enum Subject: Equatable {
    case attribute(String)
    case relationship(String)
    case index([String])
  }

  let entity: String
  let subject: Subject

  /// Removes an attribute, with all indexes and rules that contain it.
  ///
  /// After the commit, no model can read the values, not even a model that declares an attribute of that name again.
  /// The bytes of the values stay in the file: in the objects' records, and in the log until retention deletes the
  /// transactions.
  /// - Parameters:
  ///   - property: The attribute's name in the store.
  ///   - entity: The entity's name in the store, or in the models.
  public static func attribute(_ property: String, of entity: String) -> Removal {
    Removal(entity: entity, subject: .attribute(property))
  }

  /// Removes a relationship with both of its ends, and the pairs of a many-to-many relationship.
  ///
  /// The objects at either end stay, regardless of the delete rules. The log still contains which objects were related,
  /// until retention deletes those transactions.
  ///
  /// - Parameters:
  ///   - property: The name of one of its ends in the store.
  ///   - entity: The name of the entity that has this end, in the store or in the models.
  public static func relationship(_ property: String, of entity: String) -> Removal {
    Removal(entity: entity, subject: .relationship(property))
  }

  /// Removes an index over attributes and references, and the rule that no two objects have the same values.
  ///
  /// - Parameters:
  ///   - properties: The names of the index's columns in the store, in their order.
  ///   - entity: The entity's name in the store, or in the models.
  public static func index(over properties: String..., of entity: String) -> Removal {
    Removal(entity: entity, subject: .index(properties))
  }
}

extension Removal: CustomStringConvertible {
  /// The removal as text, for example "Person.nickname" or "Person[name, zip]".
  public var description: String {
    switch subject {
    case .attribute(let name), .relationship(let name): "\(entity).\(name)"
    case .index(let columns): "\(entity)[\(columns.joined(separator: ", "))]"
    }
  }
}

extension Entity {
  /// Whether the model still has the subject of a removal.
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
  /// The attribute or the relationship to remove. `nil` if it is removed already.
  fileprivate func property(of subject: Removal.Subject) -> StoredProperty? {
    switch subject {
    case .attribute(let name):
      properties.first { if case .attribute = $0.role { $0.name == name } else { false } }
    case .relationship(let name): properties.first { $0.name == name && $0.role.end != nil }
    case .index: nil
    }
  }

  /// The indexes of the properties that are the index to remove, and of the attributes that have it.
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
  /// The entity of a removal, by its name in the store or in the models.
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

  /// Carries a removal out. Returns the obsolete indexes.
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
