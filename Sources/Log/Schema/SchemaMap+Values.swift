import RepriseObjectModel

extension SchemaMap {
  /// Why a stored property cannot hold a value. `nil` if it can.
  package func objection(
    to value: PropertyValue, at slot: Int, of entity: EntityMap
  ) -> InvalidValue.Reason? {
    entity.entity.properties[slot].objection(to: value)
  }
}

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

extension Property {
  /// Why an attribute or a to-one cannot hold a value. `nil` if it can.
  package func objection(to value: PropertyValue) -> InvalidValue.Reason? {
    guard let attribute else {
      guard let target, !value.isNull else { return nil }
      return value.reference?.name == target.interned ? nil : .typeMismatch(expected: "an object of \(target.name)")
    }
    if value.isNull { return attribute.isOptional ? nil : .missing }
    guard attribute.kind.accepts(value) else { return .typeMismatch(expected: attribute.kind.withArticle) }
    return attribute.reads(value) ? nil : .outOfRange
  }
}

extension AttributeKind {
  fileprivate var withArticle: String {
    switch self {
    case .int, .unsigned: "an \(name)"
    case .bytes: name
    default: "a \(name)"
    }
  }
}
