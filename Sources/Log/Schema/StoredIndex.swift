import RepriseObjectModel

/// An index of a stored schema: the properties from which its rows derive. Needs no models. A class: arrays of objects
/// share their metadata, which exists when a process starts.
package final class StoredIndex: Sendable {
  package let number: UInt32
  /// The properties that its rows derive from.
  package let columns: [StoredProperty]
  /// `nil` for the plain index over a to-one relationship.
  package let kind: EntityIndex.Kind?

  /// `nil` for a property without an index.
  package init?(_ property: StoredProperty, of entity: StoredEntity) {
    guard let number = property.index else { return nil }
    self.number = number
    func find(_ number: UInt32) -> StoredProperty {
      entity.property(number: number) ?? StoredProperty(number: number, name: "", role: property.role)
    }
    switch property.role {
    case .attribute:
      columns = [property]
      kind = .columns([.binary])
    case .toOne, .toMany:
      columns = [property]
      kind = nil
    case .columns(let stored, _):
      columns = stored.map { find($0.property) }
      kind = .columns(stored.map(\.collation))
    case .words(let attribute, _):
      columns = [find(attribute)]
      kind = .words
    }
  }
}
