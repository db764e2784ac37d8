import RepriseObjectModel

/// The effect of a change on a record, in bytes. Both the event and the next record are made from it, so they cannot
/// differ.
///
/// Old values come from the record, not from the change. The update refers to the record's bytes, so use it inside the
/// closure that lent them.
package struct RecordUpdate {
  package let record: RecordReader
  /// By ascending number of the property.
  package private(set) var edits: [Edit] = []
  /// The new values that the edits point into.
  private(set) var scratch: ByteWriter

  /// One property's bytes before and after, including tags. Empty if there is no field.
  package struct Edit {
    package let number: UInt32
    package let old: UnsafeRawBufferPointer
    package let new: Range<Int>
  }

  /// The effect of an update, whose own old values are ignored. Values that the record already holds are omitted.
  ///
  /// - Parameter cleared: Numbers of properties whose values are cleared. The model may lack them.
  package init(
    _ record: RecordReader, _ changes: [PropertyChange], clearing cleared: [UInt32] = [], _ entity: EntityMap,
    _ map: SchemaMap
  ) throws(MalformedBytes) {
    var wanted: [Wanted] = []
    wanted.reserveCapacity(changes.count + cleared.count)
    for change in changes { wanted.append(Wanted(change.slot, change.new, entity)) }
    try self.init(record, wanted, clearing: cleared, map)
  }

  /// The new value of a property.
  private struct Wanted {
    let number: UInt32
    let value: PropertyValue
    let absent: PropertyValue

    init(_ slot: Int, _ value: PropertyValue, _ entity: EntityMap) {
      number = entity.numbers[slot]
      self.value = value
      absent = entity.defaults[slot]
    }

    /// A property that is cleared.
    init(cleared number: UInt32) {
      self.number = number
      (value, absent) = (.null, .null)
    }
  }

  // One array for the new values, because each object that a migration converts is processed here.
  private init(
    _ record: RecordReader, _ wanted: consuming [Wanted], clearing cleared: [UInt32], _ map: SchemaMap
  ) throws(MalformedBytes) {
    self.record = record
    scratch = ByteWriter(reserving: 32)
    for number in cleared { wanted.append(Wanted(cleared: number)) }
    if wanted.count > 1 { wanted.sort { $0.number < $1.number } }
    edits.reserveCapacity(wanted.count)
    var cursor = RecordFields.Cursor(record.fields)
    var present = try cursor.nextNumber()
    for wish in wanted where wish.number != 0 {
      let number = wish.number
      while let at = present, at < number {
        try cursor.reader.skipValue()
        present = try cursor.nextNumber()
      }
      var old = UnsafeRawBufferPointer(start: nil, count: 0)
      if present == number {
        old = try cursor.rawValue()
        present = try cursor.nextNumber()
      }
      let start = scratch.count
      if !(wish.value.isNull && wish.absent.isNull) { scratch.value(wish.value, map) }
      add(number, old, start)
    }
  }

  /// An update without edits, to be filled from an event.
  package init(_ record: RecordReader) {
    self.record = record
    scratch = ByteWriter()
  }

  /// Adds the edit whose new value was just written to `scratch`.
  private mutating func add(_ number: UInt32, _ old: UnsafeRawBufferPointer, _ start: Int) {
    let isSame = scratch.bytes.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[start...]).isSame(as: old) }
    if isSame {
      scratch.bytes.removeLast(scratch.count - start)
    } else {
      edits.append(Edit(number: number, old: old, new: start..<scratch.count))
    }
  }

  /// Adds an edit from bytes. Its number must be greater than the previous ones.
  package mutating func add(_ number: UInt32, old: UnsafeRawBufferPointer, writing: (inout ByteWriter) -> Void) {
    let start = scratch.count
    writing(&scratch)
    add(number, old, start)
  }

  /// Whether the record already has all new values, so that there is nothing to log or write.
  package var isEmpty: Bool { edits.isEmpty }

  /// The object's next record.
  package func record(at position: Position) throws(MalformedBytes) -> [UInt8] {
    var writer = ByteWriter.sealing(reserving: record.bytes.count + scratch.count + 16)
    try writer.header(after: record, at: position, .object)
    var reader = RecordFields.Cursor(record.fields)
    let all = record.fields.bytes
    // Fields between two edits are copied in one piece, without decoding.
    var copied = 0
    var start = 0
    var present = try reader.nextNumber()
    for edit in edits {
      while let at = present, at < edit.number {
        try reader.reader.skipValue()
        start = reader.reader.offset
        present = try reader.nextNumber()
      }
      writer.append(UnsafeRawBufferPointer(rebasing: all[copied..<start]))
      if !edit.new.isEmpty {
        writer.varint(UInt64(edit.number))
        scratch.bytes.withUnsafeBytes { writer.append(UnsafeRawBufferPointer(rebasing: $0[edit.new])) }
      }
      copied = start
      if present == edit.number {
        try reader.reader.skipValue()
        start = reader.reader.offset
        copied = start
        present = try reader.nextNumber()
      }
    }
    writer.append(UnsafeRawBufferPointer(rebasing: all[copied...]))
    return writer.sealed()
  }
}
