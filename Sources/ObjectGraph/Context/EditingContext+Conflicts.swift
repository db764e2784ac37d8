import RepriseEventStore
import RepriseObjectModel

extension EditingContext {
  /// What others saved since these changes began (for a child: what its parent changed) and a save would go over:
  /// exactly what a save would be refused with now. Empty if it would go through.
  ///
  /// Costs what is uncommitted, and the objects that refer to what is deleted here.
  ///
  /// - Throws: ``StoreError`` if the store cannot be read.
  public func conflicts() throws(StoreError) -> [Conflict] {
    overlay.isEmpty ? [] : try merge(Merging()).conflicts
  }

  /// Settles a conflict: from now on these changes rest on what the others saved, and say `value`.
  ///
  /// Pass `conflict.mine`, `conflict.theirs` or a third value. The uncommitted steps become one step of undo.
  ///
  /// - ``Conflict/Kind/deletedByMe``: the object stays deleted, whatever the value; to keep it instead,
  ///   ``discard(_:)-(AnyObjectID)`` your deletion.
  /// - ``Conflict/Kind/deletedByThem``: the object cannot be changed any more: discard your changes to it.
  /// - ``Conflict/Kind/addedToDeleted(_:_:)``: with `mine` the delete rule is carried out, and ``changes`` has what it
  ///   does; with `theirs` your deletion is let go of; with another object the reference leads there.
  /// - ``Conflict/Kind/taken(_:by:)``: with `mine` the other object lets go.
  public func resolve(_ conflict: Conflict, with value: PropertyValue) {
    let id = conflict.object
    guard let map = store.map.map(id.name) else { return }
    let slot = conflict.attribute.flatMap { map.entity.slot(named: $0) }
    switch (conflict.kind, overlay.changes[id]) {
    case (.attribute, .updated):
      if let slot { rewrite(id, slot, from: conflict.theirs, to: value) }
    case (.missingTarget, .updated(let changes)):
      guard let slot, let change = changes.first(where: { $0.slot == slot }) else { return }
      rewrite(id, slot, from: change.old, to: value)
    case (.missingTarget, .inserted):
      if let slot { rewrite(id, slot, from: .null, to: value) }
    case (.deletedByMe, .deleted(let last)):
      // What cannot be read stays in conflict.
      guard let theirs = (try? valuesBelow(id, map)) ?? nil else { return }
      rewrite(id, .deleted(theirs))
      for end in store.map.schema.relationships(of: map.entity) where end.stores && end.deleteRule == .cascade {
        if let target = theirs[end.slot].reference, last[end.slot].reference != target { deleteBelow(target) }
      }
    case (.addedToDeleted(_, let rule), _):
      guard let slot, case .reference(let target) = conflict.theirs, overlay.changes[target]?.isDeletion ?? false else {
        return
      }
      if value == conflict.theirs {
        discard(target)
      } else if value.isNull && rule == .cascade {
        deleteBelow(id)
      } else {
        rewrite(id, slot, from: conflict.theirs, to: value)
      }
    case (.taken(_, let other), .some(let change)):
      guard let slot,
        change.newReferences.contains(where: { $0.slot == slot && .reference($0.target) == conflict.mine })
      else { return }
      if value == conflict.mine {
        rewrite(other, slot, from: conflict.mine, to: .null)
      } else {
        rewrite(id, slot, from: conflict.theirs, to: value)
      }
    default: break
    }
  }

  /// Deletes what a delete rule leads to, as it is below: this context need not see it.
  private func deleteBelow(_ id: AnyObjectID) {
    guard let map = store.map.map(id.name), !(overlay.changes[id]?.isDeletion ?? false),
      let values = (try? valuesBelow(id, map)) ?? nil
    else { return }
    rewrite(id, .deleted(values))
    for end in store.map.schema.relationships(of: map.entity) where end.stores && end.deleteRule == .cascade {
      if let target = values[end.slot].reference { deleteBelow(target) }
    }
    for conflict in (try? conflicts()) ?? [] where conflict.theirs == .reference(id) {
      if case .addedToDeleted = conflict.kind { resolve(conflict, with: .null) }
    }
  }

  /// Says what a property is from now on, and what below it that rests on.
  private func rewrite(_ id: AnyObjectID, _ slot: Int, from old: PropertyValue, to new: PropertyValue) {
    switch overlay.changes[id] {
    case .inserted(var values):
      values[slot] = new
      rewrite(id, .inserted(values))
    case .deleted: break
    case .updated(var changes):
      changes.removeAll { $0.slot == slot }
      if !old.isIdentical(to: new) { changes.append(PropertyChange(slot: slot, old: old, new: new)) }
      rewrite(id, changes.isEmpty ? nil : .updated(changes.sorted { $0.slot < $1.slot }))
    case nil:
      if !old.isIdentical(to: new) { rewrite(id, .updated([PropertyChange(slot: slot, old: old, new: new)])) }
    }
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
