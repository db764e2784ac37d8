import RepriseLog
import RepriseObjectModel

extension SavePlanner {
  /// The deletions that a rule forbids while objects refer to the deleted one.
  mutating func violationsByDeletion(
    _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) -> [RuleViolation] {
    // Most saves delete nothing.
    guard operations.contains(where: { if case .deleted = $0.change { true } else { false } }) else { return [] }
    var violations: [RuleViolation] = []
    let added = referencesToDeleted()
    for place in operations.indices {
      let deleted = operations[place]
      guard case .deleted(let last) = deleted.change else { continue }
      for end in map.schema.relationships(of: deleted.map.entity) where end.deleteRule.leavesReferences {
        if end.stores {
          // The deleted object stored this reference itself, so nothing dangles.
          guard end.deleteRule == .deny, let target = last[end.slot].reference, try exists(target, &state) else {
            continue
          }
          violations.append(violation(deleted.id, end, deleted.map.entity, .reference(target), .deny))
          continue
        }
        let new = added[Members(object: deleted.id, slot: end.slot)] ?? []
        for source in try state.sources(of: deleted.uuid, end) + new {
          let id = AnyObjectID(end.target.interned, source)
          guard try stillRefers(id, slot: end.inverseSlot, to: deleted.id, &state), try exists(id, &state) else {
            continue
          }
          var far = id
          if let end = end.far { far = try other(end, of: id, &state) }
          if end.deleteRule == .noAction, end.far == nil,
            let back = map.schema.relationship(end.inverseSlot, of: end.target)
          {
            violations.append(violation(far, back, end.target, .reference(deleted.id), .noAction))
          } else {
            violations.append(violation(deleted.id, end, deleted.map.entity, .reference(far), end.deleteRule.rule))
          }
        }
      }
    }
    return violations
  }

  /// The objects that refer to a deleted one since these changes, by the end that is deleted.
  private mutating func referencesToDeleted() -> [Members: [UniqueID]] {
    var references: [Members: [UniqueID]] = [:]
    for operation in operations where operation.map.refers {
      for (slot, target) in operation.change.newReferences {
        guard isDeletedHere(target), operation.values?[slot].reference != target,
          let end = map.schema.relationship(slot, of: operation.map.entity)
        else { continue }
        references[Members(object: target, slot: end.inverseSlot), default: []].append(operation.uuid)
      }
    }
    return references
  }

  /// Whether the changes delete an object that its delete rule protects from a reference. Then the save reports the
  /// rule instead of a conflict.
  mutating func protects(_ target: AnyObjectID, from slot: Int, of referring: Entity) -> Bool {
    guard isDeletedHere(target), let end = map.schema.relationship(slot, of: referring) else { return false }
    return map.schema.relationship(end.inverseSlot, of: end.target)?.deleteRule.leavesReferences == true
  }

  private mutating func isDeletedHere(_ id: AnyObjectID) -> Bool {
    guard let place = place(id), case .deleted = operations[place].change else { return false }
    return true
  }

  /// The object at the other end of a link.
  private mutating func other(
    _ far: ResolvedSchema.Relationship.Far, of link: AnyObjectID, _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) -> AnyObjectID {
    try operation(link, &state)?.values?[far.slot].reference ?? link
  }
}

extension DeleteRule {
  fileprivate var rule: RuleViolation.Rule { self == .deny ? .deny : .noAction }
}
