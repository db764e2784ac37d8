import RepriseObjectModel

/// Encodes the records of inserted and deleted objects. `RecordUpdate` encodes the records of updated objects. All
/// throw only if the previous record is damaged.
package enum RecordWriter {
  /// The record of a new object, over the `tombstone` of an earlier one with the same ID.
  package static func inserted(
    _ fields: RecordFields, over tombstone: RecordReader? = nil, at position: Position
  ) throws(MalformedBytes) -> [UInt8] {
    var writer = ByteWriter.sealing(reserving: 32 + fields.bytes.count)
    try writer.header(after: tombstone, at: position, .object)
    writer.append(fields.bytes)
    return writer.sealed()
  }

  /// The tombstone of an object.
  package static func deleted(_ record: RecordReader, at position: Position) throws(MalformedBytes) -> [UInt8] {
    var writer = ByteWriter.sealing(reserving: 32)
    try writer.header(after: record, at: position, .tombstone)
    return writer.sealed()
  }
}

extension ByteWriter {
  /// Writes kind, version and stack of the version after `record`, which is `nil` for a first version. Throws if the
  /// record claims to be no older than `position`.
  mutating func header(
    after record: RecordReader?, at position: Position, _ kind: RecordKind
  ) throws(MalformedBytes) {
    guard let record else { return firstHeader(at: position, kind) }
    append(kind.rawValue)
    guard record.position < position else { throw MalformedBytes("a stored object from before the transaction", at: 0) }
    varint(record.version + 1)
    let kept = record.kept
    append(UnsafeRawBufferPointer(rebasing: record.bytes[kept.bytes]))
    varint(position.number - kept.last.number)
  }

  private mutating func firstHeader(at position: Position, _ kind: RecordKind) {
    append(kind.rawValue)
    varint(UInt64(1))
    self.position(position)
  }

  /// Appends the record of a new object without a tombstone, like ``RecordWriter/inserted(_:over:at:)``.
  mutating func newRecord(_ fields: RecordFields, at position: Position) {
    let start = count
    fixed(UInt32(0))
    firstHeader(at: position, .object)
    append(fields.bytes)
    seal(from: start)
  }
}
