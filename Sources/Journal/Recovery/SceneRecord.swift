import CRepriseChecksums
import RepriseLog
import RepriseObjectModel

/// Reads from the records of a scene which other records the scene must have. Restoration reads the rest.
package enum SceneRecord {
  /// The objects that several scenes share. This archive has no record of a scene.
  package static let sharedScene = "//objects"
  static let info = [slash]
  private static let slash = UInt8(ascii: "/")
  private static let format: UInt8 = 1
  private static let longestKey = 255

  /// Whether it is the key of the record of the scene itself.
  static func isInfo(_ key: UnsafeRawBufferPointer) -> Bool { key.count == 1 && key[0] == slash }

  /// Whether it may be the key of a screen's record. A key that is a hash may also be the key of an object's record.
  static func mayBeScreen(_ key: UnsafeRawBufferPointer) -> Bool { key.first != slash || isHashed(key) }

  private static func isHashed(_ key: UnsafeRawBufferPointer) -> Bool {
    key.count > 1 && key[0] == slash && key[1] == slash
  }

  /// The record after its checksum, which also covers the key. `nil` if the checksum is wrong.
  static func body(
    _ record: UnsafeRawBufferPointer, of key: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer? {
    guard record.count > Checksum.size else { return nil }
    let body = UnsafeRawBufferPointer(rebasing: record[Checksum.size...])
    let sum = reprise_crc32c(reprise_crc32c(0, key.baseAddress, key.count), body.baseAddress, body.count)
    return sum == UInt32(littleEndian: record.loadUnaligned(as: UInt32.self)) ? body : nil
  }

  /// The number of screens that the record of a scene counts, and its place in the body. `nil` if the scene's record
  /// counts no screens, or has an unknown format.
  static func screenCount(_ body: UnsafeRawBufferPointer) -> (count: UInt64, place: Range<Int>)? {
    var reader = ByteReader(body)
    do throws(MalformedBytes) {
      guard try reader.byte() == format else { return nil }
      _ = try reader.varint("a schema version")
      try reader.skipSized("an app version")
      try reader.skipSized("a system's version")
      _ = try reader.varint("a time")
      guard try reader.byte("a flag") == 1 else { return nil }
      let start = reader.offset
      return (try reader.varint("a number of screens"), start..<reader.offset)
    } catch {
      return nil
    }
  }

  /// The path of the screen whose record this is, and of the screen above it. `nil` for a root, for another record, and
  /// for a record that cannot be read.
  static func screen(
    _ key: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer
  ) -> (path: String, parent: String)? {
    let path = isHashed(key) ? whole(body) : key
    guard let path, path.first != slash, let end = path.lastIndex(of: slash) else { return nil }
    return (
      String(decoding: path, as: UTF8.self),
      String(decoding: UnsafeRawBufferPointer(rebasing: path[..<end]), as: UTF8.self)
    )
  }

  /// The whole key that a record has if the key of the record is a hash.
  private static func whole(_ body: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    var reader = ByteReader(body)
    do throws(MalformedBytes) {
      guard try reader.byte() == format else { return nil }
      _ = try reader.byte("flags")
      try reader.skipSized("a kind")
      _ = try reader.varint("an order")
      return try reader.text("a key")
    } catch {
      return nil
    }
  }

  /// The key of the record of a screen: its path or, if that is too long, a hash.
  static func key(ofScreen path: String) -> [UInt8] {
    let path = Array(path.utf8)
    if path.count <= longestKey { return path }
    var writer = ByteWriter(reserving: 32)
    writer.digest(path.lend { SHA256.digest($0) })
    return [slash, slash] + Array(hexadecimal(writer.bytes).utf8)
  }

  /// A record of a scene whose own record is lost: format 1, version 0, and no facts.
  static var emptyInfo: [UInt8] { [format] + [UInt8](repeating: 0, count: 11) }

  /// A body with its checksum in front.
  static func sealed(_ body: [UInt8], of key: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(reserving: body.count + Checksum.size)
    writer.fixed((key + body).lend { Checksum.crc32c($0) })
    writer.append(body)
    return writer.bytes
  }
}
