import RepriseLog
import RepriseObjectModel

/// Reads from the records of a scene which other records the scene must have. Restoration reads the rest.
package enum SceneRecord {
  /// The objects that several scenes share. This archive has no record of a scene.
  package static let sharedScene = "//objects"
  private static let format: UInt8 = 1

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
    let path = ArchiveKey.isHashed(key) ? whole(body) : key
    guard let path, !ArchiveKey.isObject(path), let end = path.lastIndex(of: ArchiveKey.slash) else { return nil }
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

  /// A record of a scene whose own record is lost: format 1, version 0, and no facts.
  static var emptyInfo: [UInt8] { [format] + [UInt8](repeating: 0, count: 11) }
}
