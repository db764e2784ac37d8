import RepriseEventStore
import RepriseObjectModel

/// A context on top of another: it sees its parent's changes as they are made, and its own above them.
///
/// For an editor that may be cancelled. ``save(_:)`` puts the changes into the parent, synchronously, as one step of
/// its undo; ``EditingContext/discard()`` lets them go. A child lives in its parent's isolation and holds its parent.
public final class ChildContext: EditingContext {
  /// The context below.
  public let parent: EditingContext

  init(parent: EditingContext) {
    self.parent = parent
    super.init(store: parent.store, turn: parent.turn, pinned: parent.store.pin(at: parent.sequence))
  }

  override func reading(of id: AnyObjectID, _ map: EntityMap) throws(StoreError) -> ObjectReading {
    guard let change = overlay.changes[id] else { return try parent.currentReading(of: id, map) }
    if case .inserted(let values) = change { return .present(values) }
    return try parent.currentReading(of: id, map).under(change, map.entity)
  }

  override func isInserted(_ id: AnyObjectID) -> Bool {
    overlay.changes[id]?.isInsertion ?? false || parent.isInserted(id)
  }

  override var layers: [Overlay] { parent.layers + [overlay] }

  override func valuesBelow(_ id: AnyObjectID, _ map: EntityMap) throws(StoreError) -> ContiguousArray<PropertyValue>? {
    try parent.reading(of: id, map).values
  }

  override func write(_ value: PropertyValue, at slot: Int, of storage: ObjectStorage) {
    setValue(value, at: slot, of: storage)
  }
  override func point(_ slot: Int, of storage: ObjectStorage, at object: (any PersistentModel)?) {
    pointToOne(slot, of: storage, at: object)
  }
  override func add(_ object: any PersistentModel, to slot: Int, of storage: ObjectStorage) {
    addMember(object, to: slot, of: storage)
  }
  override func remove(_ object: any PersistentModel, from slot: Int, of storage: ObjectStorage) {
    removeMember(object, from: slot, of: storage)
  }
  override func insertReachable(_ object: any PersistentModel) { insertDetached(object) }

  /// What the parent changed, since these changes began, of what they change.
  ///
  /// - Throws: ``StoreError`` if the store cannot be read.
  public func conflicts() throws(StoreError) -> [Conflict] { try settled().conflicts }

  /// Puts the changes into the parent, as one step of its undo. The child is empty afterwards and goes on; its draft is
  /// emptied in the same journal frame that keeps the changes in the parent's.
  ///
  /// Costs the objects changed, and those that the parent's relationships lead to from objects that were deleted.
  ///
  /// - Parameter name: What the step is called, as in "Undo Rename".
  /// - Throws: ``ChildSaveError``; nothing changed then, here or in the parent.
  public func save(_ name: String? = nil) throws(ChildSaveError) {
    guard faults.isEmpty else { throw .unreadable(faults.keys.sorted()) }
    guard !overlay.isEmpty else { return discard() }
    let settled: Overlay.Settled
    do {
      settled = try self.settled()
    } catch {
      throw .unreadable([])
    }
    guard settled.conflicts.isEmpty else { throw .conflicts(settled.conflicts) }
    let (own, before) = (overlay, parent.overlay)
    overlay = Overlay()
    let edits = parent.absorb(settled.changes, name: name)
    let lost = parent.lostReferences(settled.changes)
    if lost.isEmpty {
      endTyping()
      DraftRecorder.moved(edits, from: self, to: parent)
      if draft != nil || hasTakenFromDrafts { parent.hasTakenFromDrafts = true }
      hasTakenFromDrafts = false
    } else {
      overlay = own
      parent.overlay = before
      parent.reread(edits.map(\.edit.object))
    }
    reread(own.changes.keys)
    if !lost.isEmpty { throw .conflicts(lost) }
  }
}

extension EditingContext {
  /// Takes over a child's changes, and carries delete rules and one-to-ones to objects that the child could not see, as
  /// a save into the log does.
  fileprivate func absorb(_ changes: ObjectMap<ObjectChange>, name: String?) -> [RecordedEdit] {
    let changes = changes.sorted { $0.key < $1.key }
    return collecting(name) {
      for (id, change) in changes {
        record(id, change)
        invalidate(CollectionOfOne(id))
        if case .deleted(let values) = change, let live = liveInstance(of: id) { fill(live._storage, .deleted(values)) }
      }
      for (id, change) in changes { complete(id, change) }
    }
  }

  /// Which of these changes refer to what a delete rule has taken away meanwhile.
  fileprivate func lostReferences(_ changes: ObjectMap<ObjectChange>) -> [Conflict] {
    func exists(_ id: AnyObjectID) -> Bool {
      guard let map = store.map.map(id.name), let reading = try? reading(of: id, map) else { return true }
      return reading.values != nil
    }
    var conflicts: [Conflict] = []
    for (id, change) in changes.sorted(by: { $0.key < $1.key }) where exists(id) {
      guard let entity = store.map.map(id.name)?.entity else { continue }
      for (slot, target) in change.newReferences where !exists(target) {
        let kind = Conflict.Kind.missingTarget(entity.properties[slot].name)
        conflicts.append(Conflict(object: id, kind: kind, mine: .reference(target)))
      }
    }
    return conflicts
  }

  /// Makes live objects read again, here and in the contexts above.
  func reread(_ ids: some Sequence<AnyObjectID>) {
    invalidate(ids)
    invalidateInChildren(ids)
    didChange()
  }
}
