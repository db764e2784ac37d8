import RepriseObjectModel

/// A long text, or long bytes, as stored in the record: the value itself is stored in chunks in the table `values`.
package struct RopeValue: Hashable, Sendable {
  package var isText: Bool
  /// In bytes; of UTF-8 for a text.
  package var length: UInt64
  /// The first half of the SHA-256 digest of the whole value.
  package var digest: UniqueID

  package init(isText: Bool, length: UInt64, digest: UniqueID) {
    self.isText = isText
    self.length = length
    self.digest = digest
  }

  package init(_ value: UnsafeRawBufferPointer, isText: Bool) {
    let words = SHA256.digest(value).words
    self.init(isText: isText, length: UInt64(value.count), digest: UniqueID(high: words.0, low: words.1))
  }
}

/// The key of a row of a rope: object, property, level, order.
///
/// Level 0 holds the chunks, in order. Level 1 holds their lengths, up to ``RopeLengths/limit`` in a row under the
/// order of its first chunk, so that an offset is found without reading chunks. Orders leave gaps, so that a splice
/// between two chunks touches no other; once a gap is used up, the chunks of that row get new orders.
package struct RopeKey: Hashable, Sendable {
  package static let size = 29
  /// The distance between the orders of the chunks of a value written at once.
  package static let gap: UInt64 = 1 << 32

  package var object: UniqueID
  package var property: UInt32
  package var level: UInt8
  package var order: UInt64

  package init(object: UniqueID, property: UInt32, level: UInt8, order: UInt64) {
    self.object = object
    self.property = property
    self.level = level
    self.order = order
  }

  package init?(_ key: UnsafeRawBufferPointer) {
    guard key.count == Self.size else { return nil }
    func word(_ offset: Int) -> UInt64 { UInt64(bigEndian: key.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
    object = UniqueID(high: word(0), low: word(8))
    property = UInt32(bigEndian: key.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
    level = key[20]
    order = word(21)
  }

  package var bytes: [UInt8] {
    var writer = ByteWriter(reserving: Self.size)
    writer.uuid(object)
    writer.fixed(property.bigEndian)
    writer.append(level)
    writer.fixed(order.bigEndian)
    return writer.bytes
  }

  /// An order between two; `nil` if there is none left.
  package static func order(between low: UInt64, and high: UInt64) -> UInt64? {
    high > low && high - low > 1 ? low + (high - low) / 2 : nil
  }
}

/// A row of level 0: checksum, then a piece of the value.
package enum RopeChunk {
  package static let maximum = ChunkedRows.chunkSize - Checksum.size

  package static func encoded(_ piece: UnsafeRawBufferPointer) -> [UInt8] {
    var writer = ByteWriter.sealing(reserving: piece.count)
    writer.append(piece)
    return writer.sealed()
  }

  /// The piece, lent from the row.
  package static func piece(_ row: UnsafeRawBufferPointer) throws(MalformedBytes) -> UnsafeRawBufferPointer {
    var reader = try ByteReader(sealed: row)
    return try reader.take(reader.remaining)
  }
}

/// A row of level 1: checksum, then for each chunk the difference between its order and the previous one (for the
/// first, the row's own), and its length.
package struct RopeLengths: Hashable, Sendable {
  package static let limit = 256

  package struct Chunk: Hashable, Sendable {
    package var order: UInt64
    package var length: UInt64

    package init(order: UInt64, length: UInt64) {
      self.order = order
      self.length = length
    }
  }

  /// Ascending by order.
  package var chunks: [Chunk]

  package init(_ chunks: [Chunk]) { self.chunks = chunks }

  package init(_ row: UnsafeRawBufferPointer, order: UInt64) throws(MalformedBytes) {
    var reader = try ByteReader(sealed: row)
    chunks = []
    var last = order
    while !reader.isAtEnd {
      let (next, overflow) = last.addingReportingOverflow(try reader.varint("an order"))
      guard !overflow, chunks.isEmpty || next > last, chunks.count < Self.limit else { throw reader.fail("an order") }
      let length = try reader.varint("a length")
      guard length > 0, length <= RopeChunk.maximum else { throw reader.fail("the length of a chunk") }
      chunks.append(Chunk(order: next, length: length))
      last = next
    }
  }

  package func encoded(order: UInt64) -> [UInt8] {
    var writer = ByteWriter.sealing(reserving: 7 * chunks.count)
    var last = order
    for chunk in chunks {
      writer.varint(chunk.order &- last)
      writer.varint(chunk.length)
      last = chunk.order
    }
    return writer.sealed()
  }

  package var length: UInt64 { chunks.reduce(0) { $0 + $1.length } }

  /// The chunk that contains the byte at an offset in the row, and the offset in that chunk; `nil` past the end.
  package func chunk(at offset: UInt64) -> (order: UInt64, offset: UInt64)? {
    var rest = offset
    for chunk in chunks {
      if rest < chunk.length { return (chunk.order, rest) }
      rest -= chunk.length
    }
    return nil
  }
}

extension ByteWriter {
  package mutating func rope(_ rope: RopeValue) {
    append(ValueTag.rope.rawValue)
    varint(rope.length << 1 | (rope.isText ? 1 : 0))
    uuid(rope.digest)
  }
}

extension ByteReader {
  package mutating func rope() throws(MalformedBytes) -> RopeValue {
    try expect(ValueTag.rope.rawValue, "the tag of a long value")
    let head = try varint("a length")
    return RopeValue(isText: head & 1 == 1, length: head >> 1, digest: try uuid("a digest"))
  }
}
