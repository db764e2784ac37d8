import RepriseLog
import RepriseObjectModel

/// The objects that a save restores, and the references to them that their deletion emptied.
private struct Restored {
  /// The last values of each object.
  var values: [AnyObjectID: ContiguousArray<PropertyValue>] = [:]
  /// The objects in the order in which they were found.
  var order: [AnyObjectID] = []
  var emptied: [(reference: PastDeletion.Reference, target: AnyObjectID)] = []
}

extension SavePlanner {
  /// Restores objects that another save deleted and this one changed, as they were before that deletion. Also restores
  /// the objects and pairs that were deleted with them, and the references that were emptied.
  ///
  /// An object with another change in this save stays as that change leaves it. A reference that was set again since
  /// the deletion stays, too.
  ///
  /// - Parameter changes: All changes of the save.
  mutating func restore(
    beside changes: [(object: AnyObjectID, change: ObjectChange)], _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) {
    var own: [AnyObjectID: ObjectChange] = [:]
    for (object, change) in changes { own[object] = change }
    var restored = Restored()
    var known: [PastDeletion] = []
    for id in restorations {
      guard let entity = map.map(id.name) else { continue }
      guard let deletion = try state.deletion(of: id.uuid, entity, known), deletion.deleted[id] != nil else {
        // If the last values are unknown, the save is refused: a new object without them would be wrong, and dropping
        // the changes would lose them. If the parent reverted the insertion, the object is not restored.
        if try state.mayHaveForgotten(id.uuid, entity) { refuse(Conflict(object: id, kind: .unrestorable)) }
        continue
      }
      if !known.contains(where: { $0 === deletion }) { known.append(deletion) }
      try collect(id, deletion, except: own, into: &restored, &state)
    }
    for id in restored.order where map.map(id.name)?.entity.isLink == true {
      if try !hasBothEnds(id, restored, &state) { restored.values[id] = nil }
    }
    var taken = placesTaken(by: restored, own)
    for id in restored.order { try bringBack(id, restored, own[id], &taken, &state) }
    for (reference, target) in restored.emptied where restored.values[target] != nil {
      try refill(reference, target, own[reference.object], &taken, &state)
    }
  }

  /// Collects an object, and all objects that are restored with it.
  private func collect(
    _ id: AnyObjectID, _ deletion: PastDeletion, except own: [AnyObjectID: ObjectChange],
    into restored: inout Restored, _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) {
    var waiting = [id]
    while let id = waiting.popLast() {
      guard restored.values[id] == nil, let entity = map.map(id.name)?.entity, let last = deletion.deleted[id] else {
        continue
      }
      restored.values[id] = last
      restored.order.append(id)
      var parts = map.schema.cascadeTargets(of: entity, last)
      if let mirror = map.schema.mirror(ofLink: entity, last) { parts.append(mirror) }
      for end in map.schema.relationships(of: entity) where !end.stores {
        for reference in deletion.references(to: id, by: end) {
          guard let values = deletion.deleted[reference.object] else {
            restored.emptied.append((reference, id))
            continue
          }
          guard end.deleteRule == .cascade, values[reference.slot].reference == id else { continue }
          parts.append(reference.object)
          if let far = end.far, far.deleteRule == .cascade, own[reference.object] == nil,
            let target = values[far.slot].reference
          {
            parts.append(target)
          }
        }
      }
      for part in parts where own[part] == nil && deletion.deleted[part] != nil {
        if try isStillDeleted(part, by: deletion, &state) { waiting.append(part) }
      }
    }
  }

  /// Whether an object does not exist since this deletion. Another save may have restored it, or deleted it again.
  private func isStillDeleted(
    _ id: AnyObjectID, by deletion: PastDeletion, _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) -> Bool {
    guard let entity = map.map(id.name), try state.object(id.uuid, entity) == nil else { return false }
    return try state.deletion(of: id.uuid, entity, [deletion]) === deletion
  }

  private mutating func hasBothEnds(
    _ link: AnyObjectID, _ restored: Restored, _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) -> Bool {
    for target in (restored.values[link] ?? []).compactMap(\.reference) where restored.values[target] == nil {
      if try !exists(target, &state) { return false }
    }
    return true
  }

  /// Adds the insertion of a restored object, unless it is a pair that lacks an end.
  private mutating func bringBack(
    _ id: AnyObjectID, _ restored: Restored, _ own: ObjectChange?, _ taken: inout Set<Members>,
    _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) {
    guard let last = restored.values[id], let entity = map.map(id.name) else { return }
    // Under `overwrite`, the object as the context shows it.
    var values = merging.shown[id] ?? last
    var changed: SlotSet = []
    if case .updated(let changes)? = own {
      for change in changes {
        values[change.slot] = change.new
        changed.insert(change.slot)
      }
    }
    for slot in values.indices where !changed.contains(slot) {
      guard let target = values[slot].reference else { continue }
      let isFree = try isFree(target, slot, entity.entity, restored, &taken, &state)
      if !isFree { values[slot] = .null }
    }
    set(try insertion(id, values, entity, &state))
  }

  /// Lets an object refer to a restored one again, if its reference is still empty.
  private mutating func refill(
    _ reference: PastDeletion.Reference, _ target: AnyObjectID, _ own: ObjectChange?, _ taken: inout Set<Members>,
    _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) {
    let slot = reference.slot
    switch own {
    case .updated(let changes)? where changes.contains { $0.slot == slot }: return
    case .inserted?, .deleted?: return
    case .updated?, nil: break
    }
    // A restored object may have lost the reference before it was deleted.
    guard let operation = try operation(reference.object, &state), operation.values?[slot].isNull ?? true,
      operation.change.applied(to: operation.values)?[slot].isNull ?? false
    else { return }
    if let place = place(of: target, slot, operation.map.entity), !taken.insert(place).inserted { return }
    try change(reference.object, slot: slot, to: .reference(target), &state)
  }

  // MARK: One-to-ones

  /// The end of a one-to-one that only one object may refer to. `nil` for any other reference.
  private func place(of target: AnyObjectID, _ slot: Int, _ entity: Entity) -> Members? {
    map.schema.derivedEnd(ofOneToOne: slot, of: entity).map { Members(object: target, slot: $0.slot) }
  }

  /// The ends of one-to-ones that changes of this save fill.
  private func placesTaken(by restored: Restored, _ own: [AnyObjectID: ObjectChange]) -> Set<Members> {
    var taken: Set<Members> = []
    func take(_ change: ObjectChange, _ entity: Entity) {
      for (slot, target) in change.newReferences {
        if let place = place(of: target, slot, entity) { taken.insert(place) }
      }
    }
    for operation in operations where operation.map.refers { take(operation.change, operation.map.entity) }
    for id in restored.order {
      if let change = own[id], let entity = map.map(id.name)?.entity { take(change, entity) }
    }
    return taken
  }

  /// Whether a restored object may refer to its former target. If so, it takes the place of a one-to-one.
  private mutating func isFree(
    _ target: AnyObjectID, _ slot: Int, _ entity: Entity, _ restored: Restored, _ taken: inout Set<Members>,
    _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) -> Bool {
    if restored.values[target] == nil, try !exists(target, &state) { return false }
    guard let end = map.schema.derivedEnd(ofOneToOne: slot, of: entity) else { return true }
    guard try state.sources(of: target.uuid, end).isEmpty else { return false }
    return taken.insert(Members(object: target, slot: end.slot)).inserted
  }
}
