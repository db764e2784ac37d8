import RepriseEventStore
import RepriseObjectModel

extension EditingContext {
  /// Inserts a detached object, and all detached objects that its relationships reach.
  func insertReachable(_ object: any PersistentModel) {
    let storage = object._storage
    if storage.host === self, storage.currentState == .deleted { return insertAgain(object) }
    guard storage.host == nil else { return requireOwn(storage, "insert") }
    // The relationships of most new objects are empty.
    if storage.links.isEmpty {
      requireModel(of: storage)
      return group(nil) { bringIn(object) }
    }
    let reachable = Self.reachable(from: object)
    for object in reachable { requireModel(of: object._storage) }
    group(nil) {
      for object in reachable {
        let storage = object._storage
        for slot in storage.links.keys {
          guard let end = store.map.schema.relationship(slot, of: storage.entity), end.stores,
            let target = storage.links[slot]?.objects.first
          else { continue }
          _ = storage.value(slot)
          storage.values[slot] = .reference(target._storage.id)
          if let places = end.places { storage.values[places.slot] = Place.atEnd() }
        }
      }
      for object in reachable { placeMembers(of: object._storage) }
      var pairs: [(ObjectStorage, ResolvedSchema.Relationship, [any PersistentModel])] = []
      for object in reachable {
        let storage = object._storage
        for (slot, links) in storage.links {
          guard let end = store.map.schema.relationship(slot, of: storage.entity), end.far != nil else {
            continue
          }
          pairs.append((storage, end, links.objects))
        }
      }
      for object in reachable {
        object._storage.links = [:]
        bringIn(object)
      }
      addLinks(pairs)
    }
  }

  private func requireModel(of storage: ObjectStorage) {
    precondition(
      store.map.map(storage.entity.interned)?.entity === storage.entity,
      "\(storage.entity.name) is not among the models that \(store.path) was opened with. Open the store with it.")
  }

  /// Inserts a detached object without links.
  private func bringIn(_ object: any PersistentModel) {
    let storage = object._storage
    storage.prepareValues()
    storage.host = self
    if tracker != nil { storage.isTracked = true }
    storage.state = .inserted
    storage.derive()
    let id = storage.id
    register(object, id)
    record(id, .inserted(storage.values))
  }

  /// Gives the detached members of ordered relationships places in their order.
  private func placeMembers(of storage: ObjectStorage) {
    for (slot, links) in storage.links {
      guard let end = store.map.schema.relationship(slot, of: storage.entity), end.isToMany, end.far == nil,
        let places = end.places
      else { continue }
      for member in links.objects { member._storage.values[places.slot] = Place.atEnd() }
    }
  }

  private func insertAgain(_ object: any PersistentModel) {
    let storage = object._storage
    storage.prepareValues()
    var values = storage.values
    for slot in values.indices {
      guard let target = values[slot].reference, !isFree(target, for: slot, of: storage) else { continue }
      values[slot] = .null
    }
    storage.values = values
    storage.state = .inserted
    register(object, storage.id)
    record(storage.id, .inserted(values))
    storage.makeFault()
  }

  /// Whether `target` exists and, in a one-to-one, no other object refers to it. Also false if this cannot be read.
  /// Then the next save throws.
  private func isFree(_ target: AnyObjectID, for slot: Int, of storage: ObjectStorage) -> Bool {
    guard let map = store.map.map(storage.entity.interned) else { return false }
    do throws(StoreError) {
      return try ContextState(context: self).isFree(target, slot, map, store.map)
    } catch {
      refusedEdits[storage.id] = error
      return false
    }
  }

  private static func reachable(from object: any PersistentModel) -> [any PersistentModel] {
    var found: [any PersistentModel] = []
    var seen: Set<ObjectIdentifier> = []
    // Members are created in the order of their insertion.
    var waiting: [any PersistentModel] = [object]
    var place = 0
    while place < waiting.count {
      let next = waiting[place]
      place += 1
      guard next._storage.host == nil, seen.insert(ObjectIdentifier(next)).inserted else { continue }
      found.append(next)
      for links in next._storage.links.values { waiting += links.objects }
    }
    return found
  }
}
