import RepriseLog
import RepriseObjectModel

/// The keys of an archive's records: at most 255 bytes, so that any storage can take them.
///
/// The key of a node is its path. The key of a registered object is a slash and the object's key. A slash alone is the
/// key of the archive's info. No path begins with a slash. If a key would be too long, it is two slashes and the hash
/// of the whole key, and the record has the whole key.
package enum ArchiveKey {
  package static let info = "/"
  /// The prefix of keys that are hashes.
  package static let hashed = "//"
  package static let longest = 255

  package static func node(_ path: String) -> String { short(path) }
  package static func object(_ key: String) -> String { short(whole(key, isObject: true)) }

  /// The whole key, of any length. No path begins with a slash.
  package static func whole(_ name: String, isObject: Bool) -> String { isObject ? "/" + name : name }
  @inlinable package static func isObject(_ whole: UnsafeRawBufferPointer) -> Bool { whole.first == slash }

  /// Whether the record must hold its whole key.
  package static func isHashed(_ key: String) -> Bool { key.hasPrefix(hashed) }

  @inlinable package static func isHashed(_ key: UnsafeRawBufferPointer) -> Bool {
    key.count > 1 && key[0] == slash && key[1] == slash
  }

  @inlinable package static func isInfo(_ key: UnsafeRawBufferPointer) -> Bool { key.count == 1 && key[0] == slash }

  /// Whether it may be the key of a node. A key that is a hash may also be the key of an object.
  @inlinable package static func isNode(_ key: UnsafeRawBufferPointer) -> Bool { key.first != slash || isHashed(key) }

  /// The separator of the IDs in a path.
  @usableFromInline package static var slash: UInt8 { UInt8(ascii: "/") }

  private static func short(_ text: String) -> String {
    if text.utf8.count <= longest { return text }
    var writer = ByteWriter(reserving: 32)
    writer.digest(Array(text.utf8).lend { SHA256.digest($0) })
    return hashed + hexadecimal(writer.bytes)
  }
}
