import RepriseEventStore
import RepriseObjectModel

extension ObjectContext {
  /// Returns the object with this ID.
  ///
  /// Costs one read of the store, O(log n), unless the object is already live.
  ///
  /// - Throws: ``LookupError`` if the object is not found, is deleted in this context's view, has an unknown entity, or
  ///   cannot be read.
  public func object<Model: PersistentModel>(_ id: ObjectID<Model>) throws -> Model {
    guard let object = try object(id.any) as? Model else { throw LookupError.notFound(id.any) }
    return object
  }

  /// Returns the object with this ID, of any model. Otherwise it works like ``object(_:)-(ObjectID<Model>)``.
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

  /// Returns the object with this ID, or `nil` if ``object(_:)-(ObjectID<Model>)`` would throw.
  public func find<Model: PersistentModel>(_ id: ObjectID<Model>) -> Model? { try? object(id) }

  /// The object with this ID. `nil` if it does not exist in this context. Throws if a read failed, so that its
  /// existence is unknown.
  func existing(_ id: AnyObjectID) throws -> (any PersistentModel)? {
    do {
      return try object(id)
    } catch let error as LookupError {
      switch error {
      case .notFound, .deleted, .unknownEntity: return nil
      default: throw error
      }
    }
  }

  /// Returns the object that a URI names.
  ///
  /// Costs the same as ``object(_:)-(ObjectID<Model>)``. If the entity in the URI has no such object, the call searches
  /// every other entity, because the model may have been renamed.
  ///
  /// - Throws: ``LookupError`` if the URI is malformed or belongs to another log, or if the lookup fails.
  public func object(uri: String) throws -> any PersistentModel {
    let id = try store.id(fromURI: uri)
    do {
      return try object(id)
    } catch LookupError.notFound {
      // The entity in a URI is a hint: the object may have been stored under another name.
      for map in store.map.all where map.entity.interned != id.name {
        if let object = try existing(AnyObjectID(map.entity.interned, id.uuid)) { return object }
      }
      throw LookupError.notFound(id)
    }
  }

  /// Reads an object's values again now, and throws if they cannot be read.
  ///
  /// Getters never throw.
  ///
  /// - Throws: ``LookupError``, like a lookup by ID. Also if a stored value is not valid for the type of its attribute.
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
