import RepriseObjectModel

/// The fields of a record, or of an event that carries a whole object: each a property's number and its value, in
/// ascending order of number, to the end of the bytes.
package struct RecordFields {
  package let bytes: UnsafeRawBufferPointer

  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The values by slot, with ``EntityMap/defaults`` for missing fields. Properties that the model lacks are skipped.
  package func values(_ entity: EntityMap, _ map: SchemaMap) throws(MalformedBytes) -> ContiguousArray<PropertyValue> {
    let stored = entity.stored
    let defaults = entity.defaults
    var values: ContiguousArray<PropertyValue> = []
    values.reserveCapacity(defaults.count)
    var cursor = Cursor(self)
    var next = 0
    while let number = try cursor.nextNumber() {
      while next < stored.count, stored[next].number < number { next += 1 }
      if next < stored.count, stored[next].number == number {
        let slot = stored[next].slot
        next += 1
        let value = try cursor.reader.value(map)
        // Numbers ascend with the slots, unless a property was later declared between others.
        while values.count < slot { values.append(defaults[values.count]) }
        if slot < values.count { values[slot] = value } else { values.append(value) }
      } else {
        try cursor.reader.skipValue()
      }
    }
    while values.count < defaults.count { values.append(defaults[values.count]) }
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
      var isThere = false
      while !isThere, !reader.isAtEnd {
        let start = reader.offset
        let number = try reader.number("a property's number")
        guard number > last else { throw reader.fail("a greater number of a property") }
        if number > stored.number {
          reader.offset = start
          break
        }
        last = number
        isThere = number == stored.number
        if !isThere { try reader.skipValue() }
      }
      values[stored.slot] = isThere ? try reader.value(map) : entity.defaults[stored.slot]
    }
  }

  /// The bytes of one value, including its tag; `nil` if the field is missing.
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
    package mutating func nextNumber() throws(MalformedBytes) -> UInt32? {
      if reader.isAtEnd { return nil }
      let number = try reader.number("a property's number")
      guard number > last else { throw reader.fail("a greater number of a property") }
      last = number
      return number
    }

    package mutating func rawValue() throws(MalformedBytes) -> UnsafeRawBufferPointer {
      let start = reader.offset
      try reader.skipValue()
      return UnsafeRawBufferPointer(rebasing: reader.bytes[start..<reader.offset])
    }
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
