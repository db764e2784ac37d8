import RepriseLog
import RepriseObjectModel

extension SavePlanner {
  /// Applies the delete rules to objects that refer to a deleted one. In a save all of these references are new to the
  /// context, which followed the rules as far as it could see.
  mutating func carryDeletions(_ state: inout some LowerState & ~Escapable) throws(StoreError) {
    while operations.count <= limit, let id = deletions.popLast() {
      guard let entity = map.map(id.name) else { continue }
      for end in map.schema.relationships(of: entity.entity) where !end.stores && isGone(id) {
        if end.deleteRule.leavesReferences { continue }
        for source in try state.sources(of: id.uuid, end) {
          try carryDeletion(of: id, to: AnyObjectID(end.target.interned, source), end, &state)
          // A decision about a conflict may have taken the deletion back.
          if !isGone(id) || operations.count > limit { break }
        }
      }
      guard isGone(id) else { continue }
      for reference in map.hiddenReferences(to: entity.number) { try clear(reference, to: id, &state) }
    }
  }

  private mutating func isGone(_ id: AnyObjectID) -> Bool { place(id).map { operations[$0].isGone } ?? false }

  private mutating func carryDeletion(
    of id: AnyObjectID, to source: AnyObjectID, _ end: ResolvedSchema.Relationship,
    _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) {
    guard try stillRefers(source, slot: end.inverseSlot, to: id, &state) else { return }
    let name = end.target.properties[end.inverseSlot].name
    let conflict = Conflict(object: source, kind: .addedToDeleted(name, end.deleteRule), theirs: .reference(id))
    switch decide(conflict) {
    case .refused: break
    case .theirs, .allTheirs: try takeBack(id, &state)
    case .value(let value): try change(source, slot: end.inverseSlot, to: value, &state)
    case .mine, .allMine:
      // A pair needs both its objects, so it is deleted although the object at the other end stays.
      if end.far != nil { kept.remove(source) }
      if end.deleteRule == .cascade, !kept.contains(source) {
        try deleteByRule(source, &state)
        if let far = end.far, far.deleteRule == .cascade { try deleteFar(far, of: source, &state) }
      } else {
        try change(source, slot: end.inverseSlot, to: .null, &state)
      }
    }
  }

  /// Deletes an object because of a rule, and by cascade the targets of its stored references.
  mutating func deleteByRule(
    _ id: AnyObjectID, _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) {
    var waiting = [id]
    while operations.count <= limit, let id = waiting.popLast() {
      guard !kept.contains(id), var operation = try operation(id, &state),
        let last = operation.change.applied(to: operation.values)
      else { continue }
      operation.change = operation.values.map(ObjectChange.deleted) ?? .updated([])
      set(operation)
      deletions.append(id)
      waiting += map.schema.cascadeTargets(of: operation.map.entity, last)
    }
  }

  /// Deletes the object at the other end of a deleted object's link.
  private mutating func deleteFar(
    _ far: ResolvedSchema.Relationship.Far, of link: AnyObjectID, _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) {
    guard let target = try operation(link, &state)?.values?[far.slot].reference else { return }
    try deleteByRule(target, &state)
  }

  /// Takes a deletion back, with the deletions and emptied references that it caused.
  mutating func takeBack(_ id: AnyObjectID, _ state: inout some LowerState & ~Escapable) throws(StoreError) {
    var waiting = [id]
    while let id = waiting.popLast() {
      guard let place = place(id), operations[place].change.isDeletion, let values = operations[place].values else {
        continue
      }
      kept.insert(id)
      operations[place].drop()
      for end in map.schema.relationships(of: operations[place].map.entity) {
        if end.stores {
          guard let target = values[end.slot].reference else { continue }
          // The target may be deleted for another reason. Then its rules must apply to this reference, too.
          if end.deleteRule == .cascade { waiting.append(target) } else { deletions.append(target) }
          continue
        }
        for source in try state.sources(of: id.uuid, end) {
          guard let place = self.place(AnyObjectID(end.target.interned, source)) else { continue }
          switch operations[place].change {
          case .deleted: if end.deleteRule == .cascade { waiting.append(operations[place].id) }
          case .updated(let changes):
            let isEmptied = changes.contains { $0.slot == end.inverseSlot && $0.new.isNull }
            if isEmptied { operations[place].leaveReference(end.inverseSlot) }
          case .inserted: break
          }
        }
      }
    }
  }

  /// Empties a hidden reference to a deleted object. The referring objects stay under any delete rule, because a
  /// program must not delete objects when it cannot know that they are affected. Only links are deleted.
  private mutating func clear(
    _ reference: HiddenReference, to target: AnyObjectID, _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) {
    for source in try state.sources(of: target.uuid, reference) {
      let id = AnyObjectID(reference.source.entity.interned, source)
      guard var operation = try operation(id, &state), !operation.change.isDeletion,
        !operation.cleared.contains(reference.property)
      else { continue }
      if operation.map.entity.isLink {
        operation.change = .deleted(operation.values ?? [])
      } else {
        operation.cleared.append(reference.property)
      }
      set(operation)
    }
  }

  /// Whether deleting the target of a slot also deletes the referring object.
  func goes(with slot: Int, _ entity: EntityMap) -> Bool {
    guard let end = map.schema.relationship(slot, of: entity.entity) else { return false }
    return map.schema.relationship(end.inverseSlot, of: end.target)?.deleteRule == .cascade
  }
}
