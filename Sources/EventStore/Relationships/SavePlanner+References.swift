import RepriseLog
import RepriseObjectModel

extension SavePlanner {
  /// Ensures that the target of every new reference exists.
  mutating func checkReferences(_ state: inout some LowerState & ~Escapable) throws(StoreError) {
    var known: [AnyObjectID: Bool] = [:]
    for own in operations.indices where operations[own].map.refers {
      for (slot, target) in operations[own].change.newReferences {
        guard let entity = map.map(target.name) else { continue }
        let place = place(target)
        let exists: Bool
        if let place {
          exists = !operations[place].isGone
        } else if let answer = known[target] {
          exists = answer
        } else {
          exists = try state.object(target.uuid, entity) != nil
          known[target] = exists
        }
        if exists || !operations[own].refers(slot, to: target) { continue }
        if protects(target, from: slot, of: operations[own].map.entity) { continue }
        let name = operations[own].map.entity.properties[slot].name
        let wasThere = if place == nil { try state.wasThere(target.uuid, entity) } else { true }
        let conflict = Conflict(
          object: operations[own].id, kind: wasThere ? .missingTarget(name) : .unsavedTarget(name),
          mine: .reference(target))
        try settle(conflict, at: own, slot, isMissing: true, &state)
      }
    }
  }

  /// Settles a conflict about a new reference of an operation. True if the reference stands.
  @discardableResult
  mutating func settle(
    _ conflict: Conflict, at place: Int, _ slot: Int, isMissing: Bool, _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) -> Bool {
    switch decide(conflict) {
    case .refused: return false
    case .mine, .allMine:
      if isMissing, operations[place].map.entity.isLink {
        operations[place].drop()
      } else if isMissing {
        operations[place].refer(slot, to: .null)
      }
      return !isMissing
    case .theirs:
      // A new object that belongs to a deleted one is dropped, because the delete rule would have deleted it. For a
      // link, the rule does not matter.
      let entity = operations[place].map
      if isMissing, operations[place].change.isInsertion, entity.entity.isLink || goes(with: slot, entity) {
        operations[place].drop()
      } else {
        operations[place].leaveReference(slot)
      }
    case .allTheirs: operations[place].drop()
    case .value(let value):
      if let target = value.reference, !(try exists(target, &state)) {
        refuse(conflict)
      } else {
        operations[place].refer(slot, to: value)
      }
    }
    return false
  }
}

extension SavePlan.Operation {
  func refers(_ slot: Int, to target: AnyObjectID) -> Bool {
    change.applied(to: values)?[slot].reference == target
  }

  /// Sets the reference that the object has afterwards.
  mutating func refer(_ slot: Int, to value: PropertyValue) {
    guard let now = change.applied(to: values) else { return }
    let step = ObjectChange.updated([PropertyChange(slot: slot, old: now[slot], new: value)])
    change = change.followed(by: step) ?? .updated([])
    // If the reference leads to its former target again, the object also keeps its former place there.
    guard map.entity.keepsPlaces, case .updated(let changes) = change, !changes.contains(where: { $0.slot == slot }),
      let place = map.entity.slot(named: Property.nameOfPlaces(in: map.entity.properties[slot].name))
    else { return }
    change = .updated(changes.filter { $0.slot != place })
  }

  /// Leaves the reference as it is below. For a new object, empties it.
  mutating func leaveReference(_ slot: Int) { refer(slot, to: values?[slot] ?? .null) }

  /// Leaves the object as it is below.
  mutating func drop() { change = .updated([]) }
}
