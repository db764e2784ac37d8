import RepriseEventStore
import RepriseObjectModel

extension EditingContext {
  /// Sets a stored property of an object to a value of any type. A reference to a missing object becomes nil.
  package func assign(_ value: PropertyValue, at slot: Int, of object: some PersistentModel) {
    requireOwn(object._storage, "change")
    if object._storage.entity.properties[slot].attribute != nil {
      set(value, at: slot, of: object._storage)
    } else {
      setToOne(value.reference.flatMap { try? self.object($0) }, at: slot, of: object._storage)
    }
  }

  func record(_ storage: ObjectStorage, _ slot: Int, from old: PropertyValue, to new: PropertyValue) {
    let id = storage.id
    storage.overwrite(slot, with: new)
    if !overlay.changes.contains(id) { storage.knowsBelow = true }
    record(id, .updated([PropertyChange(slot: slot, old: old, new: new)]), of: storage, slot)
  }

  /// Makes an object be read again if an edit returned a value to the one before its change, so that no change is left.
  /// The value in the layers below may be another one by now.
  func settle(_ storage: ObjectStorage, _ slot: Int) {
    switch overlay.changes[storage.id] {
    case .inserted: break
    case .updated(let changes) where changes.contains(where: { $0.slot == slot }): break
    default: storage.makeFault()
    }
  }

  /// Whether assignments to the object's properties, and assignments of the object to a relationship, are ignored. This
  /// holds if the object was deleted here, saved or not, if its insertion was undone, or if it represents a damaged
  /// object. An object that another context deleted accepts edits, which become a conflict.
  func isOutOfReach(_ storage: ObjectStorage) -> Bool {
    let state = storage.currentState
    guard state == .deleted else { return state == .unreadable && isPlaceholder(storage) }
    if isDeletedHere(storage.id) { return true }
    // If the object has a change, an earlier edit was accepted and is already a conflict.
    guard overlay.changes[storage.id] == nil else { return false }
    if storage.isDeletedByHost { return true }
    guard let map = store.map.map(storage.entity.interned),
      case .absent? = readingToChange(of: storage.id, map)
    else { return false }
    return (try? store.objects.hasRecord(of: storage.uuid, map)) == false
  }

  func isPlaceholder(_ storage: ObjectStorage) -> Bool {
    guard failedReads[storage.id] != nil, let map = store.map.map(storage.entity.interned),
      case .absent? = try? reading(of: storage.id, map)
    else { return false }
    return true
  }

  /// `nil` if the object cannot be read. Then the failure is recorded, so that the next save throws.
  func readingToChange(of id: AnyObjectID, _ map: EntityMap) -> ObjectReading? {
    do {
      return try reading(of: id, map)
    } catch {
      refusedEdits[id] = error
      return nil
    }
  }

  // MARK: Deleting

  /// Deletes an object by its delete rules. If any object concerned cannot be read, the edit is refused, and nothing is
  /// deleted.
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
