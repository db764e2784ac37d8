#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Compares bytewise: negative, zero or positive if `left` sorts before, equal to or after `right`. A prefix sorts
/// before its extensions.
@inlinable @inline(__always)
package func compareBytes(_ left: RawSpan, _ right: RawSpan) -> Int {
  left.withUnsafeBytes { left in
    right.withUnsafeBytes { right in compareBytes(left, right) }
  }
}

@inlinable @inline(__always)
package func compareBytes(_ left: [UInt8], _ right: [UInt8]) -> Int {
  left.withUnsafeBytes { left in
    right.withUnsafeBytes { right in compareBytes(left, right) }
  }
}

@inlinable @inline(__always)
package func compareBytes(_ left: [UInt8], _ right: RawSpan) -> Int {
  left.withUnsafeBytes { left in
    right.withUnsafeBytes { right in compareBytes(left, right) }
  }
}

@inlinable @inline(__always)
package func compareBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
  let shared = min(left.count, right.count)
  if shared > 0, let leftStart = left.baseAddress, let rightStart = right.baseAddress {
    let result = memcmp(leftStart, rightStart, shared)
    if result != 0 { return Int(result) }
  }
  return left.count - right.count
}

extension [UInt8] {
  /// Whether these bytes sort before the given ones.
  @inlinable @inline(__always)
  package func precedes(_ other: [UInt8]) -> Bool { compareBytes(self, other) < 0 }
}
