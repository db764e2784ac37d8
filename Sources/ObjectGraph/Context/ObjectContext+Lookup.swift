import RepriseEventStore
import RepriseObjectModel

extension ObjectContext {
  /// The object with this ID. One read in the store, O(log n), unless it is live already.
  ///
  /// - Throws: ``LookupError``: not found, deleted as this context sees it, of no known entity, or not readable.
  public func object<Model: PersistentModel>(_ id: ObjectID<Model>) throws -> Model {
    guard let object = try object(id.any) as? Model else { throw LookupError.notFound(id.any) }
    return object
  }

  /// The object with this ID, whatever its model. As ``object(_:)-(ObjectID<Model>)``.
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

  /// The object with this ID, or `nil` where ``object(_:)-(ObjectID<Model>)`` would throw.
  public func find<Model: PersistentModel>(_ id: ObjectID<Model>) -> Model? { try? object(id) }

  /// The object that a URI names.
  ///
  /// - Throws: ``LookupError``: a malformed URI, one of another log, and what look-up by ID throws.
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

  /// Reads an object's values now, and says why where they cannot be read; getters never do.
  ///
  /// - Throws: ``LookupError``, as look-up by ID does, and where the stored value of an attribute is none of its type.
  public func load(_ object: some PersistentModel) throws {
    let storage = object._storage
    storage.makeFault()
    _ = try self.object(storage.id)
    for (slot, property) in storage.entity.properties.enumerated() {
      guard let attribute = property.attribute, !attribute.reads(storage.value(slot)) else { continue }
      storage.state = .unreadable
      misread(slot, of: storage)
      throw LookupError.unreadable(
        storage.id, reason: "\(property.name) holds \(storage.value(slot)), which is not of its type")
    }
  }
}
