import RepriseObjectModel

/// A record in lent bytes: its checksum and header are verified at once, its fields decoded on demand.
///
/// Use it inside the closure that lent the bytes.
@usableFromInline
package struct RecordReader {
  package let bytes: UnsafeRawBufferPointer
  package let kind: RecordKind
  package let version: UInt64
  /// The position of the last change.
  package let position: Position
  package let fields: RecordFields
  /// Whether long values lie elsewhere.
  let isSplit: Bool
  /// The offset of the kind, which is after the checksum if there is one.
  let start: Int
  /// Where the stack of positions begins.
  private let stack: Int

  /// Throws if the checksum or the header is wrong. Fields are checked as they are read.
  package init(_ bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    try self.init(bytes, ByteReader(sealed: bytes))
  }

  /// Reads a record in the form of its table, which may be split.
  package init(stored bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    try self.init(bytes, ByteReader(sealed: bytes), maySplit: true)
  }

  /// Reads a record without checksum, as in a keyframe.
  package init(unsealed bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    try self.init(bytes, ByteReader(bytes))
  }

  private init(
    _ bytes: UnsafeRawBufferPointer, _ start: ByteReader, maySplit: Bool = false
  ) throws(MalformedBytes) {
    var reader = start
    self.start = reader.offset
    let tag = try reader.byte("a record's kind")
    isSplit = maySplit && tag == Self.splitKind
    guard let kind = isSplit ? .object : RecordKind(rawValue: tag) else {
      throw MalformedBytes("a record's kind", at: reader.offset - 1)
    }
    version = try reader.varint("a version")
    guard version > 0, version < .max - 1 else { throw MalformedBytes("a version", at: reader.offset) }
    stack = reader.offset
    // Most objects are never changed, and most reads are of many objects.
    let count = version == 1 ? 1 : VersionPointers.blocks(of: version).count
    var last: UInt64 = 0
    for _ in 0..<count {
      let step = try reader.varint("a position")
      let (sum, overflow) = last.addingReportingOverflow(step)
      guard step > 0, !overflow else { throw MalformedBytes("a later position", at: reader.offset) }
      last = sum
    }
    self.bytes = bytes
    self.kind = kind
    position = Position(last)
    fields = RecordFields(UnsafeRawBufferPointer(rebasing: bytes[reader.offset..<bytes.count]))
    guard kind == .object || reader.isAtEnd else { throw reader.fail("the end of the mark of a deleted object") }
  }

  /// The pointers that the event of the next version stores. O(log version).
  package var pointersOfNext: VersionPointers { VersionPointers(previous: position, skip: kept.last) }

  /// The part of the stack that stays when the next version is pushed: its bytes, and its last position, 0 if nothing
  /// stays. O(log version).
  var kept: (bytes: Range<Int>, last: Position) {
    var last: UInt64 = 0
    let end = forEachStep(VersionPointers.kept(before: version + 1)) { last &+= $0 }
    return (stack..<end, Position(last))
  }

  /// The header with its stack. It allocates an array; most readers need only ``version``, ``position`` and
  /// ``pointersOfNext``.
  package var header: RecordHeader {
    var positions: [Position] = []
    _ = forEachStep(VersionPointers.blocks(of: version).count) {
      positions.append(Position((positions.last ?? 0).number &+ $0))
    }
    return RecordHeader(kind: kind, version: version, stack: positions)
  }

  /// Calls `body` with the distances between the first `count` positions of the stack, which were validated when the
  /// reader was made. Returns where the next one begins.
  private func forEachStep(_ count: Int, _ body: (UInt64) -> Void) -> Int {
    var reader = ByteReader(bytes)
    reader.offset = stack
    for _ in 0..<count { if let step = try? reader.varint() { body(step) } }
    return reader.offset
  }

  /// The values, by slot.
  package func values(_ entity: EntityMap, _ map: SchemaMap) throws(MalformedBytes) -> ContiguousArray<PropertyValue> {
    try fields.values(entity, map)
  }
}
