import RepriseObjectModel

/// A record in lent bytes: its checksum and header are verified at once, its fields decoded on demand.
///
/// Use it inside the closure that lent the bytes.
package struct RecordReader {
  package let bytes: UnsafeRawBufferPointer
  package let kind: RecordKind
  package let version: UInt64
  /// The position of the last change.
  package let position: Position
  /// The pointers that the event of the next version stores.
  package let pointersOfNext: VersionPointers
  package let fields: RecordFields
  /// The bytes of the stack that remain when the next version is pushed.
  let kept: Range<Int>

  /// Throws if the checksum or the header is wrong. Fields are checked as they are read.
  package init(_ bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    try self.init(bytes, ByteReader(sealed: bytes))
  }

  /// Reads a record without checksum, as in a keyframe.
  package init(unsealed bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    try self.init(bytes, ByteReader(bytes))
  }

  private init(_ bytes: UnsafeRawBufferPointer, _ start: ByteReader) throws(MalformedBytes) {
    var reader = start
    let tag = try reader.byte("a record's kind")
    guard let kind = RecordKind(rawValue: tag) else { throw MalformedBytes("a record's kind", at: reader.offset - 1) }
    version = try reader.varint("a version")
    guard version > 0, version < .max - 1 else { throw MalformedBytes("a version", at: reader.offset) }
    let count = VersionPointers.blocks(of: version).count
    let stays = VersionPointers.kept(before: version + 1)
    let first = reader.offset
    var end = first
    var position: Position = 0
    var skip: Position = 0
    for index in 0..<count {
      if index == stays { (end, skip) = (reader.offset, position) }
      let step = try reader.varint("a position")
      let (sum, overflow) = position.number.addingReportingOverflow(step)
      guard step > 0, !overflow else { throw MalformedBytes("a later position", at: reader.offset) }
      position = Position(sum)
    }
    if stays == count { (end, skip) = (reader.offset, position) }
    kept = first..<end
    self.bytes = bytes
    self.kind = kind
    self.position = position
    pointersOfNext = VersionPointers(previous: position, skip: skip)
    fields = RecordFields(UnsafeRawBufferPointer(rebasing: bytes[reader.offset...]))
    guard kind == .object || reader.isAtEnd else { throw reader.fail("the end of a deleted object's record") }
  }

  /// The header with its stack. It allocates an array; most readers need only ``version``, ``position`` and
  /// ``pointersOfNext``.
  package var header: RecordHeader {
    var stack: [Position] = []
    var reader = ByteReader(bytes)
    reader.offset = kept.lowerBound
    // These varints were validated when the reader was made.
    let count = VersionPointers.blocks(of: version).count
    while stack.count < count, let step = try? reader.varint() {
      stack.append(Position((stack.last ?? 0).number &+ step))
    }
    return RecordHeader(kind: kind, version: version, stack: stack)
  }

  /// The values, by slot.
  package func values(_ entity: EntityMap, _ map: SchemaMap) throws(MalformedBytes) -> ContiguousArray<PropertyValue> {
    try fields.values(entity, map)
  }

  /// One value, decoding no other.
  package func value(
    slot: Int, _ entity: EntityMap, _ map: SchemaMap
  ) throws(MalformedBytes) -> PropertyValue {
    guard let raw = try fields.raw(entity.numbers[slot]) else { return entity.defaults[slot] }
    var reader = ByteReader(raw)
    return try reader.value(map)
  }
}
