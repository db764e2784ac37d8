import RepriseEventStore
import RepriseObjectModel

/// Attributes that a getter gave the default for, as what is stored is none of their types.
///
/// What is stored stays, and nothing else is kept from being saved. Kept until `refresh()`, not with the instance: what
/// somebody made of the default outlives that, and every reading of the object.
extension ObjectContext {
  package func misread(_ slot: Int, of storage: ObjectStorage) {
    if misreads[storage.id]?.contains(slot) != true { misreads[storage.id, default: []].append(slot) }
  }

  /// Why the attribute (any of them, if none is named) takes no assignment, which may come of the default: it was
  /// misread, and still holds what it cannot be read as. The storage is filled.
  func misreadError(of storage: ObjectStorage, at slot: Int? = nil) -> StoreError? {
    // Most often that is all.
    if misreads.isEmpty { return nil }
    return misreadError(of: storage.id, storage.entity, storage.values, at: slot)
  }

  private func misreadError(
    of id: AnyObjectID, _ entity: Entity, _ values: ContiguousArray<PropertyValue>, at slot: Int? = nil
  ) -> StoreError? {
    for misread in misreads[id] ?? [] where slot == nil || slot == misread {
      let property = entity.properties[misread]
      guard let attribute = property.attribute, !attribute.reads(values[misread]) else { continue }
      return .unreadableValue(object: id, property: property.name, value: values[misread])
    }
    return nil
  }

  /// Why objects are misread as of now.
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
