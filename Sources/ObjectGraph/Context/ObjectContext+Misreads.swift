import RepriseEventStore
import RepriseObjectModel

/// Misreads: attributes whose getter returned the default, because the stored value is not valid for their type.
///
/// The stored value stays, and saves of other properties succeed. Misreads are tracked until `refresh()`, and not in
/// the instance, because a value derived from the default may live longer than the instance.
extension ObjectContext {
  package func misread(_ slot: Int, of storage: ObjectStorage) {
    if misreads[storage.id]?.contains(slot) != true { misreads[storage.id, default: []].append(slot) }
  }

  /// The reason for refusing assignments to an attribute, or to any attribute if `slot` is `nil`. The attribute was
  /// misread, its value is still not valid, and an assigned value may be derived from the default. The storage must be
  /// filled.
  func misreadError(of storage: ObjectStorage, at slot: Int? = nil) -> StoreError? {
    // Most contexts have no misreads.
    if misreads.isEmpty { return nil }
    return misreadError(of: storage.id, storage.entity, storage.values, at: slot)
  }

  private func misreadError(
    of id: AnyObjectID, _ entity: Entity, _ values: ContiguousArray<PropertyValue>, at slot: Int? = nil
  ) -> StoreError? {
    for misread in misreads[id] ?? [] where slot == nil || slot == misread {
      let property = entity.properties[misread]
      guard let attribute = property.attribute, !attribute.reads(values[misread]) else { continue }
      return .unreadableValue(
        object: id, property: property.name, value: values[misread], type: AttributeType(attribute.type))
    }
    return nil
  }

  /// The objects with misread attributes that are still not valid, with the reason.
  var misreadErrors: [AnyObjectID: StoreError] {
    var errors: [AnyObjectID: StoreError] = [:]
    for id in misreads.keys {
      guard let map = store.map.map(id.name) else { continue }
      do {
        guard let values = try currentReading(of: id, map).values else { continue }
        errors[id] = misreadError(of: id, map.entity, values)
      } catch {
        errors[id] = error
      }
    }
    return errors
  }
}
