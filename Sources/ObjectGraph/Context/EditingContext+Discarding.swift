import RepriseEventStore
import RepriseObjectModel

extension EditingContext {
  /// Lets go of all uncommitted changes: the context reads as its parent, or as the log, does. Objects inserted here
  /// become deleted ones with their last values. A draft is emptied; the next edit begins it again.
  ///
  /// Costs what was changed.
  public func discard() {
    guard !overlay.isPristine else { return }
    let changes = overlay.changes
    let steps = overlay.steps.count
    overlay = Overlay()
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

  /// Lets a live object read as it does without `change`, which is in the overlay no more.
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

  /// Lets a live object, whose insertion is in the overlay no more, read as deleted with its last values; unless it is
  /// below by now, where a deletion was taken back.
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
