import RepriseLog
import RepriseObjectModel

extension SavePlanner {
  /// Adds the consequences for objects that the changes do not name: by delete rules, one-to-ones and references.
  mutating func follow(_ state: inout some LowerState & ~Escapable) throws(StoreError) {
    for target in newTargets { try deleteByRule(target, &state) }
    for id in unwanted { try takeBack(id, &state) }
    repeat {
      hasChanged = false
      try carryDeletions(&state)
      try checkOneToOnes(&state)
      try checkReferences(&state)
      // A decision may have deleted, revived or dropped an object. Then everything that depends on the object is
      // checked again.
    } while hasChanged
  }

  /// Whether an object that refers to a target below still does so afterwards.
  mutating func stillRefers(
    _ id: AnyObjectID, slot: Int, to target: AnyObjectID, _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) -> Bool {
    guard let place = place(id) else { return true }
    return operations[place].refers(slot, to: target)
  }

  mutating func change(
    _ id: AnyObjectID, slot: Int, to new: PropertyValue, _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) {
    guard var operation = try operation(id, &state) else { return }
    operation.refer(slot, to: new)
    set(operation)
  }
}
