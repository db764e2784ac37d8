/// A page of `data.mdb` as LMDB 0.9 lays it out, in untrusted bytes: every number is checked against the page before it
/// is used.
///
/// Header: own number, padding u16, flags u16, lower u16, upper u16. Instead of the last two, an overflow page has the
/// number of its pages u32. Then, up to `lower`, a u16 for the place of each node. Nodes fill the range from `upper` to
/// the end without gaps.
package struct Page: Sendable {
  package let bytes: [UInt8]

  static let branch: UInt16 = 0x01
  static let leaf: UInt16 = 0x02
  static let overflow: UInt16 = 0x04

  /// The page number in its header.
  var number: UInt { bytes.number(at: 0, UInt.self) ?? 0 }
  var flags: UInt16 { bytes.number(at: DataFile.word + 2, UInt16.self) ?? 0 }
  var lower: Int { Int(bytes.number(at: DataFile.word + 4, UInt16.self) ?? 0) }
  var upper: Int { Int(bytes.number(at: DataFile.word + 6, UInt16.self) ?? 0) }
  /// How many pages begin with this overflow page.
  var overflowCount: UInt { UInt(bytes.number(at: DataFile.word + 4, UInt32.self) ?? 0) }

  package var isLeaf: Bool { flags == Page.leaf }
  var isBranch: Bool { flags == Page.branch }

  /// Whether `lower` and `upper` lie within the page, in that order.
  var hasBounds: Bool {
    lower >= DataFile.pageHeaderSize && lower % 2 == 0 && lower <= upper && upper <= bytes.count
  }

  package var nodeCount: Int { max(0, lower - DataFile.pageHeaderSize) / 2 }

  /// A node. `nil` if it does not lie between `upper` and the end of the page.
  package func node(_ index: Int) -> Node? {
    guard let start = bytes.number(at: DataFile.pageHeaderSize + 2 * index, UInt16.self), start >= upper else {
      return nil
    }
    return node(at: Int(start), isInBranch: isBranch)
  }

  /// The leaf node that would begin at `start`.
  func looseNode(at start: Int) -> Node? { node(at: start, isInBranch: false) }

  private func node(at start: Int, isInBranch: Bool) -> Node? {
    guard start >= DataFile.pageHeaderSize, start % 2 == 0, let low = bytes.number(at: start, UInt32.self),
      let flags = bytes.number(at: start + 4, UInt16.self),
      let keySize = bytes.number(at: start + 6, UInt16.self).map(Int.init)
    else { return nil }
    let key = start + Node.headerSize..<start + Node.headerSize + keySize
    let value: Int
    if isInBranch {
      value = 0
    } else if flags & Node.big != 0 {
      value = DataFile.word
    } else {
      value = Int(low)
    }
    let end = key.upperBound + value
    // Nodes begin at even offsets, so one of odd size is followed by a padding byte.
    guard end + end % 2 <= bytes.count else { return nil }
    return Node(
      flags: flags, low: UInt(low), place: start..<end + end % 2, key: key, value: key.upperBound..<end)
  }

  /// The page number stored at an offset.
  func pageNumber(at offset: Int) -> UInt { bytes.number(at: offset, UInt.self) ?? 0 }

  /// A node: four bytes for the size of its value or the number of its page, flags u16, size of its key u16, key,
  /// value.
  package struct Node: Sendable {
    static let headerSize = 8
    /// The value lies on overflow pages. The node has the number of the first.
    static let big: UInt16 = 0x01
    /// The value is the head of a table's tree.
    static let table: UInt16 = 0x02

    let flags: UInt16
    fileprivate let low: UInt
    /// All of it, in the page.
    let place: Range<Int>
    package let key: Range<Int>
    package let value: Range<Int>

    /// In a leaf: the size of the value, wherever that lies.
    var size: UInt { low }
    /// In a branch: the child page.
    var child: UInt { DataFile.word == 8 ? low | UInt(flags) << 32 : low }
  }
}

extension DataFile {
  /// Reads a page from the file. `nil` if the file ends before it does.
  func page(_ number: UInt, size: Int) throws(StorageError) -> Page? {
    let bytes = try pages(number, 1, size: size)
    return bytes.count == size ? Page(bytes: bytes) : nil
  }

  /// The bytes of so many pages, or of as many as there are.
  fileprivate func pages(_ first: UInt, _ count: Int, size: Int) throws(StorageError) -> [UInt8] {
    guard first < UInt(Int.max / size - count) else { return [] }
    return try read(at: Int(first) * size, count: count * size)
  }
}

/// Reads pages of a file one by one, and ahead as long as each follows the one before.
struct PageReader: ~Copyable {
  private static let mostAhead = 16

  let file: DataFile
  private let size: Int
  /// The pages that were read last.
  private var bytes: [UInt8] = []
  private var first: UInt = 0
  private var count = 0

  init(_ file: consuming DataFile, size: Int) {
    self.file = file
    self.size = size
  }

  /// `nil` if the file ends before the page does.
  mutating func page(_ number: UInt) throws(StorageError) -> Page? {
    if number < first || number >= first + UInt(count) {
      let isNext = count > 0 && number == first + UInt(count)
      bytes = try file.pages(number, isNext ? min(2 * count, Self.mostAhead) : 1, size: size)
      (first, count) = (number, bytes.count / size)
      if count == 0 { return nil }
    }
    if bytes.count == size { return Page(bytes: bytes) }
    let start = Int(number - first) * size
    return Page(bytes: [UInt8](bytes[start..<start + size]))
  }
}
