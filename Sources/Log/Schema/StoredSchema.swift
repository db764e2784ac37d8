import RepriseObjectModel

/// The schema as recorded in the log: every entity and property ever declared, by number.
///
/// Schema transactions assign the numbers, which are never reused or removed. Only the schema holds names.
package struct StoredSchema: Equatable, Sendable {
  /// The number of schema transactions. 0 for the empty schema.
  package var revision: UInt32 = 0
  /// By ascending number.
  package var entities: [StoredEntity] = []
  /// The version of a program's models that migrations have reached. 0 if there was no migration.
  package var version: UInt32 = 0
  /// The oldest version that may still use the store.
  package var oldestVersion: UInt32 = 0
  /// The effects of migrations on objects, oldest first.
  package var descents: [Descent] = []

  package init() {}

  package func entity(number: UInt32) -> StoredEntity? { entities.first { $0.number == number } }
  package func entity(named name: String) -> StoredEntity? { entities.first { $0.name == name } }

  /// The collations with a locale that indexes have, each once. Most schemas have none, and then nothing is allocated.
  package var localeCollations: [Collation] {
    var collations: [Collation] = []
    for entity in entities {
      for property in entity.properties {
        for collation in property.localeCollations where !collations.contains(collation) {
          collations.append(collation)
        }
      }
    }
    return collations
  }

  /// Whether the objects of an entity are the links of a many-to-many relationship.
  package func isLink(_ entity: StoredEntity) -> Bool {
    entities.contains { owner in
      owner.properties.contains { property in
        guard case .toMany(let target, _, _) = property.role, target == entity.number else { return false }
        return entity.isLinks(of: property, owner)
      }
    }
  }
}

package struct StoredEntity: Equatable, Sendable {
  /// The exclusive upper bound of numbers: keys of records use the highest bit for tombstones.
  package static let limit: UInt32 = 0x8000_0000

  package var number: UInt32
  package var name: String
  /// By ascending number.
  package var properties: [StoredProperty]
  /// The names that it had, oldest first, each once. They follow from the log.
  package var formerNames: [String] = []

  package init(number: UInt32, name: String, properties: [StoredProperty]) {
    self.number = number
    self.name = name
    self.properties = properties
  }

  /// Whether this is the entity of a many-to-many relationship's links, named after this end. Former names count,
  /// because a program that lacks the relationship renames the model and not the links.
  func isLinks(of property: StoredProperty, _ owner: StoredEntity) -> Bool {
    func isCalled(_ name: String) -> Bool { self.name == name || formerNames.contains(name) }
    return isCalled(Link.name(owner.name, property.name))
      || ([owner.name] + owner.formerNames).contains { entity in
        ([property.name] + property.formerNames).contains { isCalled(Link.name(entity, $0)) }
      }
  }

  /// The name. For a retired property, it is the last name, which another property may have now.
  package var lastName: String { name.isEmpty ? formerNames.last ?? "" : name }

  package func property(named name: String) -> StoredProperty? { properties.first { $0.name == name } }

  package func property(number: UInt32) -> StoredProperty? { properties.first { $0.number == number } }
}

/// A column of an index over several properties.
package struct StoredColumn: Equatable, Sendable {
  /// The number of the property.
  package var property: UInt32
  package var collation: Collation

  package init(property: UInt32, collation: Collation) {
    self.property = property
    self.collation = collation
  }
}

package struct StoredProperty: Equatable, Sendable {
  /// Unique in the store, across entities.
  package var number: UInt32
  package var name: String
  package var role: Role
  /// The number of the index over this property, unique in the store. An indexed attribute has a counted index, and so
  /// has an index that is a separate property. Each stored to-one relationship has a plain index.
  package var index: UInt32?
  /// The value in a record without this property: the model's default when the property was added. It is stored because
  /// index keys were derived from it. Null for relationships.
  package var defaultValue: PropertyValue
  /// The names that it had, oldest first, each once. They follow from the log.
  package var formerNames: [String] = []
  /// Whether it is an optional attribute that was required. Earlier programs still treat it as required. This follows
  /// from the log.
  package var wasRequired = false
  /// Whether an index over columns keeps history: see ``IndexHistory``. Its bytes are in the role.
  package var keepsHistory = false

  package enum Role: Equatable, Sendable {
    case attribute(AttributeKind, isOptional: Bool)
    /// `target` and `inverse` are numbers. `stores` is true if this end's records hold the reference.
    case toOne(target: UInt32, inverse: UInt32, deleteRule: DeleteRule, stores: Bool)
    case toMany(target: UInt32, inverse: UInt32, deleteRule: DeleteRule)
    /// An index over properties of the entity.
    case columns([StoredColumn], uniqueness: Uniqueness = .none)
    /// A full-text index over an attribute, with the words that this version of ``SearchWords`` finds.
    case words(attribute: UInt32, version: UInt32)

    /// Whether the property is only an index.
    package var isIndex: Bool {
      switch self {
      case .columns, .words: true
      case .attribute, .toOne, .toMany: false
      }
    }

    /// The rule of an index over columns; ``Uniqueness/none`` of anything else.
    package var uniqueness: Uniqueness { if case .columns(_, let uniqueness) = self { uniqueness } else { .none } }

    /// The role with another rule, for an index over columns. Any other role is returned unchanged.
    package func held(to uniqueness: Uniqueness) -> Role {
      if case .columns(let columns, _) = self { .columns(columns, uniqueness: uniqueness) } else { self }
    }
  }

  /// Whether it is an attribute that may have no value.
  package var isOptional: Bool { if case .attribute(_, isOptional: true) = role { true } else { false } }

  /// Its name and its former names.
  package var allNames: [String] { name.isEmpty ? formerNames : formerNames + [name] }

  /// The collations with a locale of its columns.
  package var localeCollations: [Collation] {
    guard case .columns(let columns, _) = role, columns.contains(where: { $0.collation.locale != .none }) else {
      return []
    }
    return columns.map(\.collation).filter { $0.locale != .none }
  }

  package init(number: UInt32, name: String, role: Role, index: UInt32? = nil, defaultValue: PropertyValue = .null) {
    self.number = number
    self.defaultValue = defaultValue
    self.name = name
    self.role = role
    self.index = index
  }
}
