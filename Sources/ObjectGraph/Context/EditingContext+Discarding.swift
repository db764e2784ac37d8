import RepriseEventStore
import RepriseObjectModel

extension EditingContext {
  /// Discards all uncommitted changes, so that the context shows its parent or the log again.
  ///
  /// Objects inserted here become deleted objects that keep their last values. The draft ends, and the next edit begins
  /// a new one under the same ID. Failed edits of unreadable objects are forgotten, and no longer make saves throw. If
  /// a save is under way, only the edits made after it began are discarded.
  ///
  /// Costs time in proportion to the discarded changes.
  public func discard() {
    forgetRefusals()
    guard !overlay.isPristine else { return }
    let changes = overlay.changes
    // Unreadable changes are discarded as well.
    try? changes.readAll()
    let steps = overlay.steps.count
    overlay = Overlay()
    if !isSaving { forgetUnread() }
    takenDrafts = []
    draft?.empty(undoing: isSaving ? steps : nil, in: self)
    leavesRedoInDraft = isSaving
    endTyping()
    for (id, change) in changes {
      if let storage = liveInstance(of: id)?._storage { takeBack(change, from: storage) }
    }
    invalidateInChildren(changes.keys)
    didChange()
  }

  /// Reverts a live object to its state without `change`, which has left the overlay.
  private func takeBack(_ change: ObjectChange, from storage: ObjectStorage) {
    switch change {
    case .inserted(let values):
      wasTakenBack(storage, values)
    case .updated(let updates):
      if !storage.takeBack(updates) { storage.makeFault() }
    case .deleted:
      storage.makeFault()
    }
  }

  /// Makes a live object whose insertion has left the overlay read as deleted, with its last values. If the object
  /// exists below, because a deletion there was undone, it is not deleted.
  func wasTakenBack(_ storage: ObjectStorage, _ values: ContiguousArray<PropertyValue>) {
    if let map = store.map.map(storage.entity.interned), let below = try? reading(of: storage.id, map),
      below.values != nil
    {
      storage.makeFault()
    } else {
      fill(storage, .deleted(values))
    }
  }
}
