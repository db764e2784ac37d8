import RepriseEventStore
import RepriseObjectModel

extension EditingContext {
  /// The conflicts with which a save would be refused now: saves of others (for a child, changes of its parent) that it
  /// would overwrite. Empty if it would go through.
  ///
  /// Costs the uncommitted changes, and the objects that refer to those deleted here.
  ///
  /// - Throws: ``StoreError`` if the store cannot be read.
  public func conflicts() throws -> [Conflict] {
    overlay.isEmpty ? [] : try merge(Merging()).conflicts
  }

  /// Resolves a conflict: these changes are rebased onto the others' save, with `value`.
  ///
  /// Pass `conflict.mine`, `conflict.theirs` or a third value. A root moves to the head, like
  /// ``RootContext/refresh()``, where it sees the others' save. The uncommitted steps become one undo step. Nothing
  /// happens if the changes in question no longer exist.
  ///
  /// - ``Conflict/Kind/deletedByMe``: the object stays deleted, whatever the value; to keep it,
  ///   ``discard(_:)-(AnyObjectID)`` your deletion.
  /// - ``Conflict/Kind/deletedByThem`` and ``Conflict/Kind/unrestorable``: your changes to it are discarded, whatever
  ///   the value.
  /// - ``Conflict/Kind/insertedTwice``: your values become changes of the existing object, whatever the value.
  /// - ``Conflict/Kind/addedToDeleted(_:_:)``: with `mine` the delete rule is carried out, and ``changes`` includes its
  ///   effects; with `theirs` your deletion is discarded; with another object the reference leads there.
  /// - ``Conflict/Kind/taken(_:by:)``: with `mine` the other object's reference is emptied.
  ///
  /// - Throws: ``ResolutionError``: the property cannot hold the value, or the store cannot be read. Then nothing has
  ///   changed.
  public func resolve(_ conflict: Conflict, with value: PropertyValue) throws {
    guard let map = store.map.map(conflict.object.name) else { return }
    let slot = conflict.attribute.flatMap { map.entity.slot(named: $0) }
    var reason: InvalidValue.Reason?
    do throws(StoreError) {
      if let slot { reason = try objection(to: value, for: conflict, at: slot, map) }
      if reason == nil {
        try overlay.changes.readAll()
        try moveToWhatIsBelow()
        try settle(conflict, with: value, at: slot, map)
      }
    } catch {
      throw ResolutionError.store(error)
    }
    if let reason, let property = conflict.attribute {
      throw ResolutionError.invalidValue(
        InvalidValue(object: conflict.object, property: property, value: value, reason: reason))
    }
  }

  /// Their value is always accepted, because it is already stored, even if this program's models could not hold it.
  private func objection(
    to value: PropertyValue, for conflict: Conflict, at slot: Int, _ map: EntityMap
  ) throws(StoreError) -> InvalidValue.Reason? {
    if case .attribute = conflict.kind, value.isIdentical(to: conflict.theirs) { return nil }
    if let reason = store.map.objection(to: value, at: slot, of: map) { return reason }
    guard let target = value.reference, let targets = store.map.map(target.name),
      try reading(of: target, targets).values == nil, try valuesBelow(target, targets) == nil,
      try !wasThereBelow(target, targets)
    else { return nil }
    return .unsavedTarget
  }

