import RepriseLog
import RepriseObjectModel

extension SavePlanner {
  /// The objects that would violate a unique index after all operations.
  ///
  /// Compares the changes with the state below and with the save itself. O(log n) for each object that gets another
  /// value.
  mutating func uniquenessViolations(
    _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) -> [RuleViolation] {
    var violations: [RuleViolation] = []
    /// The object that claims each key, by index.
    var claims: [UInt32: [UniqueKey: UniqueID]] = [:]
    for place in operations.indices {
      let entity = operations[place].map
      if entity.uniqueIndexes.isEmpty || operations[place].isGone { continue }
      for index in entity.uniqueIndexes where changes(place, index) {
        guard let columns = try columns(of: operations[place], index, &state), let key = index.key(columns) else {
          continue
        }
        var other = claims[index.number, default: [:]].updateValue(operations[place].uuid, forKey: key)
        if other == nil { other = try holder(of: key, index, besides: place, &state) }
        guard let other else { continue }
        violations.append(
          RuleViolation(
            object: operations[place].id, properties: index.properties, values: columns,
            rule: .unique(heldBy: AnyObjectID(entity.entity.interned, other)),
            types: entity.entity.types(of: index.properties)))
      }
    }
    return violations
  }

  /// Whether an operation inserts its object or changes a column of an index.
  private func changes(_ place: Int, _ index: UniqueIndex) -> Bool {
    let operation = operations[place]
    guard case .updated(let changes) = operation.change else { return true }
    return zip(index.slots, index.index.columns).contains { slot, column in
      slot.map { slot in changes.contains { $0.slot == slot } } ?? operation.cleared.contains(column.number)
    }
  }

  /// The object that already has a key and keeps it.
  private mutating func holder(
    of key: UniqueKey, _ index: UniqueIndex, besides own: Int, _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) -> UniqueID? {
    let entity = operations[own].map
    for uuid in try state.objects(with: key, index, entity) where uuid != operations[own].uuid {
      let holder = place(AnyObjectID(entity.entity.interned, uuid))
      if holder == nil && !key.isShortened { return uuid }
      var operation = holder.map { operations[$0] }
      if operation == nil, let below = try state.object(uuid, entity) {
        operation = SavePlan.Operation(map: entity, uuid: uuid, change: .updated([]), below: below)
      }
      guard let operation, !operation.isGone, let columns = try columns(of: operation, index, &state) else {
        continue
      }
      if index.key(columns) == key { return uuid }
    }
    return nil
  }

  /// The values of an index's columns afterwards. `nil` if there is no object, or if they are not known here.
  private func columns(
    of operation: SavePlan.Operation, _ index: UniqueIndex, _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) -> [PropertyValue]? {
    guard let values = operation.change.applied(to: operation.values) else { return nil }
    if let columns = index.columns(values) { return columns }
    guard var columns = try state.columns(of: index, in: operation.record, operation.uuid, operation.map) else {
      return nil
    }
    for (place, slot) in index.slots.enumerated() {
      if let slot {
        columns[place] = values[slot]
      } else if operation.cleared.contains(index.index.columns[place].number) {
        columns[place] = .null
      }
    }
    return columns
  }
}
