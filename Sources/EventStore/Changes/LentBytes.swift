/// Bytes in one space of offsets: those of a file, and those that were copied from elsewhere.
struct LentBytes {
  /// The offset of the first copied byte.
  static let copied = 1 << 62

  let file: UnsafeRawBufferPointer
  let copies: UnsafeRawBufferPointer

  @inline(__always)
  subscript(range: Range<Int>) -> UnsafeRawBufferPointer {
    if range.lowerBound < Self.copied { return UnsafeRawBufferPointer(rebasing: file[range]) }
    return UnsafeRawBufferPointer(
      rebasing: copies[range.lowerBound - Self.copied..<range.upperBound - Self.copied])
  }

  /// The offset of some of these bytes.
  @inline(__always)
  func offset(of bytes: UnsafeRawBufferPointer) -> Int {
    guard let start = bytes.baseAddress else { return 0 }
    if let first = copies.baseAddress, start >= first, start < first + copies.count {
      return Self.copied + (start - first)
    }
    return file.baseAddress.map { start - $0 } ?? 0
  }
}