  private func settle(
    _ conflict: Conflict, with value: PropertyValue, at slot: Int?, _ map: EntityMap
  ) throws(StoreError) {
    let id = conflict.object
    if map.entity.isLink { return settle(conflict, ofLink: id, with: value) }
    switch (conflict.kind, overlay.changes[id]) {
    case (.attribute, .updated):
      if let slot { rewrite(id, slot, from: conflict.theirs, to: value) }
    case (.missingTarget, .updated(let changes)), (.unsavedTarget, .updated(let changes)):
      guard let slot, let change = changes.first(where: { $0.slot == slot }) else { return }
      rewrite(id, slot, from: change.old, to: value)
    case (.missingTarget, .inserted), (.unsavedTarget, .inserted):
      if let slot { rewrite(id, slot, from: .null, to: value) }
    case (.deletedByMe, .deleted(let last)):
      guard let theirs = try valuesBelow(id, map) else { return }
      rewrite(id, .deleted(theirs))
      let gone = store.map.schema.cascadeTargets(of: map.entity, last)
      for target in store.map.schema.cascadeTargets(of: map.entity, theirs) where !gone.contains(target) {
        deleteBelow(target)
      }
    case (.deletedByThem, .updated), (.unrestorable, .updated): if try valuesBelow(id, map) == nil { discard(id) }
    case (.insertedTwice, .inserted(let values)):
      if let theirs = try valuesBelow(id, map) { rewrite(id, .updated(from: theirs, to: values)) }
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

  /// A pair stays together or goes: it cannot lead elsewhere.
  private func settle(_ conflict: Conflict, ofLink id: AnyObjectID, with value: PropertyValue) {
    let links = [id] + (mirrored(id).map { [$0] } ?? [])
    guard case .addedToDeleted = conflict.kind, case .reference(let target) = conflict.theirs else {
      for link in links { discard(link) }
      return
    }
    if value == conflict.theirs { return discard(target) }
    for link in links { deleteBelow(link) }
  }

  /// The link in the other direction, of a relationship that is its own inverse.
  private func mirrored(_ id: AnyObjectID) -> AnyObjectID? {
    guard let map = store.map.map(id.name) else { return nil }
    let below = try? valuesBelow(id, map)
    let values: ContiguousArray<PropertyValue>? =
      switch overlay.changes[id] {
      case .inserted(let values), .deleted(let values): values
      case .updated, nil: below ?? nil
      }
    guard let values else { return nil }
    return store.map.schema.mirror(ofLink: map.entity, values)
  }

  /// Deletes an object by a delete rule, with its values below: this context may not see it yet.
  private func deleteBelow(_ id: AnyObjectID) {
    guard let map = store.map.map(id.name), !(overlay.changes[id]?.isDeletion ?? false),
      let values = (try? valuesBelow(id, map)) ?? nil
    else { return }
    rewrite(id, .deleted(values))
    for target in store.map.schema.cascadeTargets(of: map.entity, values) { deleteBelow(target) }
    for conflict in (try? conflicts()) ?? [] where conflict.theirs == .reference(id) {
      if case .addedToDeleted = conflict.kind, let map = store.map.map(conflict.object.name) {
        try? settle(conflict, with: .null, at: conflict.attribute.flatMap { map.entity.slot(named: $0) }, map)
      }
    }
  }

  /// Replaces a property's net change, and the value below that it is based on.
  private func rewrite(_ id: AnyObjectID, _ slot: Int, from old: PropertyValue, to new: PropertyValue) {
    switch overlay.changes[id] {
    case .inserted(var values):
      values[slot] = new
      rewrite(id, .inserted(values))
    case .deleted: break
    case .updated(var changes):
      changes.removeAll { $0.slot == slot }
      if !old.isIdentical(to: new) {
        changes.append(PropertyChange(slot: slot, old: old, new: new))
      } else if let map = store.map.map(id.name),
        let places = store.map.schema.relationship(slot, of: map.entity)?.places
      {
        // Where it belongs is what is below, and so is its place there.
        changes.removeAll { $0.slot == places.slot }
      }
      rewrite(id, changes.isEmpty ? nil : .updated(changes.sorted { $0.slot < $1.slot }))
    case nil:
      if !old.isIdentical(to: new) { rewrite(id, .updated([PropertyChange(slot: slot, old: old, new: new)])) }
    }
  }

  /// Discards the uncommitted changes to one object, if there are any. The uncommitted steps become one undo step.
  public func discard(_ object: some PersistentModel) {
    requireOwn(object._storage, "discard")
    discard(object._storage.id)
  }

  /// Discards the uncommitted changes to the object with this ID, if there are any: for an object in conflict, which
  /// others may have deleted. The uncommitted steps become one undo step.
  ///
  /// An edit of it that was refused, because something could not be read, is forgotten.
  public func discard(_ id: AnyObjectID) {
    refusedEdits[id] = nil
    guard let change = overlay.changes[id] else { return }
    rewrite(id, nil)
    if case .inserted(let values) = change, let live = liveInstance(of: id) { wasTakenBack(live._storage, values) }
  }

  /// Replaces an object's net change. The steps no longer lead to it, so they become one.
  private func rewrite(_ id: AnyObjectID, _ change: ObjectChange?) {
    // What cannot be read would be lost. The next save says why.
    guard (try? overlay.changes.readAll()) != nil else { return }
    let steps = overlay.steps.count
    endTyping()
    overlay.rewrite(id, change)
    draft?.rewritten(overlay, undoing: isSaving ? steps : nil, in: self)
    leavesRedoInDraft = isSaving
    invalidate(CollectionOfOne(id))
    invalidateInChildren(CollectionOfOne(id))
    didChange()
  }
}
