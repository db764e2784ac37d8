import RepriseEventStore
import RepriseObjectModel

extension EditingContext {
  /// The conflicts that a save would meet now, or an empty array if there are none.
  ///
  /// A conflict is a change below this context that a save would overwrite. For a root, that is a save by another
  /// context. For a child, it is a change in its parent.
  ///
  /// Costs time in proportion to the uncommitted changes and to the objects that refer to objects deleted here.
  ///
  /// - Throws: ``StoreError`` if the store cannot be read.
  public func conflicts() throws -> [Conflict] {
    overlay.isEmpty ? [] : try merge(Merging()).conflicts
  }

  /// Resolves a conflict by rebasing the uncommitted changes onto the other save, with `value` as the result.
  ///
  /// Pass `conflict.mine`, `conflict.theirs` or a third value. A root context first moves to the head, like
  /// ``RootContext/refresh()``, so it shows the other save. All uncommitted steps become one undo step. If the
  /// conflicting change no longer exists, nothing happens.
  ///
  /// Some kinds of conflict treat the value specially:
  ///
  /// - ``Conflict/Kind/deletedByMe``: the object stays deleted, and the value is ignored. To keep the object, call
  ///   ``discard(_:)-(AnyObjectID)`` on it.
  /// - ``Conflict/Kind/deletedByThem`` and ``Conflict/Kind/unrestorable``: your changes to the object are discarded,
  ///   and the value is ignored.
  /// - ``Conflict/Kind/insertedTwice``: your values become changes of the existing object, and the value is ignored.
  /// - ``Conflict/Kind/addedToDeleted(_:_:)``: with `mine`, the delete rule runs, and ``changes`` includes its effects.
  ///   With `theirs`, your deletion is discarded. With another object, the reference points to that object.
  /// - ``Conflict/Kind/taken(_:by:)``: with `mine`, the other object's reference becomes `nil`.
  ///
  /// - Throws: ``PropertyError/invalidValue(_:)`` if the property cannot hold the value. ``StoreError`` if the store
  ///   cannot be read. Then no change was made.
  public func resolve(_ conflict: Conflict, with value: PropertyValue) throws {
    guard let map = store.map.map(conflict.object.name) else { return }
    let slot = conflict.attribute.flatMap { map.entity.slot(named: $0) }
    if let slot, let property = conflict.attribute,
      let reason = try objection(to: value, for: conflict, at: slot, map)
    {
      throw PropertyError.invalidValue(
        InvalidValue(
          object: conflict.object, property: property, value: value, reason: reason,
          type: map.entity.properties[slot].type))
    }
    try overlay.changes.readAll()
    try moveToWhatIsBelow()
    try settle(conflict, with: value, at: slot, map)
  }

  /// Always accepts the other save's value, because that value is already stored, even if this program's models could
  /// not hold it.
  private func objection(
    to value: PropertyValue, for conflict: Conflict, at slot: Int, _ map: EntityMap
  ) throws(StoreError) -> InvalidValue.Reason? {
    if case .attribute = conflict.kind, value.isIdentical(to: conflict.theirs) { return nil }
    if let reason = map.entity.properties[slot].objection(to: value) { return reason }
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

  /// A link stays as it is or is deleted. It cannot lead to another object.
  private func settle(_ conflict: Conflict, ofLink id: AnyObjectID, with value: PropertyValue) {
    let links = [id] + (mirrored(id).map { [$0] } ?? [])
    guard case .addedToDeleted = conflict.kind, case .reference(let target) = conflict.theirs else {
      for link in links { discard(link) }
      return
    }
    if value == conflict.theirs { return discard(target) }
    for link in links { deleteBelow(link) }
  }

  /// The link in the other direction, if the relationship is its own inverse.
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

  /// Deletes an object by a delete rule. Takes its values from the layers below, because this context may not see the
  /// object yet.
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
        // The reference has the same value in the lower layers, so the member's place there is valid.
        changes.removeAll { $0.slot == places.slot }
      }
      rewrite(id, changes.isEmpty ? nil : .updated(changes.sorted { $0.slot < $1.slot }))
    case nil:
      if !old.isIdentical(to: new) { rewrite(id, .updated([PropertyChange(slot: slot, old: old, new: new)])) }
    }
  }

  /// Discards the uncommitted changes to one object.
  ///
  /// If there are any, all uncommitted steps become one undo step. Does nothing if the object has no uncommitted
  /// changes. An object of another context stops the program.
  public func discard(_ object: some PersistentModel) {
    requireOwn(object._storage, "discard")
    discard(object._storage.id)
  }

  /// Discards the uncommitted changes to the object with this ID.
  ///
  /// Use the ID if the object is in conflict because another context may have deleted it. If there are changes to
  /// discard, all uncommitted steps become one undo step. If an edit of the object failed because a record was
  /// unreadable, this also clears that failure.
  public func discard(_ id: AnyObjectID) {
    refusedEdits[id] = nil
    if hiddenRows.removeValue(forKey: id) != nil { knownRows = nil }
    guard let change = overlay.changes[id] else { return }
    rewrite(id, nil)
    if case .inserted(let values) = change, let live = liveInstance(of: id) { wasTakenBack(live._storage, values) }
  }

  /// Replaces an object's net change. The steps no longer add up to the net change, so they become one step.
  private func rewrite(_ id: AnyObjectID, _ change: ObjectChange?) {
    // Rewriting would lose a change that cannot be read. The next save throws the reason.
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
