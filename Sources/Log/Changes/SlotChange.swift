import RepriseObjectModel

/// A change in terms of this process's models: the one place where the numbers of properties become slots.
package struct SlotChange {
  package let entity: EntityMap
  private let object: UniqueID
  private let kind: Change.Kind
  private var values: ContiguousArray<PropertyValue> = []
  private var changes: [PropertyChange] = []
  private var isAscending = true

  /// Makes a change without properties. `nil` if there is no model for the entity.
  ///
  /// - Parameter count: How many properties an update changes at most, if that is known.
  package init?(_ kind: Change.Kind, of object: ObjectAddress, _ map: SchemaMap, expecting count: Int = 0) {
    guard let entity = map.map(number: object.entity) else { return nil }
    self.entity = entity
    self.object = object.uuid
    self.kind = kind
    if kind == .updated { changes.reserveCapacity(count) } else { values = entity.defaults }
  }

  package static func unknown(_ object: ObjectAddress) -> MalformedBytes {
    MalformedBytes("a model for the entity with the number \(object.entity)", at: 0)
  }

  /// Throws if the model lacks the property.
  package func slot(_ number: UInt32) throws(MalformedBytes) -> Int {
    guard let slot = entity.slot(number) else {
      throw MalformedBytes("a property of \(entity.entity.name) with the number \(number)", at: 0)
    }
    return slot
  }

  package mutating func add(_ slot: Int, from old: consuming PropertyValue, to new: consuming PropertyValue) {
    switch kind {
    case .inserted: values[slot] = new
    case .deleted: values[slot] = old
    case .updated:
      if !changes.isEmpty, changes[changes.count - 1].slot > slot { isAscending = false }
      changes.append(PropertyChange(slot: slot, old: old, new: new))
    }
  }

  /// Takes all values of an inserted or deleted object. A property has its default if it has no field, or if its value
  /// was erased. Properties that the model lacks are skipped.
  package mutating func take(_ whole: RecordFields, _ map: SchemaMap) throws(MalformedBytes) {
    values = try whole.unerasedValues(entity, map)
  }

  package var isNothing: Bool { kind == .updated && changes.isEmpty }

  package var finished: (object: AnyObjectID, change: ObjectChange) {
    let id = AnyObjectID(entity.entity.interned, object)
    switch kind {
    case .inserted: return (id, .inserted(values))
    case .deleted: return (id, .deleted(values))
    case .updated: return (id, .updated(isAscending ? changes : changes.sorted { $0.slot < $1.slot }))
    }
  }
}

extension EntityMap {
  /// The value of a property in a slot. Its default if it has no field, or if the value was erased.
  package func value(
    _ raw: UnsafeRawBufferPointer, _ slot: Int, _ map: SchemaMap
  ) throws(MalformedBytes) -> PropertyValue {
    guard let tag = raw.first, tag != ValueTag.redacted.rawValue else { return defaults[slot] }
    var reader = ByteReader(raw)
    return try reader.value(map)
  }
}
