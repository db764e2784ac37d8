import RepriseEventStore
import RepriseObjectModel

extension EditingContext {
  func setValue(_ value: PropertyValue, at slot: Int, of storage: ObjectStorage) {
    guard !isOutOfReach(storage) else { return }
    if let error = misreadError(of: storage, at: slot) {
      refusedEdits[storage.id] = error
      return
    }
    let old = storage.value(slot)
    if !old.isIdentical(to: value) { record(storage, slot, from: old, to: value) }
  }

  /// Gives a stored property of an object this value, whatever its type. A reference to an object that is not there
  /// becomes nil.
  package func assign(_ value: PropertyValue, at slot: Int, of object: some PersistentModel) {
    requireOwn(object._storage, "change")
    if object._storage.entity.properties[slot].attribute != nil {
      setValue(value, at: slot, of: object._storage)
    } else {
      pointToOne(slot, of: object._storage, at: value.reference.flatMap { try? self.object($0) })
    }
  }

  func record(_ storage: ObjectStorage, _ slot: Int, from old: PropertyValue, to new: PropertyValue) {
    let id = storage.id
    storage.overwrite(slot, with: new)
    if !overlay.changes.contains(id) { storage.knowsBelow = true }
    record(id, .updated([PropertyChange(slot: slot, old: old, new: new)]), of: storage, slot)
  }

  /// Makes an object be read again whose value is back to where its change began, so that no change is left: the value
  /// below may differ by now.
  func settle(_ storage: ObjectStorage, _ slot: Int) {
    switch overlay.changes[storage.id] {
    case .inserted: break
    case .updated(let changes) where changes.contains(where: { $0.slot == slot }): break
    default: storage.makeFault()
    }
  }

  /// Whether assignments to an object, and of it to a relationship, are ignored, because it was deleted here, whether
  /// or not that is saved, or its insertion was undone; or because it only stands for an object that damage hides. An
  /// object that others deleted accepts edits, which become a conflict.
  private func isOutOfReach(_ storage: ObjectStorage) -> Bool {
    let state = storage.currentState
    guard state == .deleted else { return state == .unreadable && isPlaceholder(storage) }
    if isDeletedHere(storage.id) { return true }
    // An edit that was accepted is in conflict already.
    guard overlay.changes[storage.id] == nil else { return false }
    if storage.isDeletedByHost { return true }
    guard let map = store.map.map(storage.entity.interned),
      case .absent? = readingToChange(of: storage.id, map)
    else { return false }
    return (try? store.hasRecord(of: storage.uuid, map)) == false
  }

  private func isPlaceholder(_ storage: ObjectStorage) -> Bool {
    guard failedReads[storage.id] != nil, let map = store.map.map(storage.entity.interned),
      case .absent? = try? reading(of: storage.id, map)
    else { return false }
    return true
  }

  func pointToOne(_ slot: Int, of storage: ObjectStorage, at object: (any PersistentModel)?) {
    guard let end = store.map.schema.relationship(slot, of: storage.entity) else { return }
    guard !isOutOfReach(storage) else { return }
    group(nil) {
      if let object {
        join(object)
        if isOutOfReach(object._storage) { return }
      }
      if end.stores {
        refer(storage, slot, to: object?._storage.id)
      } else {
        // The other end stores the reference: previous referrers are cleared, then the new one is set.
        for member in memberIDs(end, of: storage) where member != object?._storage.uuid {
          letGo(member, end)
        }
        if let object { refer(object._storage, end.inverseSlot, to: storage.id) }
      }
    }
  }

  func addMember(_ object: any PersistentModel, to slot: Int, of storage: ObjectStorage) {
    guard let end = store.map.schema.relationship(slot, of: storage.entity), end.isToMany else { return }
    guard !isOutOfReach(storage) else { return }
    group(nil) {
      join(object)
      if isOutOfReach(object._storage) { return }
      if let far = end.far {
        addLink(end.link(storage.uuid, object._storage.uuid))
        if far.isMirrored { addLink(end.link(object._storage.uuid, storage.uuid)) }
      } else {
        refer(object._storage, end.inverseSlot, to: storage.id)
      }
    }
  }

  /// Adds a pair to a many-to-many, if it is not there.
  private func addLink(_ link: (id: AnyObjectID, values: ContiguousArray<PropertyValue>)) {
    guard let map = store.map.map(link.id.name), let reading = readingToChange(of: link.id, map),
      reading.values == nil
    else { return }
    record(link.id, .inserted(keepingPlaces(link.values, of: link.id, map)))
  }

  /// Adds the pairs that objects had while they were detached, each of which both of its objects know. Where an end is
  /// ordered, they stand there as they did.
  private func addLinks(_ lists: [(ObjectStorage, ResolvedSchema.Relationship, [any PersistentModel])]) {
    var links: [(id: AnyObjectID, values: ContiguousArray<PropertyValue>)] = []
    var numbers: [AnyObjectID: Int] = [:]
    for (storage, end, others) in lists {
      for other in others {
        if end.far?.isMirrored == true {
          let mirrored = end.link(other._storage.uuid, storage.uuid)
          if numbers[mirrored.id] == nil {
            numbers[mirrored.id] = links.count
            links.append(mirrored)
          }
        }
        let link = end.link(storage.uuid, other._storage.uuid)
        let number = numbers[link.id] ?? links.count
        if number == links.count {
          numbers[link.id] = number
          links.append(link)
        } else if let places = end.places {
          // The new link got its places later than all of this list before it.
          links[number].values[places.slot] = link.values[places.slot]
        }
      }
    }
    for link in links { addLink(link) }
  }

