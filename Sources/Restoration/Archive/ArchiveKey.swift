import CRepriseChecksums

/// The keys of an archive's records: at most 255 bytes, so that any storage can take them.
///
/// The key of a node is its path. The key of a registered object is a slash and the object's key. A slash alone is the
/// key of the archive's info. No path begins with a slash. If a key would be too long, it is two slashes and the hash
/// of the whole key, and the record has the whole key.
enum ArchiveKey {
  static let info = "/"
  /// The prefix of keys that are hashes.
  static let hashed = "//"
  static let longest = 255

  static func node(_ path: NodePath) -> String { short(path.text) }
  /// The prefix that the keys of a node's children share, unless they are hashes.
  static func group(below path: NodePath) -> String { path.text + "/" }
  static func object(_ key: String) -> String { short(whole(key, isObject: true)) }

  /// The whole key, of any length. No path begins with a slash.
  static func whole(_ name: String, isObject: Bool) -> String { isObject ? "/" + name : name }
  static func isObject(_ whole: UnsafeRawBufferPointer) -> Bool { whole.first == slash }

  /// Whether the record must hold its whole key.
  static func isHashed(_ key: String) -> Bool { key.hasPrefix(hashed) }

  static func isHashed(_ key: UnsafeRawBufferPointer) -> Bool { key.count > 1 && key[0] == slash && key[1] == slash }
  static func isInfo(_ key: UnsafeRawBufferPointer) -> Bool { key.count == 1 && key[0] == slash }
  static func isNode(_ key: UnsafeRawBufferPointer) -> Bool { key.first != slash || isHashed(key) }

  private static let slash = UInt8(ascii: "/")

  private static func short(_ text: String) -> String {
    if text.utf8.count <= longest { return text }
    var hash = reprise_sha256()
    reprise_sha256_init(&hash)
    Array(text.utf8).withUnsafeBytes { reprise_sha256_update(&hash, $0.baseAddress, $0.count) }
    var digest = [UInt8](repeating: 0, count: 32)
    reprise_sha256_final(&hash, &digest)
    let digits = Array("0123456789abcdef".utf8)
    let text = digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return hashed + String(decoding: text, as: UTF8.self)
  }
}
