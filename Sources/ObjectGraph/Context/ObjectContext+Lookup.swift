import RepriseEventStore
import RepriseObjectModel

extension ObjectContext {
  /// The object with this ID. Costs one read of the store, O(log n), unless the object is already live.
  ///
  /// - Throws: ``LookupError``: the object is not found, is deleted in this context's view, has an unknown entity, or
  ///   cannot be read.
  public func object<Model: PersistentModel>(_ id: ObjectID<Model>) throws -> Model {
    guard let object = try object(id.any) as? Model else { throw LookupError.notFound(id.any) }
    return object
  }

  /// The object with this ID, whatever its model; otherwise like ``object(_:)-(ObjectID<Model>)``.
  public func object(_ id: AnyObjectID) throws -> any PersistentModel {
    if let live = liveInstance(of: id) {
      switch live._storage.knownState {
      case .deleted: throw LookupError.deleted(id)
      case .unreadable, nil: break
      default: return live
      }
    }
    guard let map = store.map.map(id.name) else { throw LookupError.unknownEntity(id.entity) }
    let reading: ObjectReading
    do {
      reading = try self.reading(of: id, map)
      if case .absent = reading { try store.requireOpen() }
    } catch {
      if case .damaged(_, let reason) = error { throw LookupError.unreadable(id, reason: reason) }
      throw LookupError.store(error)
    }
    switch reading {
    case .absent: throw LookupError.notFound(id)
    case .deleted: throw LookupError.deleted(id)
    case .present(let values): return materialize(id, map, values: values)
    }
  }

  /// The object with this ID, or `nil` if ``object(_:)-(ObjectID<Model>)`` would throw.
  public func find<Model: PersistentModel>(_ id: ObjectID<Model>) -> Model? { try? object(id) }

  /// The object that a URI names.
  ///
  /// - Throws: ``LookupError``: the URI is malformed or belongs to another log, or looking up the ID fails.
  public func object(uri: String) throws -> any PersistentModel {
    let id = try store.id(fromURI: uri)
    do {
      return try object(id)
    } catch LookupError.notFound {
      // The entity in a URI is a hint: the object may have been stored under another name.
      for map in store.map.all where map.entity.interned != id.name {
        if let object = try? object(AnyObjectID(map.entity.interned, id.uuid)) { return object }
      }
      throw LookupError.notFound(id)
    }
  }

  /// Reads an object's values now, and throws if they cannot be read, which getters never do.
  ///
  /// - Throws: ``LookupError``, like a look-up by ID, and also if the stored value of an attribute is not valid for its
  ///   type.
  public func load(_ object: some PersistentModel) throws {
    let storage = object._storage
    storage.makeFault()
    _ = try self.object(storage.id)
    for (slot, property) in storage.entity.properties.enumerated() {
      guard let attribute = property.attribute, !attribute.reads(storage.value(slot)) else { continue }
      storage.state = .unreadable
      misread(slot, of: storage)
      throw LookupError.unreadable(
        storage.id, reason: "\(property.name) holds \(storage.value(slot)), which \(attribute.type) cannot hold")
    }
  }
}
