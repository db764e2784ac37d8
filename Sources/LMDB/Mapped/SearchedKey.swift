#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A key that is compared with many: by bytes, a shorter one before a longer one that begins with it.
///
/// Keys of sixteen bytes or more, which those of objects and of indexes are, are compared as numbers first: the table,
/// and most of what tells keys apart, is in two of them. Keys of one length up to 32 bytes need no more than four.
struct SearchedKey {
  private let bytes: UnsafeRawPointer
  private let count: Int
  /// Whether it has two numbers.
  private let isOfNumbers: Bool
  /// Whether it has no byte that is in none of the four.
  private let isWithinNumbers: Bool
  /// The first eight bytes, the second, the third and the last; the last two may overlap those before.
  private let lead: UInt64
  private let second: UInt64
  private let third: UInt64
  private let last: UInt64

  init(_ key: UnsafeRawBufferPointer) {
    // Of no bytes nothing is read.
    bytes = key.baseAddress ?? UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped
    count = key.count
    isOfNumbers = count >= 16
    isWithinNumbers = isOfNumbers && count <= 32
    lead = isOfNumbers ? Self.number(bytes) : 0
    second = isOfNumbers ? Self.number(bytes + 8) : 0
    third = isOfNumbers ? Self.number(bytes + min(16, count - 8)) : 0
    last = isOfNumbers ? Self.number(bytes + (count - 8)) : 0
  }

  @inline(__always)
  private static func number(_ bytes: UnsafeRawPointer) -> UInt64 {
    UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
  }

  /// Whether a key sorts before this one, or is the same and that counts.
  @inline(__always)
  func isAfter(_ other: UnsafeRawPointer, count otherCount: Int, orSame: Bool) -> Bool {
    guard isOfNumbers, otherCount >= 16 else { return isAfter(other, otherCount, from: 0, orSame) }
    let otherLead = Self.number(other)
    if otherLead != lead { return otherLead < lead }
    let otherSecond = Self.number(other + 8)
    if otherSecond != second { return otherSecond < second }
    guard isWithinNumbers, otherCount == count else { return isAfter(other, otherCount, from: 16, orSame) }
    let otherThird = Self.number(other + min(16, count &- 8))
    if otherThird != third { return otherThird < third }
    let otherLast = Self.number(other + (count &- 8))
    return orSame ? otherLast <= last : otherLast < last
  }

  /// - Parameter start: How many bytes are the same, and in both.
  @inline(never)
  private func isAfter(_ other: UnsafeRawPointer, _ otherCount: Int, from start: Int, _ orSame: Bool) -> Bool {
    let order = memcmp(bytes + start, other + start, min(count, otherCount) - start)
    if order != 0 { return order > 0 }
    return orSame ? otherCount <= count : otherCount < count
  }

  func isAfter(_ other: UnsafeRawBufferPointer) -> Bool {
    guard let start = other.baseAddress else { return count > 0 }
    return isAfter(start, count: other.count, orSame: false)
  }

  @inline(__always)
  func isSame(as other: UnsafeRawBufferPointer) -> Bool {
    guard other.count == count, let others = other.baseAddress else { return other.count == count }
    if isWithinNumbers {
      return Self.number(others) == lead && Self.number(others + 8) == second
        && Self.number(others + min(16, count &- 8)) == third && Self.number(others + (count &- 8)) == last
    }
    return memcmp(bytes, others, count) == 0
  }
}
