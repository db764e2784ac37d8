/// Bytes in one space of offsets: the bytes of a file, and copied bytes.
package struct LentBytes {
  /// The offset of the first copied byte.
  package static let copied = 1 << 62

  package let file: UnsafeRawBufferPointer
  package let copies: UnsafeRawBufferPointer

  package init(file: UnsafeRawBufferPointer, copies: UnsafeRawBufferPointer) {
    self.file = file
    self.copies = copies
  }

  @inline(__always)
  package subscript(range: Range<Int>) -> UnsafeRawBufferPointer {
    if range.lowerBound < Self.copied { return UnsafeRawBufferPointer(rebasing: file[range]) }
    return UnsafeRawBufferPointer(
      rebasing: copies[range.lowerBound - Self.copied..<range.upperBound - Self.copied])
  }

  /// The bytes from an offset on.
  func from(_ offset: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: offset < Self.copied ? file[offset...] : copies[(offset - Self.copied)...])
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
