import RepriseObjectModel

/// What a change does to a record, byte by byte: the one source of both the event and the next record, so that they
/// cannot differ.
///
/// Old values are the record's, not those that the change believes in. Lends the record's bytes: use it inside the
/// closure that lent them.
package struct RecordUpdate {
  package let record: RecordReader
  /// By ascending number of the property.
  package private(set) var edits: [Edit] = []
  /// The new values that the edits point into.
  private(set) var scratch: ByteWriter

  /// One property: its bytes before and after, tags included; empty where there is no field.
  package struct Edit {
    package let number: UInt32
    package let old: UnsafeRawBufferPointer
    package let new: Range<Int>
  }

  /// The changes of an update, whose old values are not looked at. What the record holds already is left out.
  ///
  /// - Parameter cleared: Numbers of properties that lose their values, whether the model has them or not.
  package init(
    _ record: RecordReader, _ changes: [PropertyChange], clearing cleared: [UInt32] = [], _ entity: EntityMap,
    _ map: SchemaMap
  ) throws(MalformedBytes) {
    try self.init(record, changes.map { ($0.slot, $0.new) }, clearing: cleared, entity, map)
  }

  package init(
    _ record: RecordReader, _ values: [(slot: Int, new: PropertyValue)], clearing cleared: [UInt32] = [],
    _ entity: EntityMap, _ map: SchemaMap
  ) throws(MalformedBytes) {
    self.record = record
    scratch = ByteWriter()
    var wanted = values.map { (number: entity.numbers[$0.slot], value: $0.new, default: entity.defaults[$0.slot]) }
    wanted += cleared.map { (number: $0, value: .null, default: .null) }
    if wanted.count > 1 { wanted.sort { $0.number < $1.number } }
    var cursor = RecordFields.Cursor(record.fields)
    var present = try cursor.nextNumber()
    for (number, value, absent) in wanted where number != 0 {
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
      if !(value.isNull && absent.isNull) { scratch.value(value, map) }
      add(number, old, start)
    }
  }

  /// An update without edits yet, to be filled from an event.
  init(_ record: RecordReader) {
    self.record = record
    scratch = ByteWriter()
  }

  /// Adds the edit whose new value was just written to the scratch.
  private mutating func add(_ number: UInt32, _ old: UnsafeRawBufferPointer, _ start: Int) {
    let isSame = scratch.bytes.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[start...]).isSame(as: old) }
    if isSame {
      scratch.bytes.removeLast(scratch.count - start)
    } else {
      edits.append(Edit(number: number, old: old, new: start..<scratch.count))
    }
  }

  /// Adds an edit from bytes, with a greater number than those before.
  mutating func add(_ number: UInt32, old: UnsafeRawBufferPointer, writing: (inout ByteWriter) -> Void) {
    let start = scratch.count
    writing(&scratch)
    add(number, old, start)
  }

  /// Whether the record already says all that the change wanted; then there is nothing to log or to write.
  package var isEmpty: Bool { edits.isEmpty }

  /// The object's next record.
  package func record(at position: Position) throws(MalformedBytes) -> [UInt8] {
    var writer = ByteWriter.sealing(reserving: record.bytes.count + scratch.count + 16)
    try writer.header(after: record, at: position, .object)
    var reader = RecordFields.Cursor(record.fields)
    let all = record.fields.bytes
    // Fields between two edits are copied at once, whatever they hold.
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
