#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A key that is compared with many: by bytes, a shorter one before a longer one that begins with it.
///
/// The beginnings of keys are compared as two numbers. Keys of objects and of indexes mostly differ there, because the
/// table and most of the varying bytes come first.
struct SearchedKey {
  /// So many bytes make the two numbers.
  static let sizeOfNumbers = 16

  private let bytes: UnsafeRawBufferPointer
  /// The first eight bytes and the second, as if zeros followed a shorter key.
  private let lead: UInt64
  private let second: UInt64

  init(_ key: UnsafeRawBufferPointer) {
    bytes = key
    if key.count >= Self.sizeOfNumbers, let start = key.baseAddress {
      lead = Self.number(start)
      second = Self.number(start + 8)
    } else {
      var padded: (UInt64, UInt64) = (0, 0)
      withUnsafeMutableBytes(of: &padded) { $0.copyMemory(from: key) }
      lead = UInt64(bigEndian: padded.0)
      second = UInt64(bigEndian: padded.1)
    }
  }

  @inline(__always)
  private static func number(_ bytes: UnsafeRawPointer) -> UInt64 {
    UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
  }

  /// Whether a key of `count` bytes sorts before this one, judged by its first 16 bytes. `nil` if these bytes do not
  /// decide.
  @inline(__always)
  func isAfter(numbers other: UnsafeRawPointer, of count: UInt16) -> Bool? {
    guard count >= Self.sizeOfNumbers else {
      // Keys of the log are hardly longer than one number.
      guard count >= 8 else { return nil }
      let otherLead = Self.number(other)
      return otherLead == lead ? nil : otherLead < lead
    }
    let otherLead = Self.number(other)
    if otherLead != lead { return otherLead < lead }
    let otherSecond = Self.number(other + 8)
    return otherSecond == second ? nil : otherSecond < second
  }

  /// Whether a key sorts before this one, or is equal to it if `orSame`.
  @inline(never)
  func isAfter(_ other: UnsafeRawBufferPointer, orSame: Bool = false) -> Bool {
    let order = order(to: other)
    if order != 0 { return order > 0 }
    return orSame ? other.count <= bytes.count : other.count < bytes.count
  }

  func isSame(as other: UnsafeRawBufferPointer) -> Bool { other.count == bytes.count && order(to: other) == 0 }

  /// Compares the bytes that both keys have.
  @inline(__always)
  private func order(to other: UnsafeRawBufferPointer) -> Int32 {
    guard let start = bytes.baseAddress, let others = other.baseAddress else { return 0 }
    return memcmp(start, others, min(bytes.count, other.count))
  }
}
