#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension UnsafeRawBufferPointer {
  package func isSame(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard count > 0, let mine = baseAddress, let theirs = other.baseAddress else { return true }
    return memcmp(mine, theirs, count) == 0
  }

  /// The length of the common prefix.
  func commonPrefix(with other: UnsafeRawBufferPointer) -> Int {
    let limit = Swift.min(count, other.count)
    var index = 0
    while index + 8 <= limit {
      let difference =
        loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
        ^ other.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
      if difference != 0 { return index + difference.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < limit, self[index] == other[index] { index += 1 }
    return index
  }

  /// The length of the common suffix, at most `limit`.
  func commonSuffix(with other: UnsafeRawBufferPointer, atMost limit: Int) -> Int {
    var length = 0
    while length + 8 <= limit {
      let difference =
        loadUnaligned(fromByteOffset: count - length - 8, as: UInt64.self).littleEndian
        ^ other.loadUnaligned(fromByteOffset: other.count - length - 8, as: UInt64.self).littleEndian
      if difference != 0 { return length + difference.leadingZeroBitCount / 8 }
      length += 8
    }
    while length < limit, self[count - length - 1] == other[other.count - length - 1] { length += 1 }
    return length
  }
}
