import RepriseObjectModel

/// The key of a row of a long value: object, property, order.
///
/// Orders leave gaps, so that a splice between two chunks touches no other.
package struct LongValueKey: Equatable, Sendable {
  package static let size = 28
  static let orderOffset = 20
  /// The distance between the orders of the chunks of a value written at once.
  package static let gap: UInt64 = 1 << 32

  package var object: UniqueID
  package var property: UInt32
  package var order: UInt64

  package init(object: UniqueID, property: UInt32, order: UInt64) {
    self.object = object
    self.property = property
    self.order = order
  }

  package init?(_ key: UnsafeRawBufferPointer) {
    guard key.count == Self.size else { return nil }
    func word(_ offset: Int) -> UInt64 { UInt64(bigEndian: key.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
    object = UniqueID(high: word(0), low: word(8))
    property = UInt32(bigEndian: key.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
    order = word(Self.orderOffset)
  }

  package var bytes: [UInt8] {
    var writer = ByteWriter(reserving: Self.size)
    writer.uuid(object)
    writer.fixed(property.bigEndian)
    writer.fixed(order.bigEndian)
    return writer.bytes
  }
}

/// A row: checksum, then a piece of the value.
package enum ValueChunk {
  package static let maximum = ChunkedRows.chunkSize - Checksum.size

  /// How many chunks so many bytes take, at least.
  static func count(of byteCount: Int) -> Int { max(1, (byteCount + maximum - 1) / maximum) }

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
