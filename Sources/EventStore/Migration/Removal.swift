import RepriseObjectModel

/// What a migration takes away for good: an attribute that no model has any more, or an index with its rule.
///
/// What is only left out of the models stays in the store: its values, the work of its index, the rule of a unique one.
/// A removal is one commit, whatever the number of objects; the rows of indexes go in short ones behind it.
public struct Removal: Hashable, Sendable {
  enum Subject: Hashable {
    case attribute(String)
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
    case .attribute(let name): "\(entity).\(name)"
    case .index(let columns): "\(entity)[\(columns.joined(separator: ", "))]"
    }
  }
}

extension Entity {
  /// Whether the model still has what a removal is about.
  func declares(_ subject: Removal.Subject) -> Bool {
    switch subject {
    case .attribute(let name): return slot(named: name) != nil
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
  /// The places of the properties that a removal retires, and of those that lose their index; none if it is done.
  func places(of subject: Removal.Subject) -> (retired: [Int], unindexed: [Int]) {
    switch subject {
    case .attribute(let name):
      guard let attribute = properties.first(where: { $0.name == name }), case .attribute = attribute.role else {
        return ([], [])
      }
      let retired = properties.indices.filter { place in
        switch properties[place].role {
        case .columns(let columns, _): columns.contains { $0.property == attribute.number }
        case .words(let words, _): words == attribute.number
        case .attribute, .toOne, .toMany: properties[place].number == attribute.number
        }
      }
      return (retired.filter { !properties[$0].name.isEmpty }, [])
    case .index(let names):
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
    guard let places = entity(of: removal, in: models)?.places(of: removal.subject) else { return false }
    return !places.retired.isEmpty || !places.unindexed.isEmpty
  }

  /// Carries a removal out. Returns the indexes that nobody has any more.
  mutating func remove(_ removal: Removal, in models: ResolvedSchema) -> [UInt32] {
    guard let entity = entity(of: removal, in: models),
      let place = entities.firstIndex(where: { $0.number == entity.number })
    else { return [] }
    let places = entity.places(of: removal.subject)
    var obsolete: [UInt32] = []
    for property in places.retired + places.unindexed {
      if let index = entities[place].properties[property].index { obsolete.append(index) }
      entities[place].properties[property].index = nil
    }
    for property in places.retired { entities[place].properties[property].rename(to: "") }
    return obsolete
  }
}
