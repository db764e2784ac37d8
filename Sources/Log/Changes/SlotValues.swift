import RepriseObjectModel

/// An object's values in slots. Changes are applied to them one after the other. Properties that the model lacks are
/// skipped. An erased value becomes the property's default.
package struct SlotValues: ChangeTarget {
  /// The values without those in `texts`. `nil` if the object does not exist.
  private var values: ContiguousArray<PropertyValue>?
  /// The values that splices have changed.
  private var texts: [(slot: Int, text: SplicedBytes)] = []
  private let object: UniqueID
  private let entity: EntityMap
  private let map: SchemaMap

  package init(
    _ values: ContiguousArray<PropertyValue>?, of object: UniqueID, _ entity: EntityMap, _ map: SchemaMap
  ) {
    self.values = values
    self.object = object
    self.entity = entity
    self.map = map
  }

  package var exists: Bool { values != nil }

  /// The values, once all texts are in their places.
  package mutating func settled() throws(ReplayError) -> ContiguousArray<PropertyValue>? {
    while let (slot, _) = texts.last { try settle(slot) }
    return values
  }

  private mutating func settle(_ slot: Int) throws(ReplayError) {
    guard let place = texts.firstIndex(where: { $0.slot == slot }) else { return }
    guard let value = texts.remove(at: place).text.value else {
      throw .otherValue(object, property: entity.numbers[slot])
    }
    values?[slot] = value
  }

  package mutating func insert(_ change: Change) throws(ReplayError) {
    values = try ReplayError.wrapping { () throws(MalformedBytes) in
      try RecordFields(change.payload).unerasedValues(entity, map)
    }
  }

  package mutating func delete(_ change: Change) {
    values = nil
    texts.removeAll()
  }

  package mutating func set(
    _ number: UInt32, from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer
  ) throws(ReplayError) {
    guard let slot = entity.slot(number) else { return }
    if !texts.isEmpty { try settle(slot) }
    let (isOld, value) = try ReplayError.wrapping { () throws(MalformedBytes) in
      (try has(old, slot), try entity.value(new, slot, map))
    }
    guard isOld else { throw .otherValue(object, property: number) }
    values?[slot] = value
  }

  /// Whether the value in a slot is this one.
  private func has(_ raw: UnsafeRawBufferPointer, _ slot: Int) throws(MalformedBytes) -> Bool {
    guard let value = values?[slot] else { return false }
    if let content = raw.longContent { return value.isSame(as: content) }
    return value.isIdentical(to: try entity.value(raw, slot, map))
  }

  package mutating func splice(_ number: UInt32, _ splice: Splice) throws(ReplayError) {
    guard let slot = entity.slot(number) else { return }
    if !texts.contains(where: { $0.slot == slot }), let value = values?[slot], let text = SplicedBytes(value) {
      texts.append((slot, text))
    }
    guard let place = texts.firstIndex(where: { $0.slot == slot }), texts[place].text.apply(splice) else {
      throw .otherValue(object, property: number)
    }
  }

  package mutating func erase(_ number: UInt32) {
    guard let slot = entity.slot(number) else { return }
    texts.removeAll { $0.slot == slot }
    values?[slot] = entity.defaults[slot]
  }
}

extension Change {
  /// The values of the object after this change, given those before it. `nil` where it does not exist.
  package func applied(
    to values: ContiguousArray<PropertyValue>?, _ entity: EntityMap, _ map: SchemaMap
  ) throws(ReplayError) -> ContiguousArray<PropertyValue>? {
    var target = SlotValues(values, of: object.uuid, entity, map)
    try applied(to: &target)
    return try target.settled()
  }
}
