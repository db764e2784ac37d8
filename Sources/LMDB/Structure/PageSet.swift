/// A set of page numbers, one bit each.
struct PageSet {
  private var words: [UInt64]
  let count: UInt

  /// An empty set for page numbers below `count`.
  init(count: UInt) {
    words = [UInt64](repeating: 0, count: Int(count / 64 + 1))
    self.count = count
  }

  func contains(_ page: UInt) -> Bool { page < count && words[Int(page / 64)] & 1 << UInt64(page % 64) != 0 }

  /// False if the page is in the set already, or out of range.
  mutating func insert(_ page: UInt) -> Bool {
    guard page < count, !contains(page) else { return false }
    words[Int(page / 64)] |= 1 << UInt64(page % 64)
    return true
  }

  /// How many pages are in neither set, and the first of them.
  func missing(from start: UInt, also other: PageSet) -> (count: Int, first: UInt?) {
    var number = 0
    var first: UInt?
    for page in start..<max(start, count) where !contains(page) && !other.contains(page) {
      number += 1
      first = first ?? page
    }
    return (number, first)
  }
}
