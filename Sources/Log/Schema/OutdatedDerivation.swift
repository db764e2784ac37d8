import RepriseObjectModel

/// Derived attributes of an entity that are new, or have another version. The stored objects lack the values that this
/// program computes. A class: arrays of objects share their metadata, which exists when a process starts.
package final class OutdatedDerivation: Sendable {
  package let entity: Entity
  package let slots: [Int]

  package init(_ entity: Entity, slots: [Int]) {
    self.entity = entity
    self.slots = slots
  }

  package var names: String { slots.map { entity.properties[$0].name }.joined(separator: ", ") }

  /// Whether a property is one of these attributes, or an index over one.
  func concerns(_ slot: Int) -> Bool {
    slots.contains(slot) || entity.index(slot)?.columns.contains(where: slots.contains) ?? false
  }
}
