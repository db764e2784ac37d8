#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Compares bytewise: negative, zero or positive if `left` sorts before, equal to or after `right`. A prefix sorts
/// before its extensions.
@inline(__always)
func compareBytes(_ left: RawSpan, _ right: RawSpan) -> Int {
  left.withUnsafeBytes { left in
    right.withUnsafeBytes { right in compareBytes(left, right) }
  }
}

@inline(__always)
func compareBytes(_ left: [UInt8], _ right: [UInt8]) -> Int {
  left.withUnsafeBytes { left in
    right.withUnsafeBytes { right in compareBytes(left, right) }
  }
}

@inline(__always)
func compareBytes(_ left: [UInt8], _ right: RawSpan) -> Int {
  left.withUnsafeBytes { left in
    right.withUnsafeBytes { right in compareBytes(left, right) }
  }
}

@inline(__always)
func compareBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
  let shared = min(left.count, right.count)
  if shared > 0, let leftStart = left.baseAddress, let rightStart = right.baseAddress {
    let result = memcmp(leftStart, rightStart, shared)
    if result != 0 { return Int(result) }
  }
  return left.count - right.count
}

extension [UInt8] {
  init(copying bytes: RawSpan) {
    self = bytes.withUnsafeBytes { [UInt8]($0) }
  }

  /// The length of the common prefix.
  func sharedPrefix(with other: [UInt8]) -> Int {
    let limit = Swift.min(count, other.count)
    var length = 0
    while length < limit && self[length] == other[length] { length += 1 }
    return length
  }

  /// The least bytes that sort after everything with this prefix; nil if there are none.
  var prefixSuccessor: [UInt8]? {
    var result = self
    while let last = result.popLast() {
      if last < 0xFF { return result + [last + 1] }
    }
    return nil
  }
}
