import RepriseEventStore
import RepriseObjectModel

extension EditingContext {
  func setValue(_ value: PropertyValue, at slot: Int, of storage: ObjectStorage) {
    guard !isOutOfReach(storage) else { return }
    if let error = misreadError(of: storage, at: slot) {
      // The save says so.
      failedReads[storage.id] = error
      return
    }
    let old = storage.value(slot)
    if !old.isIdentical(to: value) { record(storage, slot, from: old, to: value) }
  }

  private func record(_ storage: ObjectStorage, _ slot: Int, from old: PropertyValue, to new: PropertyValue) {
    let id = storage.id
    storage.overwrite(slot, with: new)
    if !overlay.changes.contains(id) { storage.knowsBelow = true }
    record(id, .updated([PropertyChange(slot: slot, old: old, new: new)]))
    switch overlay.changes[id] {
    case .inserted: break
    case .updated(let changes) where changes.contains(where: { $0.slot == slot }): break
    // Back where the change began: nothing of it is left, and below there may be another value by now.
    default: storage.makeFault()
    }
  }

  /// Whether what is assigned to an object has nowhere to go: it was deleted here, or its insertion was taken back.
  /// What others deleted takes edits, which show as a conflict.
  private func isOutOfReach(_ storage: ObjectStorage) -> Bool {
    guard storage.currentState == .deleted else { return false }
    if isDeletedHere(storage.id) { return true }
    guard overlay.changes[storage.id] == nil, let map = store.map.map(storage.entity.interned),
      case .absent? = readingToChange(of: storage.id, map)
    else { return false }
    return (try? store.hasRecord(of: storage.uuid, map)) == false
  }

  func pointToOne(_ slot: Int, of storage: ObjectStorage, at object: (any PersistentModel)?) {
    guard let end = store.map.schema.relationship(slot, of: storage.entity) else { return }
    guard !isOutOfReach(storage) else { return }
    group(nil) {
      if let object { join(object) }
      if end.stores {
        refer(storage, slot, to: object?._storage.id, end)
      } else {
        // The other end stores: whoever referred to this object stops, then the new one begins.
        for member in memberIDs(end, of: storage) where member != object?._storage.uuid {
          letGo(member, end)
        }
        if let object { refer(object._storage, end.inverseSlot, to: storage.id, nil) }
      }
    }
  }

  func addMember(_ object: any PersistentModel, to slot: Int, of storage: ObjectStorage) {
    guard let end = store.map.schema.relationship(slot, of: storage.entity), end.isToMany else { return }
    guard !isOutOfReach(storage) else { return }
    group(nil) {
      join(object)
      refer(object._storage, end.inverseSlot, to: storage.id, nil)
    }
  }

  func removeMember(_ object: any PersistentModel, from slot: Int, of storage: ObjectStorage) {
    guard let end = store.map.schema.relationship(slot, of: storage.entity), end.isToMany else { return }
    requireOwn(object._storage, "remove")
    guard object._storage.value(end.inverseSlot).reference == storage.id else { return }
    group(nil) { refer(object._storage, end.inverseSlot, to: nil, nil) }
  }

  /// A detached object joins this context; one of another context stops the program.
  private func join(_ object: any PersistentModel) {
    if object._storage.host == nil { insertReachable(object) }
    requireOwn(object._storage, "relate")
  }

  /// Writes a reference. In a one-to-one, whoever referred to the target before lets go of it.
  private func refer(
    _ storage: ObjectStorage, _ slot: Int, to target: AnyObjectID?, _ known: ResolvedSchema.Relationship?
  ) {
    let old = storage.value(slot)
    let new: PropertyValue = target.map { .reference($0) } ?? .null
    guard old != new, !isOutOfReach(storage) else { return }
    if let target, let end = known ?? store.map.schema.relationship(slot, of: storage.entity), !end.inverseIsToMany,
      let back = store.map.schema.relationship(end.inverseSlot, of: end.target)
    {
      for other in membersToChange(back, of: target) where other != storage.uuid { letGo(other, back) }
    }
    record(storage, slot, from: old, to: new)
  }

