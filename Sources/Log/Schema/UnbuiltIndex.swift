import RepriseObjectModel

/// An index that a program's models have and its store lacks, over so many objects that it is built in slices.
// A class: arrays of objects share their metadata, which exists when a process starts.
package final class UnbuiltIndex: Sendable {
  /// The numbers of the entity and of the property that has the index.
  package let entity: UInt32
  package let property: UInt32
  /// The rule that the index is to have, whether it is there already or not.
  package let uniqueness: Uniqueness
  /// Whether the models rely on it, so that the store is not open before it is ready: a rule, or the order of members.
  package let isRequired: Bool

  package init(entity: UInt32, property: UInt32, uniqueness: Uniqueness, isRequired: Bool) {
    self.entity = entity
    self.property = property
    self.uniqueness = uniqueness
    self.isRequired = isRequired
  }

  /// Whether a schema has the index with its rule.
  package func isReady(in schema: StoredSchema) -> Bool {
    guard let property = schema.entity(number: entity)?.property(number: property) else { return true }
    // A property that was retired meanwhile is in no model.
    if property.name.isEmpty { return true }
    return property.index != nil && property.role.uniqueness >= uniqueness
  }
}
