import RepriseObjectModel

extension SavePlanner {
  /// The objects with fewer or more others at the end of a relationship than its model allows, and the deleted ones
  /// that a delete rule protects, when all operations are carried out.
  ///
  /// Nothing without such rules. Costs the references that change, and the members of each object whose number of
  /// members has limits and changes.
  mutating func relationshipViolations(
    _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) -> [RuleViolation] {
    guard map.hasRelationshipRules else { return [] }
    return try violationsOfLimits(&state) + violationsByDeletion(&state)
  }

  // MARK: Limits

  /// An object and the derived end of one of its relationships, by slot.
  private struct Members: Hashable {
    let object: AnyObjectID
    let slot: Int
  }

  private mutating func violationsOfLimits(
    _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) -> [RuleViolation] {
    var violations: [RuleViolation] = []
    /// How many members come and go.
    var changes: [Members: Int] = [:]
    for place in operations.indices {
      let operation = operations[place]
      let new = operation.isGone ? nil : operation.change.applied(to: operation.values)
      for end in map.schema.relationships(of: operation.map.entity) {
        guard end.stores else {
          // It begins without members.
          if end.limits.lowerBound > 0, new != nil, operation.values == nil {
            changes[Members(object: operation.id, slot: end.slot), default: 0] += 0
          }
          continue
        }
        let (was, now) = (operation.values?[end.slot].reference, new?[end.slot].reference)
        if end.limits.lowerBound > 0, new != nil, now == nil, was != nil || operation.values == nil {
          violations.append(violation(operation.id, end, operation.map.entity, .null, .required))
        }
        guard was != now, let back = map.schema.relationship(end.inverseSlot, of: end.target),
          back.limits != 0...Int.max
        else { continue }
        if let was { changes[Members(object: was, slot: back.slot), default: 0] -= 1 }
        if let now { changes[Members(object: now, slot: back.slot), default: 0] += 1 }
      }
    }
    for (members, change) in changes {
      guard try exists(members.object, &state), let entity = map.map(members.object.name)?.entity,
        let end = map.schema.relationship(members.slot, of: entity)
      else { continue }
      let count = try state.sources(of: members.object.uuid, end).count + change
      if end.limits.contains(count) { continue }
      let rule: RuleViolation.Rule =
        if !end.isToMany {
          .required
        } else if count < end.limits.lowerBound {
          .minimum(end.limits.lowerBound)
        } else {
          .maximum(end.limits.upperBound)
        }
      violations.append(violation(members.object, end, entity, end.isToMany ? .int(Int64(count)) : .null, rule))
    }
    return violations.sorted { ($0.object, $0.properties[0]) < ($1.object, $1.properties[0]) }
  }

  private func violation(
    _ object: AnyObjectID, _ end: ResolvedSchema.Relationship, _ entity: Entity, _ value: PropertyValue,
    _ rule: RuleViolation.Rule
  ) -> RuleViolation {
    RuleViolation(object: object, properties: [entity.properties[end.slot].name], values: [value], rule: rule)
  }

  // MARK: Deletions

  private mutating func violationsByDeletion(
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
          // What it referred to has lost nothing that dangles.
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

  /// Whether the changes delete an object that its delete rule protects from a reference: the rule says so, not a
  /// conflict.
  mutating func protects(_ target: AnyObjectID, from slot: Int, of referring: Entity) -> Bool {
    guard isDeletedHere(target), let end = map.schema.relationship(slot, of: referring) else { return false }
    return map.schema.relationship(end.inverseSlot, of: end.target)?.deleteRule.leavesReferences == true
  }

  private mutating func isDeletedHere(_ id: AnyObjectID) -> Bool {
    guard let place = place(id), case .deleted = operations[place].change else { return false }
    return true
  }

  /// What a link leads to.
  private mutating func other(
    _ far: ResolvedSchema.Relationship.Far, of link: AnyObjectID, _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) -> AnyObjectID {
    try operation(link, &state)?.values?[far.slot].reference ?? link
  }
}

extension DeleteRule {
  fileprivate var rule: RuleViolation.Rule { self == .deny ? .deny : .noAction }
}
