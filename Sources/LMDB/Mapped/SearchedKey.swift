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
  /// The length of the keys that are compared as numbers; of other lengths none.
  private let countOfNumbers: Int
  /// The first eight bytes, the second, and the last, which may overlap.
  private let lead: UInt64
  private let second: UInt64
  private let last: UInt64

  init(_ key: UnsafeRawBufferPointer) {
    // Of no bytes nothing is read.
    bytes = key.baseAddress ?? UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped
    count = key.count
    let isOfNumbers = count >= 16 && count <= 24
    countOfNumbers = isOfNumbers ? count : -1
    lead = isOfNumbers ? Self.number(bytes) : 0
    second = isOfNumbers ? Self.number(bytes + 8) : 0
    last = isOfNumbers ? Self.number(bytes + count - 8) : 0
  }

  @inline(__always)
  private static func number(_ bytes: UnsafeRawPointer) -> UInt64 {
    UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
  }

  /// Whether a key sorts before this one, or is the same and that counts.
  @inline(__always)
  func isAfter(_ other: UnsafeRawPointer, _ otherCount: Int, orSame: Bool) -> Bool {
    guard otherCount == countOfNumbers else { return isAfterBytes(other, otherCount, orSame) }
    let otherLead = Self.number(other)
    if otherLead != lead { return otherLead < lead }
    let otherSecond = Self.number(other + 8)
    if otherSecond != second { return otherSecond < second }
    let otherLast = Self.number(other + otherCount - 8)
    return orSame ? otherLast <= last : otherLast < last
  }

  private func isAfterBytes(_ other: UnsafeRawPointer, _ otherCount: Int, _ orSame: Bool) -> Bool {
    let order = memcmp(bytes, other, min(count, otherCount))
    if order != 0 { return order > 0 }
    return orSame ? otherCount <= count : otherCount < count
  }

  /// Whether another key sorts before this one.
  func isAfter(_ other: UnsafeRawBufferPointer) -> Bool {
    other.baseAddress.map { isAfter($0, other.count, orSame: false) } ?? (count > 0)
  }

  func isSame(as other: UnsafeRawBufferPointer) -> Bool {
    guard other.count == count, let others = other.baseAddress else { return other.count == count }
    return memcmp(bytes, others, count) == 0
  }
}
