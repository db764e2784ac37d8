import RepriseObjectModel

/// The schema as the log knows it: every entity and property that was ever declared, by number.
///
/// Numbers are given by schema transactions, never given twice and never taken back. Names stand here and nowhere else.
package struct StoredSchema: Hashable, Sendable {
  /// Counts the schema transactions; 0 is the empty schema.
  package var revision: UInt32 = 0
  /// By ascending number.
  package var entities: [StoredEntity] = []

  package init() {}

  package func entity(number: UInt32) -> StoredEntity? { entities.first { $0.number == number } }
  package func entity(named name: String) -> StoredEntity? { entities.first { $0.name == name } }
}

package struct StoredEntity: Hashable, Sendable {
  /// Numbers are below it: keys of records have a use of their own for the highest bit.
  package static let limit: UInt32 = 0x8000_0000

  package var number: UInt32
  package var name: String
  /// By ascending number.
  package var properties: [StoredProperty]

  package init(number: UInt32, name: String, properties: [StoredProperty]) {
    self.number = number
    self.name = name
    self.properties = properties
  }

  package func property(named name: String) -> StoredProperty? { properties.first { $0.name == name } }
}

package struct StoredProperty: Hashable, Sendable {
  /// Unique in the store, across entities.
  package var number: UInt32
  package var name: String
  package var role: Role
  /// The number of the index over this property, unique in the store: counted over an attribute marked so, plain over
  /// every stored to-one relationship.
  package var index: UInt32?
  /// What a record without this property has: the model's default when the property was added. Stored, because index
  /// keys were made from it. Null for relationships.
  package var defaultValue: PropertyValue

  package enum Role: Hashable, Sendable {
    case attribute(AttributeKind, isOptional: Bool)
    /// `target` and `inverse` are numbers; `stores` tells whether the reference stands in this end's records.
    case toOne(target: UInt32, inverse: UInt32, deleteRule: DeleteRule, stores: Bool)
    case toMany(target: UInt32, inverse: UInt32, deleteRule: DeleteRule)
  }

  package init(number: UInt32, name: String, role: Role, index: UInt32? = nil, defaultValue: PropertyValue = .null) {
    self.number = number
    self.defaultValue = defaultValue
    self.name = name
    self.role = role
    self.index = index
  }
}
