import CRepriseChecksums
import RepriseObjectModel

/// CRC-32C, at the start of every record, frame and fact: four bytes, little-endian, covering all bytes after them.
package enum Checksum {
  package static let size = 4

  package static func crc32c(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    reprise_crc32c(0, bytes.baseAddress, bytes.count)
  }
}

extension ByteWriter {
  /// A writer that starts with room for the checksum, which ``sealed()`` fills in.
  package static func sealing(reserving capacity: Int) -> ByteWriter {
    var writer = ByteWriter(reserving: capacity + Checksum.size)
    writer.fixed(UInt32(0))
    return writer
  }

  /// The bytes with their checksum filled in.
  package consuming func sealed() -> [UInt8] {
    seal(from: 0)
    return bytes
  }

  /// Fills in the checksum at `start` of the bytes after it.
  mutating func seal(from start: Int) {
    let sum = bytes.withUnsafeBytes { all in
      Checksum.crc32c(UnsafeRawBufferPointer(rebasing: all[(start + Checksum.size)...]))
    }
    replaceFixed(at: start, with: sum)
  }
}

extension ByteReader {
  /// Verifies the checksum of sealed bytes, then reads the content after it.
  @inline(__always)
  package init(sealed bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    self.init(bytes)
    let claimed = try fixed(UInt32.self, "a checksum")
    let found = Checksum.crc32c(UnsafeRawBufferPointer(rebasing: bytes[Checksum.size..<bytes.count]))
    guard claimed == found else { throw MalformedBytes("a matching checksum", at: 0) }
  }
}