  private func removeLink(_ end: ResolvedSchema.Relationship, _ near: ObjectStorage, _ far: ObjectStorage) {
    let id = end.link(near.uuid, far.uuid).id
    guard let map = store.map.map(end.target.interned), let values = readingToChange(of: id, map)?.values else {
      return
    }
    record(id, .deleted(values))
  }

  func removeMember(_ object: any PersistentModel, from slot: Int, of storage: ObjectStorage) {
    guard let end = store.map.schema.relationship(slot, of: storage.entity), end.isToMany else { return }
    requireOwn(object._storage, "remove")
    if let far = end.far {
      return group(nil) {
        removeLink(end, storage, object._storage)
        if far.isMirrored { removeLink(end, object._storage, storage) }
      }
    }
    guard object._storage.value(end.inverseSlot).reference == storage.id else { return }
    group(nil) { refer(object._storage, end.inverseSlot, to: nil) }
  }

  /// Inserts a detached object into this context; an object of another context stops the program.
  private func join(_ object: any PersistentModel) {
    if object._storage.host == nil { insertReachable(object) }
    requireOwn(object._storage, "relate")
  }

  /// Sets a reference. In a one-to-one, previous references to the target are emptied.
  private func refer(_ storage: ObjectStorage, _ slot: Int, to target: AnyObjectID?) {
    let old = storage.value(slot)
    let new: PropertyValue = target.map { .reference($0) } ?? .null
    guard old != new, !isOutOfReach(storage) else { return }
    if let target, let back = store.map.schema.derivedEnd(ofOneToOne: slot, of: storage.entity) {
      for other in membersToChange(back, of: target) where other != storage.uuid { letGo(other, back) }
    }
    record(storage, slot, from: old, to: new)
    if let end = store.map.schema.relationship(slot, of: storage.entity) { settlePlace(of: storage.id, end, target) }
  }

  /// Empties the reference of the object at the storing end of `end`.
  private func letGo(_ uuid: UniqueID, _ end: ResolvedSchema.Relationship) {
    let id = AnyObjectID(end.target.interned, uuid)
    guard let map = store.map.map(id.name) else { return }
    if let live = liveInstance(of: id) {
      refer(live._storage, end.inverseSlot, to: nil)
    } else if let values = readingToChange(of: id, map)?.values, !values[end.inverseSlot].isNull {
      let change = PropertyChange(slot: end.inverseSlot, old: values[end.inverseSlot], new: .null)
      record(id, .updated([change]))
      if let back = store.map.schema.relationship(end.inverseSlot, of: end.target) { settlePlace(of: id, back, nil) }
    }
  }

  // MARK: Reading what an edit rests on

  /// `nil` if the object cannot be read; the edit is then refused.
  func readingToChange(of id: AnyObjectID, _ map: EntityMap) -> ObjectReading? {
    do {
      return try reading(of: id, map)
    } catch {
      refusedEdits[id] = error
      return nil
    }
  }

  /// Like ``members(_:of:)``, but empty if they cannot be read; the edit is then refused.
  private func membersToChange(_ end: ResolvedSchema.Relationship, of id: AnyObjectID) -> [UniqueID] {
    do {
      return try members(end, of: id.uuid)
    } catch {
      refusedEdits[id] = error
      return []
    }
  }

  // MARK: Inserting

  func insertDetached(_ object: any PersistentModel) {
    let storage = object._storage
    if storage.host === self, storage.currentState == .deleted { return insertAgain(object) }
    guard storage.host == nil else { return requireOwn(storage, "insert") }
    let reachable = Self.reachable(from: object)
    for object in reachable {
      let storage = object._storage
      precondition(
        store.map.map(storage.entity.interned)?.entity === storage.entity,
        "\(storage.entity.name) is not among the models that \(store.path) was opened with. Open the store with it.")
    }
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
        let storage = object._storage
        storage.prepareValues()
        storage.links = [:]
        storage.host = self
        if tracker != nil { storage.isTracked = true }
        storage.state = .inserted
        storage.derive()
        register(object, storage.id)
        record(storage.id, .inserted(storage.values))
      }
      addLinks(pairs)
    }
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

  /// Also false if that cannot be read; the edit is then refused.
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
    if object._storage.links.isEmpty { return [object] }
    var found: [any PersistentModel] = []
    var seen: Set<ObjectIdentifier> = []
    // Members are born in the order in which they were added.
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

  // MARK: Deleting

  /// Deletes an object, and carries out the delete rules. If any object concerned cannot be read, nothing is deleted:
  /// the edit is refused.
  func deleteReachable(_ id: AnyObjectID) {
    var state = ContextState(context: self)
    do throws(StoreError) {
      apply(try store.map.deletion(of: CollectionOfOne(id), over: &state) ?? [])
    } catch {
      refusedEdits[id] = error
    }
  }

  /// Records planned changes, and updates live objects.
  func apply(_ changes: [(object: AnyObjectID, change: ObjectChange)]) {
    for (id, change) in changes.sorted(by: { $0.object < $1.object }) {
      record(id, change)
      if case .updated(let updates) = change, grouping.reversal == nil { settlePlaces(of: id, after: updates) }
      guard let live = liveInstance(of: id) else { continue }
      switch change {
      case .deleted(let values) where overlay.changes.contains(id): fill(live._storage, .deleted(values))
      // The object was inserted here, so no change of it is left.
      case .deleted(let values): wasTakenBack(live._storage, values)
      case .inserted, .updated: live._storage.makeFault()
      }
    }
  }
}
