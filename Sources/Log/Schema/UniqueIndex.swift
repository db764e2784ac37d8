import RepriseObjectModel

/// A unique index of a stored schema: no two objects of the entity may have the same values in all of its columns. Its
/// ``uniqueness`` determines whether nil equals nil.
///
/// The rule belongs to the store. So it also binds programs whose models lack the index or some of its columns. A
/// class: arrays of objects share their metadata, which exists when a process starts.
package final class UniqueIndex: Sendable {
  package let index: StoredIndex
  /// By column, `nil` for one that this process's model lacks.
  package let slots: [Int?]
  /// The slot of the index itself. `nil` if the model lacks it.
  package let slot: Int?
  /// Never ``Uniqueness/none``.
  package let uniqueness: Uniqueness
  let collations: [Collation]

  /// `nil` for any other property.
  ///
  /// - Parameter slot: The slot of the property with this number, in this process's model.
  package init?(_ property: StoredProperty, of stored: StoredEntity, slot: (UInt32) -> Int?) {
    guard property.role.uniqueness > .none, let index = StoredIndex(property, of: stored),
      case .columns(let collations)? = index.kind
    else { return nil }
    self.index = index
    uniqueness = property.role.uniqueness
    self.collations = collations
    slots = index.columns.map { slot($0.number) }
    self.slot = slot(property.number)
  }

  package var number: UInt32 { index.number }

  /// The names of the columns.
  package var properties: [String] { index.columns.map(\.name) }

  /// The key of these values of the columns. `nil` if a column is nil, and nil does not equal nil.
  package func key(_ columns: [PropertyValue]) -> UniqueKey? {
    UniqueKey(columns, collations, nilsAreEqual: uniqueness == .nilsAreEqual)
  }

  /// The values of the columns. `nil` if the model lacks one of them.
  package func columns(_ values: ContiguousArray<PropertyValue>) -> [PropertyValue]? {
    var columns: [PropertyValue] = []
    columns.reserveCapacity(slots.count)
    for slot in slots {
      guard let slot else { return nil }
      columns.append(values[slot])
    }
    return columns
  }
}
