import RepriseLog
import RepriseObjectModel

extension SavePlanner {
  /// The objects with too few or too many members in a relationship, and the deleted objects that a delete rule
  /// protects, after all operations.
  ///
  /// Costs nothing without such rules. Otherwise, takes a step for each changed reference, and reads the members of
  /// each object whose limited number of members changes.
  mutating func relationshipViolations(
    _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) -> [RuleViolation] {
    guard map.hasRelationshipRules else { return [] }
    return try violationsOfLimits(&state) + violationsByDeletion(&state)
  }

  /// An object and the derived end of one of its relationships, by slot.
  struct Members: Hashable {
    let object: AnyObjectID
    let slot: Int
  }

  private mutating func violationsOfLimits(
    _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) -> [RuleViolation] {
    var violations: [RuleViolation] = []
    /// The change of the number of members.
    var changes: [Members: Int] = [:]
    for place in operations.indices {
      let operation = operations[place]
      let new = operation.isGone ? nil : operation.change.applied(to: operation.values)
      for end in map.schema.relationships(of: operation.map.entity) {
        guard end.stores else {
          // A new object begins without members, so it must be checked even if no member changes.
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

  func violation(
    _ object: AnyObjectID, _ end: ResolvedSchema.Relationship, _ entity: Entity, _ value: PropertyValue,
    _ rule: RuleViolation.Rule
  ) -> RuleViolation {
    RuleViolation(object: object, properties: [entity.properties[end.slot].name], values: [value], rule: rule)
  }
}
