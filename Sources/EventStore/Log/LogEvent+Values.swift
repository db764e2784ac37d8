import RepriseObjectModel

/// Events in terms of this process's models. `nil` stands for an object that does not exist. An erased value is the
/// property's default. Of an event that does not apply, some changes may have been made.
extension LogEvent {
  package typealias Values = ContiguousArray<PropertyValue>

  /// Replays the event: turns the object's values before it into those after it.
  package func applyForward(to values: inout Values?, _ entity: EntityMap, _ map: SchemaMap) throws(ReplayError) {
    switch kind {
    case .inserted:
      guard values == nil else { throw .presentObject(uuid) }
      values = try allValues(entity, map)
    case .deleted, .mergedInto:
      guard values != nil else { throw .missingObject(uuid) }
      values = nil
    case .updated: try apply(to: &values, entity, map, isForward: true)
    case nil: throw .redacted(event: index)
    case .schema, .names, .edgeAdded, .edgeRemoved, .compaction: break
    }
  }

  /// Reverts the event: turns the object's values after it into those before it.
  package func applyBackward(to values: inout Values?, _ entity: EntityMap, _ map: SchemaMap) throws(ReplayError) {
    switch kind {
    case .inserted:
      guard values != nil else { throw .missingObject(uuid) }
      values = nil
    case .deleted, .mergedInto:
      guard values == nil else { throw .presentObject(uuid) }
      values = try allValues(entity, map)
    case .updated: try apply(to: &values, entity, map, isForward: false)
    case nil: throw .redacted(event: index)
    case .schema, .names, .edgeAdded, .edgeRemoved, .compaction: break
    }
  }

  /// As ``applyBackward(to:_:_:)``, one of many: what becomes of long values is kept in `spliced` until all are done.
  func applyBackward(
    to values: inout Values?, splicing spliced: inout SplicedValues, _ entity: EntityMap, _ map: SchemaMap
  ) throws(ReplayError) {
    guard kind == .updated else {
      spliced.dropAll()
      return try applyBackward(to: &values, entity, map)
    }
    guard var changed = values else { throw .missingObject(uuid) }
    // One array, changed in place: with two, the first change would copy it.
    values = nil
    defer { values = changed }
    var changes = changes
    while let (number, change) = try ReplayError.wrapping({ () throws(MalformedBytes) in try changes.next() }) {
      guard let slot = entity.slot(number) else { continue }
      if case .splice(let splice) = change {
        guard spliced.apply(splice.inverse, to: changed[slot], slot) else { throw .otherValue(uuid, property: number) }
        continue
      }
      guard spliced.settle(slot, in: &changed) else { throw .otherValue(uuid, property: number) }
      switch change {
      case .redacted, .splice: changed[slot] = entity.defaults[slot]
      case .set(let old, let new):
        let from = try value(new, slot, entity, map)
        guard changed[slot].isIdentical(to: from) else { throw .otherValue(uuid, property: number) }
        changed[slot] = try value(old, slot, entity, map)
      }
    }
  }

  /// The event as a change with whole values, given those of the object after it (`nil` after a deletion).
  ///
  /// `nil` if nothing that this model has changed.
  package func change(
    after values: Values?, _ entity: EntityMap, _ map: SchemaMap
  ) throws(ReplayError) -> ObjectChange? {
    switch kind {
    case .inserted: return .inserted(try allValues(entity, map))
    case .deleted, .mergedInto: return .deleted(try allValues(entity, map))
    case .updated:
      guard let after = values else { throw .missingObject(uuid) }
      var before = values
      try applyBackward(to: &before, entity, map)
      return before.flatMap { .updated(from: $0, to: after) }
    case nil: throw .redacted(event: index)
    case .schema, .names, .edgeAdded, .edgeRemoved, .compaction: return nil
    }
  }

  /// The event as a change with whole values, given those of the object before it (`nil` before an insertion).
  package func change(
    before values: Values?, _ entity: EntityMap, _ map: SchemaMap
  ) throws(ReplayError) -> ObjectChange? {
    guard kind == .updated else { return try change(after: nil, entity, map) }
    guard let before = values else { throw .missingObject(uuid) }
    var after = values
    try applyForward(to: &after, entity, map)
    return after.flatMap { .updated(from: before, to: $0) }
  }

  /// All values of an inserted object, or the last values of a deleted one.
  package func allValues(_ entity: EntityMap, _ map: SchemaMap) throws(ReplayError) -> Values {
    guard let fields else { throw .malformed(MalformedBytes("an event with an object's fields", at: 0)) }
    return try ReplayError.wrapping { () throws(MalformedBytes) in
      isRedacted ? try fields.unerasedValues(entity, map) : try fields.values(entity, map)
    }
  }

  /// Whether the frame has the object's whole state after the event.
  func hasValuesAfter(in frame: LogFrame) throws(ReplayError) -> Bool {
    switch kind {
    case .inserted, .deleted, .mergedInto: true
    default: try ReplayError.wrapping { () throws(MalformedBytes) in try frame.record(after: self) != nil }
    }
  }

  /// The object's values after the event, of one for which ``hasValuesAfter(in:)`` is true.
  func valuesAfter(in frame: LogFrame, _ entity: EntityMap, _ map: SchemaMap) throws(ReplayError) -> Values? {
    switch kind {
    case .inserted: return try allValues(entity, map)
    case .deleted, .mergedInto: return nil
    default:
      return try ReplayError.wrapping { () throws(MalformedBytes) in
        guard let record = try frame.record(after: self), record.kind == .object else {
          throw MalformedBytes("a keyframe", at: 0)
        }
        return try record.fields.unerasedValues(entity, map)
      }
    }
  }

  private func apply(
    to values: inout Values?, _ entity: EntityMap, _ map: SchemaMap, isForward: Bool
  ) throws(ReplayError) {
    guard var changed = values else { throw .missingObject(uuid) }
    // One array, changed in place: with two, the first change would copy it.
    values = nil
    defer { values = changed }
    var changes = changes
    while let (number, change) = try ReplayError.wrapping({ () throws(MalformedBytes) in try changes.next() }) {
      guard let slot = entity.slot(number) else { continue }
      switch change {
      case .redacted: changed[slot] = entity.defaults[slot]
      case .set(let old, let new):
        let from = try value(isForward ? old : new, slot, entity, map)
        guard changed[slot].isIdentical(to: from) else { throw .otherValue(uuid, property: number) }
        changed[slot] = try value(isForward ? new : old, slot, entity, map)
      case .splice(let splice):
        guard let next = (isForward ? splice : splice.inverse).applied(to: changed[slot]) else {
          throw .otherValue(uuid, property: number)
        }
        changed[slot] = next
      }
    }
  }

  /// The property's value for a record that holds these bytes.
  func value(
    _ raw: UnsafeRawBufferPointer, _ slot: Int, _ entity: EntityMap, _ map: SchemaMap
  ) throws(ReplayError) -> PropertyValue {
    if raw.first == ValueTag.nothing.rawValue || raw.first == ValueTag.redacted.rawValue {
      return entity.defaults[slot]
    }
    return try ReplayError.wrapping { () throws(MalformedBytes) in
      var reader = ByteReader(raw)
      return try reader.value(map)
    }
  }
}
