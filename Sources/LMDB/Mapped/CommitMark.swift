/// A row, by its table and its key.
package struct RowName: Sendable {
  let table: String
  let key: [UInt8]

  package init(table: String, key: [UInt8]) {
    (self.table, self.key) = (table, key)
  }

  /// No row. Not an optional, whose metadata each opening would instantiate.
  package static var none: RowName { RowName(table: "", key: []) }
  var isNone: Bool { table.isEmpty }
}

/// Identifies the content of a commit. Its number is not enough, because every compacted copy has the number 1.
///
/// Two copies of one size have the same meta page, down to the byte. So the mark also covers the beginning of a row
/// that no two contents have alike, if the program names one.
struct CommitMark: Equatable, Sendable {
  /// The mark of no commit.
  static let none = CommitMark(commit: -1, row: 0, sum: 0)

  let commit: Int
  /// Where in the file the row begins. 0 if there is none.
  let row: Int
  private let sum: UInt64

  fileprivate init(commit: Int, row: Int, sum: UInt64) {
    (self.commit, self.row, self.sum) = (commit, row, sum)
  }
}

extension MappedFile {
  /// The bytes of the row that the mark covers: two words.
  private static let rowSize = 16

  /// The transaction that wrote the meta page for the commit with this number.
  func transaction(ofMetaPageOf commit: Int, _ start: UnsafeRawPointer) -> Int {
    start.load(fromByteOffset: (commit & 1) * pageSize + MetaPage.transactionOffset, as: Int.self)
  }

  /// The mark of the file's present content, if that belongs to the commit. Costs a few loads.
  ///
  /// - Parameter row: As in the mark.
  func mark(of commit: Int, row: Int, _ start: UnsafeRawPointer) -> CommitMark {
    func add(_ word: UInt64, to sum: UInt64) -> UInt64 { (sum ^ word) &* 0x9E37_79B9_7F4A_7C15 }
    let meta = start + (commit & 1) * pageSize
    let lastPage = meta.load(fromByteOffset: MetaPage.lastPageOffset, as: UInt.self)
    let root = meta.load(fromByteOffset: MetaPage.rootOffset, as: UInt.self)
    // One after the other: in a compacted copy the root is the last page.
    var sum = add(UInt64(root), to: add(UInt64(lastPage), to: 0))
    // A shorter file in the place of this one ends before the row.
    if row > 0, UInt(row / pageSize) <= lastPage {
      sum = add(start.loadUnaligned(fromByteOffset: row, as: UInt64.self), to: sum)
      sum = add(start.loadUnaligned(fromByteOffset: row + 8, as: UInt64.self), to: sum)
    }
    return CommitMark(commit: commit, row: row, sum: sum)
  }

  /// Where in the file a row begins. 0 if it is not there, or too short. O(log n).
  ///
  /// - Parameter transaction: A snapshot, or a write transaction that has not written.
  func place(of row: RowName, _ transaction: OpaquePointer, _ start: UnsafeRawPointer) -> Int {
    guard let tree = tree(of: row.table, transaction),
      let value = row.key.withUnsafeBytes({ try? tree.value(of: $0) }), value.count >= Self.rowSize,
      let address = value.baseAddress
    else { return 0 }
    return start.distance(to: UnsafeRawPointer(address))
  }
}
