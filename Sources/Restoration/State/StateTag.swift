/// The tag that begins each value in a state's bytes, and the content after it. ``StateImage`` describes the whole
/// format.
enum StateTag {
  static let null: UInt8 = 0
  static let no: UInt8 = 1
  static let yes: UInt8 = 2
  /// A varint.
  static let natural: UInt8 = 3
  /// A varint: the bitwise complement of the number.
  static let negative: UInt8 = 4
  /// 16 bytes, little-endian.
  static let wide: UInt8 = 5
  /// 16 bytes, little-endian, for numbers beyond the signed range.
  static let unsignedWide: UInt8 = 6
  /// 8 bytes, little-endian.
  static let double: UInt8 = 7
  /// 4 bytes, little-endian.
  static let float: UInt8 = 8
  /// Length, UTF-8.
  static let text: UInt8 = 9
  /// Length, bytes: a list whose elements all are `UInt8`.
  static let bytes: UInt8 = 10
  /// Length of the rest in bytes, number of values, values.
  static let list: UInt8 = 11
  /// Length of the rest in bytes, number of pairs, pairs of key number and value.
  static let keyed: UInt8 = 12
  /// Length, UTF-8: the archive key of a registered object or of a node.
  static let reference: UInt8 = 13
  /// From here on, the tag is the value itself: 0 to 127.
  static let small: UInt8 = 0x80
}

/// Limits on the memory and stack that a state may take. They are far above the needs of a screen, because large data
/// belongs in the object graph.
enum StateLimits {
  /// Containers within containers.
  static let depth = 64
  /// Bytes of one encoded state.
  static let bytes = 1 << 20
  /// Values of one list, pairs of one keyed container, different keys of one state.
  static let elements = 100_000
}
