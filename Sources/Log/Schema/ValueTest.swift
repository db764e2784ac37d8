import RepriseObjectModel

/// Finds the values of changes that their properties cannot hold.
package struct ValueTest {
  package private(set) var invalidValues: [InvalidValue] = []
  private var entity: EntityMap?
  /// ``Property/plainValues`` of the entity, by slot.
  private var plain: [UInt8] = []

  package init() {}

  package mutating func test(_ change: ObjectChange, of uuid: UniqueID, _ entity: EntityMap) {
    switch change {
    case .inserted(let values):
      if self.entity !== entity {
        self.entity = entity
        plain = entity.entity.properties.map(\.plainValues)
      }
      for stored in entity.stored where !values[stored.slot].isPlain(among: plain[stored.slot]) {
        test(values[stored.slot], stored.slot, of: uuid, entity)
      }
    case .updated(let changes):
      for change in changes where entity.stores(change.slot) { test(change.new, change.slot, of: uuid, entity) }
    case .deleted: break
    }
  }

  private mutating func test(_ value: PropertyValue, _ slot: Int, of uuid: UniqueID, _ entity: EntityMap) {
    let property = entity.entity.properties[slot]
    guard let reason = property.objection(to: value) else { return }
    invalidValues.append(
      InvalidValue(
        object: AnyObjectID(entity.entity.interned, uuid), property: property.name, value: value, reason: reason,
        type: property.type))
  }
}
