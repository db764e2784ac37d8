import RepriseLog
import RepriseObjectModel

extension SavePlanner {
  /// Adds changes, at most one for each object, and compares each with the object below.
  mutating func add(
    _ changes: [(object: AnyObjectID, change: ObjectChange)], _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) {
    var order: [(entity: UInt32, uuid: UniqueID, place: Int)] = []
    order.reserveCapacity(changes.count)
    for (place, (id, _)) in changes.enumerated() {
      guard let entity = map.map(id.name) else {
        throw .missingModels([id.entity], given: map.schema.entities.filter { !$0.isLink }.map(\.name))
      }
      order.append((entity.number, id.uuid, place))
    }
    order.sort { $0.entity != $1.entity ? $0.entity < $1.entity : $0.uuid < $1.uuid }
    operations.reserveCapacity(changes.count)
    for (_, _, place) in order { try add(changes[place].object, changes[place].change, &state) }
    if !restorations.isEmpty { try restore(beside: changes, &state) }
  }

  private mutating func add(
    _ id: AnyObjectID, _ change: ObjectChange, _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) {
    guard let entity = map.map(id.name) else { return }
    switch change {
    case .inserted(let values): try insert(id, values, entity, &state)
    case .updated(let changes): try update(id, changes, entity, &state)
    case .deleted(let last): try delete(id, last, entity, &state)
    }
  }

  private mutating func insert(
    _ id: AnyObjectID, _ values: ContiguousArray<PropertyValue>, _ entity: EntityMap,
    _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) {
    guard try state.mayKnow(id.uuid, entity, isTombstone: false), let below = try state.object(id.uuid, entity) else {
      return operations.append(try insertion(id, values, entity, &state))
    }
    // Both saves added the same pair, which exists once.
    if entity.entity.isLink { return }
    let decision = decide(Conflict(object: id, kind: .insertedTwice))
    if decision == .refused || decision.isTheirs { return }
    let change = ObjectChange.updated(from: below.values, to: values) ?? .updated([])
    operations.append(.init(map: entity, uuid: id.uuid, change: change, below: below))
  }

  /// The operation that inserts an object that does not exist below.
  func insertion(
    _ id: AnyObjectID, _ values: ContiguousArray<PropertyValue>, _ entity: EntityMap,
    _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) -> SavePlan.Operation {
    let hasTombstone = try state.mayKnow(id.uuid, entity, isTombstone: true)
    let tombstone = try hasTombstone ? state.tombstone(id.uuid, entity) : nil
    return .init(map: entity, uuid: id.uuid, change: .inserted(values), below: nil, tombstone: tombstone)
  }

  private mutating func update(
    _ id: AnyObjectID, _ changes: [PropertyChange], _ entity: EntityMap, _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) {
    guard let below = try state.object(id.uuid, entity) else {
      let decision = decide(Conflict(object: id, kind: .deletedByThem))
      if decision != .refused, !decision.isTheirs { restorations.append(id) }
      return
    }
    if let merged = merge(id, changes, below.values, entity) {
      operations.append(.init(map: entity, uuid: id.uuid, change: .updated(merged), below: below))
    }
  }

  /// Merges an update with these values. `nil` if nothing is left to change.
  private mutating func merge(
    _ id: AnyObjectID, _ changes: [PropertyChange], _ theirs: ContiguousArray<PropertyValue>, _ entity: EntityMap
  ) -> [PropertyChange]? {
    var merged: [PropertyChange] = []
    merged.reserveCapacity(changes.count)
    for change in changes where entity.stores(change.slot) {
      let current = theirs[change.slot]
      let value: PropertyValue
      switch change.standing(to: current, in: entity.entity) {
      case .agreed: continue
      case .news: value = change.new
      case .merged(let both): value = both
      case .conflict:
        let property = entity.entity.properties[change.slot]
        let conflict = Conflict(
          object: id, kind: .attribute(property.name), base: change.old, mine: change.new, theirs: current,
          type: property.type)
        switch decide(conflict) {
        // Continues with a refused change, too, so that further conflicts are found.
        case .refused, .mine: value = change.new
        case .theirs: continue
        case .value(let third): value = third
        case .allMine:
          if let shown = merging.shown[id] { return differences(from: theirs, to: shown, entity) }
          value = change.new
        case .allTheirs: return nil
        }
      }
      if !value.isIdentical(to: current) {
        merged.append(PropertyChange(slot: change.slot, old: current, new: value))
      }
    }
    return merged.isEmpty ? nil : merged
  }

  private func differences(
    from theirs: ContiguousArray<PropertyValue>, to shown: ContiguousArray<PropertyValue>, _ entity: EntityMap
  ) -> [PropertyChange] {
    guard case .updated(let changes) = ObjectChange.updated(from: theirs, to: shown) else { return [] }
    return changes.filter { entity.stores($0.slot) }
  }

  private mutating func delete(
    _ id: AnyObjectID, _ last: ContiguousArray<PropertyValue>, _ entity: EntityMap,
    _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) {
    // Both saves deleted the object, so there is neither a conflict nor a change.
    guard let below = try state.object(id.uuid, entity) else { return }
    operations.append(.init(map: entity, uuid: id.uuid, change: .deleted(below.values), below: below))
    deletions.append(id)
    // A new place in an ordered relationship does not make the object worth keeping, and neither does a derived
    // attribute.
    let isAsKnown = last.indices.allSatisfy { slot in
      last[slot].isIdentical(to: below.values[slot])
        || map.schema.reference(placedBy: slot, of: entity.entity) != nil
        || entity.entity.derivedSlots.contains(slot)
    }
    if isAsKnown { return }
    let decision = decide(Conflict(object: id, kind: .deletedByMe))
    if decision == .refused { return }
    if decision.isTheirs { unwanted.append(id) }
    // The context's deletion cascaded to the former targets. It has to cascade to the current ones, too.
    let gone = map.schema.cascadeTargets(of: entity.entity, last)
    if decision.isTheirs {
      unwanted += gone
    } else {
      newTargets += map.schema.cascadeTargets(of: entity.entity, below.values).filter { !gone.contains($0) }
    }
  }
}
