import CRepriseChecksums
import RepriseLog
import RepriseObjectModel

/// The checksum in front of an archive's record. It also covers the key, so a record under another key is damage.
package enum ArchiveSeal {
  package static let size = Checksum.size

  /// The body with its checksum in front.
  package static func seal(_ body: [UInt8], for key: String) -> [UInt8] {
    var bytes = ByteWriter(reserving: body.count + size)
    var key = key
    bytes.fixed(key.withUTF8 { key in body.withUnsafeBytes { checksum($0, UnsafeRawBufferPointer(key)) } })
    bytes.append(body)
    return bytes.bytes
  }

  /// The body behind a checksum. `nil` if the two do not match.
  package static func body(
    of bytes: UnsafeRawBufferPointer, for key: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer? {
    guard bytes.count > size else { return nil }
    let body = UnsafeRawBufferPointer(rebasing: bytes[size...])
    return checksum(body, key) == UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)) ? body : nil
  }

  private static func checksum(_ body: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer) -> UInt32 {
    reprise_crc32c(reprise_crc32c(0, key.baseAddress, key.count), body.baseAddress, body.count)
  }
}
