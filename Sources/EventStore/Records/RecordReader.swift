import RepriseObjectModel

/// A record in lent bytes: checked and measured when made, decoded on demand.
///
/// Use it inside the closure that lent the bytes.
package struct RecordReader {
  package let bytes: UnsafeRawBufferPointer
  package let kind: RecordKind
  package let version: UInt64
  /// Of the last change.
  package let position: Position
  /// What the event of the next version keeps.
  package let pointersOfNext: VersionPointers
  package let fields: RecordFields
  /// The bytes of the stack that stay when the next version comes on top.
  let kept: Range<Int>

  /// Throws where checksum or header are wrong. Fields are checked as they are read.
  package init(_ bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    try self.init(bytes, ByteReader(sealed: bytes))
  }

  /// A record without checksum, as a keyframe has it.
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

  /// Costs an array; what most readers need is in ``version``, ``position`` and ``pointersOfNext``.
  package var header: RecordHeader {
    var stack: [Position] = []
    var reader = ByteReader(bytes)
    reader.offset = kept.lowerBound
    // The walk over these varints succeeded when the reader was made.
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

  /// One value. Decodes no other.
  package func value(
    slot: Int, _ entity: EntityMap, _ map: SchemaMap
  ) throws(MalformedBytes) -> PropertyValue {
    guard let raw = try fields.raw(entity.numbers[slot]) else { return entity.defaults[slot] }
    var reader = ByteReader(raw)
    return try reader.value(map)
  }
}
