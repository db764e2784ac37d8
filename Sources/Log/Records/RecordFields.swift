import RepriseObjectModel

/// The fields of a record, or of an event that has a whole object. Each is a property's number and its value, in
/// ascending order of number, to the end of the bytes.
package struct RecordFields {
  package let bytes: UnsafeRawBufferPointer

  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The values by slot, with ``EntityMap/defaults`` for missing fields. Properties that the model lacks are skipped.
  package func values(_ entity: EntityMap, _ map: SchemaMap) throws(MalformedBytes) -> ContiguousArray<PropertyValue> {
    let defaults = entity.defaults
    var values: ContiguousArray<PropertyValue> = []
    values.reserveCapacity(defaults.count)
    var reader = ByteReader(bytes)
    var last: UInt32 = 0
    for stored in entity.stored {
      let value = try reader.seek(stored.number, &last) ? reader.value(map) : defaults[stored.slot]
      // Numbers ascend with the slots, unless a property was declared between existing ones.
      while values.count < stored.slot { values.append(defaults[values.count]) }
      if stored.slot < values.count { values[stored.slot] = value } else { values.append(value) }
    }
    while try reader.nextNumber(after: &last) != nil { try reader.skipValue() }
    while values.count < defaults.count { values.append(defaults[values.count]) }
    return values
  }

  /// The values, with the property's default for each erased one.
  package func unerasedValues(_ entity: EntityMap, _ map: SchemaMap) throws(MalformedBytes) -> ContiguousArray<
    PropertyValue
  > {
    var values = entity.defaults
    var cursor = Cursor(self)
    while let number = try cursor.nextNumber() {
      let raw = try cursor.rawValue()
      guard let slot = entity.slot(number), raw.first != ValueTag.redacted.rawValue else { continue }
      var reader = ByteReader(raw)
      values[slot] = try reader.value(map)
    }
    return values
  }

  /// Decodes some of the values into their slots, and no other.
  ///
  /// - Parameter wanted: By ascending number.
  func read(
    _ wanted: [EntityMap.StoredSlot], into values: inout ContiguousArray<PropertyValue>, _ entity: EntityMap,
    _ map: SchemaMap
  ) throws(MalformedBytes) {
    var reader = ByteReader(bytes)
    var last: UInt32 = 0
    for stored in wanted {
      values[stored.slot] = try reader.seek(stored.number, &last) ? reader.value(map) : entity.defaults[stored.slot]
    }
  }

  /// The bytes of one value, including its tag. `nil` if the field is missing.
  package func raw(_ wanted: UInt32) throws(MalformedBytes) -> UnsafeRawBufferPointer? {
    var cursor = Cursor(self)
    while let number = try cursor.nextNumber() {
      guard number < wanted else { return number == wanted ? try cursor.rawValue() : nil }
      try cursor.reader.skipValue()
    }
    return nil
  }

  /// Iterates over the fields. After each ``nextNumber()`` the value must be read or skipped.
  package struct Cursor {
    package var reader: ByteReader
    private var last: UInt32 = 0

    package init(_ fields: RecordFields) { reader = ByteReader(fields.bytes) }

    @inline(__always)
    package mutating func nextNumber() throws(MalformedBytes) -> UInt32? { try reader.nextNumber(after: &last) }

    package mutating func rawValue() throws(MalformedBytes) -> UnsafeRawBufferPointer {
      let start = reader.offset
      try reader.skipValue()
      return UnsafeRawBufferPointer(rebasing: reader.bytes[start..<reader.offset])
    }
  }
}

extension ByteReader {
  /// The number of the next field, which must be greater than `last`. `nil` at the end.
  @inline(__always)
  fileprivate mutating func nextNumber(after last: inout UInt32) throws(MalformedBytes) -> UInt32? {
    if isAtEnd { return nil }
    let number = try number("a property's number")
    guard number > last else { throw fail("a property number that is greater than the one before") }
    last = number
    return number
  }

  /// Moves to the value of a field, and skips fields with smaller numbers. If there is none, returns false and stays
  /// before the next greater one.
  @inline(__always)
  fileprivate mutating func seek(_ wanted: UInt32, _ last: inout UInt32) throws(MalformedBytes) -> Bool {
    while !isAtEnd {
      let start = offset
      let before = last
      guard let number = try nextNumber(after: &last) else { return false }
      if number == wanted { return true }
      if number > wanted {
        (offset, last) = (start, before)
        return false
      }
      try skipValue()
    }
    return false
  }
}

extension ByteWriter {
  /// Writes the fields of an object. Null is omitted, unless a missing field would read as another value.
  package mutating func fields(_ values: ContiguousArray<PropertyValue>, _ entity: EntityMap, _ map: SchemaMap) {
    for stored in entity.stored {
      let value = values[stored.slot]
      if value.isNull, entity.defaults[stored.slot].isNull { continue }
      varint(UInt64(stored.number))
      self.value(value, map)
    }
  }
}
