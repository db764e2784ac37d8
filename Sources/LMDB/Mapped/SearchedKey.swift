#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A key that is compared with many: by bytes, a shorter one before a longer one that begins with it.
///
/// Most look-ups are of objects, whose keys are of one length and begin alike. Such keys are compared as two or three
/// numbers.
struct SearchedKey {
  private let bytes: UnsafeRawPointer
  private let count: Int
  /// The length of the keys that are compared as numbers; greater than that of any key if none is.
  let countOfNumbers: Int
  /// The first eight bytes, the second, and the last, which may overlap.
  private let lead: UInt64
  private let second: UInt64
  private let last: UInt64

  init(_ key: UnsafeRawBufferPointer) {
    // Of no bytes nothing is read.
    bytes = key.baseAddress ?? UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped
    count = key.count
    let isOfNumbers = count >= 16 && count <= 24
    countOfNumbers = isOfNumbers ? count : .max / 2
    lead = isOfNumbers ? Self.number(bytes) : 0
    second = isOfNumbers ? Self.number(bytes + 8) : 0
    last = isOfNumbers ? Self.number(bytes + count - 8) : 0
  }

  @inline(__always)
  private static func number(_ bytes: UnsafeRawPointer) -> UInt64 {
    UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
  }

  /// Whether a key of ``countOfNumbers`` bytes sorts before this one, or is the same and that counts.
  @inline(__always)
  func isAfter(numbers other: UnsafeRawPointer, orSame: Bool) -> Bool {
    let otherLead = Self.number(other)
    if otherLead != lead { return otherLead < lead }
    let otherSecond = Self.number(other + 8)
    if otherSecond != second { return otherSecond < second }
    let otherLast = Self.number(other + (countOfNumbers &- 8))
    return orSame ? otherLast <= last : otherLast < last
  }

  /// Whether a key sorts before this one, or is the same and that counts.
  @inline(never)
  func isAfter(_ other: UnsafeRawBufferPointer, orSame: Bool = false) -> Bool {
    guard let start = other.baseAddress else { return orSame || count > 0 }
    let order = memcmp(bytes, start, min(count, other.count))
    if order != 0 { return order > 0 }
    return orSame ? other.count <= count : other.count < count
  }

  @inline(__always)
  func isSame(as other: UnsafeRawBufferPointer) -> Bool {
    guard other.count == count, let others = other.baseAddress else { return other.count == count }
    if count == countOfNumbers {
      return Self.number(others) == lead && Self.number(others + 8) == second
        && Self.number(others + (count &- 8)) == last
    }
    return memcmp(bytes, others, count) == 0
  }
}
