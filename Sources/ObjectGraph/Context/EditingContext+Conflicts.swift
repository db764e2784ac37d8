import RepriseEventStore
import RepriseObjectModel

extension EditingContext {
  /// Settles a conflict: from now on these changes rest on what the others saved, and say `value`.
  ///
  /// Pass `conflict.mine`, `conflict.theirs` or a third value. For ``Conflict/Kind/deletedByMe`` the object stays
  /// deleted, whatever the value; to keep it instead, ``discard(_:)-(AnyObjectID)`` your deletion. An object that they
  /// deleted cannot be changed any more: discard your changes to it. The uncommitted steps become one step of undo.
  public func resolve(_ conflict: Conflict, with value: PropertyValue) {
    guard let map = store.map.map(conflict.object.name), let change = overlay.changes[conflict.object] else { return }
    switch (conflict.kind, change) {
    case (.attribute(let name), .updated(let changes)), (.missingTarget(let name), .updated(let changes)):
      guard let slot = map.entity.slot(named: name), let index = changes.firstIndex(where: { $0.slot == slot }) else {
        return
      }
      var settled = changes
      let base = conflict.kind == .attribute(name) ? conflict.theirs : changes[index].old
      settled[index] = PropertyChange(slot: slot, old: base, new: value)
      settled.removeAll { $0.old.isIdentical(to: $0.new) }
      rewrite(conflict.object, settled.isEmpty ? nil : .updated(settled))
    case (.missingTarget(let name), .inserted(var values)):
      guard let slot = map.entity.slot(named: name) else { return }
      values[slot] = value
      rewrite(conflict.object, .inserted(values))
    case (.deletedByMe, .deleted):
      // What cannot be read stays in conflict.
      guard let theirs = (try? valuesBelow(conflict.object, map)) ?? nil else { return }
      rewrite(conflict.object, .deleted(theirs))
    default: break
    }
  }

  /// The changes, compared with what lies below them now.
  func settled() throws(StoreError) -> Overlay.Settled {
    try overlay.settled(store.map) { (id, map) throws(StoreError) in try valuesBelow(id, map) }
  }

  /// Lets go of the uncommitted changes to one object. Nothing happens if there are none. The uncommitted steps become
  /// one step of undo.
  public func discard(_ object: some PersistentModel) {
    requireOwn(object._storage, "discard")
    discard(object._storage.id)
  }

  /// Lets go of the uncommitted changes to the object with this ID: for a conflict's object, which others may have
  /// deleted. Nothing happens if there are none. The uncommitted steps become one step of undo.
  public func discard(_ id: AnyObjectID) {
    guard let change = overlay.changes[id] else { return }
    rewrite(id, nil)
    if case .inserted(let values) = change, let live = liveInstance(of: id) { wasTakenBack(live._storage, values) }
  }

  /// Says what an object's net change is. The steps can no longer tell how it came about, so they become one.
  private func rewrite(_ id: AnyObjectID, _ change: ObjectChange?) {
    let steps = overlay.steps.count
    endTyping()
    overlay.rewrite(id, change)
    draft?.rewritten(overlay, undoing: isSaving ? steps : nil)
    leavesRedoInDraft = isSaving
    invalidate(CollectionOfOne(id))
    invalidateInChildren(CollectionOfOne(id))
    didChange()
  }
}
