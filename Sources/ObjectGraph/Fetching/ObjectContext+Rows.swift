import RepriseEventStore
import RepriseObjectModel

extension ObjectContext {
  /// The instance of an object that a list shows, as it saw it in `projection`. One that is gone meanwhile reads with
  /// the values that it had there.
  package func instance(of id: AnyObjectID, _ map: EntityMap, seenIn projection: Projection) -> any PersistentModel {
    let object = materialize(id, map)
    let storage = object._storage
    if storage.isFilled { return object }
    guard let reading = try? reading(of: id, map) else {
      // Fails again, and takes note of it.
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

  /// An object in the place of one that cannot even be named, because the index that leads to it cannot be read.
  package func unreadableInstance(_ entity: Entity, _ error: StoreError) -> any PersistentModel {
    let storage = ObjectStorage(entity, uuid: UniqueID(), host: self)
    storage.fill(entity.defaults, as: .unreadable)
    let object = entity.makeObject(storage)
    register(object, storage.id)
    failedReads[storage.id] = error
    return object
  }
}
