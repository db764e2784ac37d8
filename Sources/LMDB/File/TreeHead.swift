/// LMDB's record of a tree: in a meta page for its own two trees, in the main database for each table.
package struct TreeHead: Sendable, Equatable {
  static let size = 8 + 5 * DataFile.word
  static let integerKeys: UInt16 = 0x08
  /// Flags of the environment among the flags of the free pages' tree: a fixed map, no subdirectory.
  static let environmentFlags: UInt16 = 0x4001
  /// The root of a tree without entries.
  static let none = UInt.max

  let pad: UInt32
  let flags: UInt16
  let depth: Int
  let branchPages: UInt
  let leafPages: UInt
  let overflowPages: UInt
  package let entries: UInt
  let root: UInt

  init?(_ bytes: [UInt8], at start: Int) {
    let word = DataFile.word
    guard let pad = bytes.number(at: start, UInt32.self), let flags = bytes.number(at: start + 4, UInt16.self),
      let depth = bytes.number(at: start + 6, UInt16.self),
      let branchPages = bytes.number(at: start + 8, UInt.self),
      let leafPages = bytes.number(at: start + 8 + word, UInt.self),
      let overflowPages = bytes.number(at: start + 8 + 2 * word, UInt.self),
      let entries = bytes.number(at: start + 8 + 3 * word, UInt.self),
      let root = bytes.number(at: start + 8 + 4 * word, UInt.self)
    else { return nil }
    self.pad = pad
    self.flags = flags
    self.depth = Int(depth)
    self.branchPages = branchPages
    self.leafPages = leafPages
    self.overflowPages = overflowPages
    self.entries = entries
    self.root = root
  }
}
