/// An index that is in the store's schema but not in this process's model, which may have some of its columns.
// A class: arrays of objects share their metadata, which exists when a process starts.
package final class HiddenIndex: Sendable {
  let property: StoredProperty
  package let index: StoredIndex

  /// `nil` for a property without an index.
  init?(_ property: StoredProperty, of entity: StoredEntity) {
    guard let index = StoredIndex(property, of: entity) else { return nil }
    self.property = property
    self.index = index
  }
}
