import RepriseObjectModel

extension SchemaMap {
  /// Why a stored property cannot hold a value. `nil` if it can.
  package func objection(
    to value: PropertyValue, at slot: Int, of entity: EntityMap
  ) -> InvalidValue.Reason? {
    entity.entity.properties[slot].objection(to: value)
  }

  /// Appends the values of a change that its properties cannot hold.
  package func appendInvalidValues(
    in change: ObjectChange, of id: AnyObjectID, _ entity: EntityMap, to invalid: inout [InvalidValue]
  ) {
    let properties = entity.entity.properties
    func check(_ value: PropertyValue, _ slot: Int) {
      guard let reason = properties[slot].objection(to: value) else { return }
      invalid.append(
        InvalidValue(
          object: id, property: properties[slot].name, value: value, reason: reason, type: properties[slot].type))
    }
    switch change {
    case .inserted(let values): for stored in entity.stored { check(values[stored.slot], stored.slot) }
    case .updated(let changes):
      for change in changes where entity.stores(change.slot) { check(change.new, change.slot) }
    case .deleted: break
    }
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
