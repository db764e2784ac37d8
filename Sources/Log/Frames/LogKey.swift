/// The key of the first row of a frame in the table `log`: its position, eight bytes, big-endian. ``ChunkedRows``
/// appends the number of the row.
package struct LogKey: BitwiseCopyable {
  private let word: UInt64

  /// Parses a row's key, with or without the number of the row. `nil` if it is too short.
  package init?(_ key: UnsafeRawBufferPointer) {
    guard key.count >= 8 else { return nil }
    word = key.loadUnaligned(as: UInt64.self)
  }

  /// The size of a row's key.
  package static let rowSize = 10

  /// Whether a row's key, of any form, sorts before the keys of a position's rows.
  static func precedes(_ key: UnsafeRawBufferPointer, _ position: Position) -> Bool {
    withUnsafeBytes(of: position.number.bigEndian) { key.lexicographicallyPrecedes($0) }
  }

  package var position: Position { Position(UInt64(bigEndian: word)) }
}