  /// Empties the reference of the object at the storing end of `end`.
  private func letGo(_ uuid: UniqueID, _ end: ResolvedSchema.Relationship) {
    let id = AnyObjectID(end.target.interned, uuid)
    guard let map = store.map.map(id.name) else { return }
    if let live = liveInstance(of: id) {
      refer(live._storage, end.inverseSlot, to: nil, nil)
    } else if let values = readingToChange(of: id, map)?.values, !values[end.inverseSlot].isNull {
      let change = PropertyChange(slot: end.inverseSlot, old: values[end.inverseSlot], new: .null)
      record(id, .updated([change]))
    }
  }

  // MARK: Reading what an edit rests on

  /// `nil` if it cannot be read; the context then saves nothing until it could be.
  private func readingToChange(of id: AnyObjectID, _ map: EntityMap) -> ObjectReading? {
    do {
      return try reading(of: id, map)
    } catch {
      failedReads[id] = error
      return nil
    }
  }

  /// As ``members(_:of:)``; none if they cannot be read, and the context then saves nothing until they could be.
  private func membersToChange(_ end: ResolvedSchema.Relationship, of id: AnyObjectID) -> [UniqueID] {
    do {
      return try members(end, of: id.uuid)
    } catch {
      failedReads[id] = error
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
        }
      }
      for object in reachable {
        let storage = object._storage
        storage.prepareValues()
        storage.links = [:]
        storage.host = self
        storage.state = .inserted
        register(object, storage.id)
        record(storage.id, .inserted(storage.values))
      }
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

  /// Whether an object that is inserted again may refer to what it referred to: that may be gone, or another's by now.
  private func isFree(_ target: AnyObjectID, for slot: Int, of storage: ObjectStorage) -> Bool {
    guard let map = store.map.map(target.name), let end = store.map.schema.relationship(slot, of: storage.entity) else {
      return false
    }
    if let reading = readingToChange(of: target, map), reading.values == nil { return false }
    guard !end.inverseIsToMany, let back = store.map.schema.relationship(end.inverseSlot, of: end.target) else {
      return true
    }
    return membersToChange(back, of: target).isEmpty
  }

  private static func reachable(from object: any PersistentModel) -> [any PersistentModel] {
    if object._storage.links.isEmpty { return [object] }
    var found: [any PersistentModel] = []
    var seen: Set<ObjectIdentifier> = []
    var waiting: [any PersistentModel] = [object]
    while let next = waiting.popLast() {
      guard next._storage.host == nil, seen.insert(ObjectIdentifier(next)).inserted else { continue }
      found.append(next)
      for links in next._storage.links.values { waiting += links.objects }
    }
    return found
  }

  // MARK: Deleting

  func deleteReachable(_ id: AnyObjectID) {
    var waiting = [id]
    var seen: Set<AnyObjectID> = []
    while let id = waiting.popLast() {
      guard seen.insert(id).inserted, let map = store.map.map(id.name) else { continue }
      guard case .present(let values) = readingToChange(of: id, map) else { continue }
      for end in store.map.schema.relationships(of: map.entity) {
        if end.stores {
          if end.deleteRule == .cascade, let target = values[end.slot].reference { waiting.append(target) }
        } else {
          for member in membersToChange(end, of: id) {
            let other = AnyObjectID(end.target.interned, member)
            switch end.deleteRule {
            case .cascade: waiting.append(other)
            case .nullify: if other != id { letGo(member, end) }
            }
          }
        }
      }
      record(id, .deleted(values))
      guard let live = liveInstance(of: id) else { continue }
      if overlay.changes.contains(id) {
        fill(live._storage, .deleted(values))
      } else {
        // It was inserted here, and nothing is left of it.
        wasTakenBack(live._storage, values)
      }
    }
  }
}
