import RepriseEventStore
import RepriseObjectModel

extension ObjectContext {
  /// The instance of an object that a list found in `projection`. If the object no longer exists, the instance has its
  /// values from `projection`.
  package func instance(of id: AnyObjectID, _ map: EntityMap, seenIn projection: Projection) -> any PersistentModel {
    let object = materialize(id, map)
    let storage = object._storage
    if storage.isFilled { return object }
    guard let reading = try? reading(of: id, map) else {
      // Filling fails again, and records the error.
      fill(storage)
      return object
    }
    if case .absent = reading, let last = (try? projection.read(id, map)) ?? nil {
      fill(storage, .deleted(last))
    } else {
      fill(storage, reading)
    }
    return object
  }

  /// A placeholder for an object whose ID is unknown, because an index or a link cannot be read.
  ///
  /// - Parameter uuid: The UUID of the link. The same link gets the same placeholder again.
  package func unreadableInstance(
    _ entity: Entity, _ error: StoreError, uuid: UniqueID = UniqueID()
  ) -> any PersistentModel {
    let id = AnyObjectID(entity.interned, uuid)
    failedReads[id] = error
    let live = liveInstance(of: id)
    let storage = live?._storage ?? ObjectStorage(entity, uuid: uuid, host: self)
    storage.fill(entity.defaults, as: .unreadable)
    if let live { return live }
    let object = entity.makeObject(storage)
    register(object, id)
    return object
  }
}
