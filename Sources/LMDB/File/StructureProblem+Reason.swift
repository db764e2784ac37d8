extension StructureProblem {
  /// The difference between a page and the assumptions of LMDB.
  package enum Reason: Equatable, Sendable {
    case notAMetaPage
    case otherMetaNumber
    case freePagesFlags(UInt16)
    case mainFlags(UInt16)
    case pageSize(Int, other: Int)
    case transactions(UInt, UInt)
    case lastPage(UInt)

    case outsideFile(last: UInt)
    case cutOff
    case valueOutsideFile(from: UInt)
    case otherNumber(UInt)
    case flags(UInt16)
    case valueFlags(UInt16, from: UInt)
    case bounds(lower: Int, upper: Int)
    case nodeOutside(Int)
    case nodesOverlap(at: Int)
    case nodesEnd(at: Int)
    case nodeFlags(UInt16)

    case keySize(Int, byteCount: Int)
    case keyOrder(Int)
    case lastKey
    case levels(Int)
    case level(Int, isLeaf: Bool)
    case count(String, counted: UInt, recorded: UInt)
    case valueSize(UInt, pages: UInt)

    case usedAndFree
    case usedTwice
    case listSize(Int)
    case listed(UInt)
    case listedTwice(UInt)
    case lost(Int)
    case notATable(String)
    case tableFlags(UInt16)

    var kind: Kind {
      switch self {
      case .notAMetaPage, .otherMetaNumber, .freePagesFlags, .mainFlags, .pageSize, .transactions, .lastPage: .metaPage
      case .outsideFile, .cutOff, .valueOutsideFile: .missingPage
      case .otherNumber: .pageNumber
      case .flags, .valueFlags: .pageKind
      case .bounds: .bounds
      case .nodeOutside, .nodesOverlap, .nodesEnd, .nodeFlags: .node
      case .keySize, .keyOrder, .lastKey: .keyOrder
      case .levels, .level: .depth
      case .count, .valueSize: .count
      case .usedAndFree, .usedTwice: .usedTwice
      case .listSize, .listed, .listedTwice: .freeList
      case .lost: .lostPages
      case .notATable, .tableFlags: .table
      }
    }
  }
}

extension StructureProblem.Reason: CustomStringConvertible {
  /// Part of a sentence about a page.
  package var description: String {
    switch self {
    case .notAMetaPage: "it is not a meta page"
    case .otherMetaNumber: "the page number in its header is wrong"
    case .freePagesFlags(let flags): "its entry for the tree of free pages has the invalid flags \(flags)"
    case .mainFlags(let flags): "its entry for the main database has the flags \(flags), and must have 0"
    case .pageSize(let size, let other):
      "it states a page size of \(size) bytes, but the other meta page states \(other)"
    case .transactions(let one, let two):
      "its transaction \(one) does not fit transaction \(two) of the other meta page, because both must be "
        + "consecutive, the even one in page 0"
    case .lastPage(let page): "it names page \(page) as the last page, which does not fit the size of the file"
    case .outsideFile(let last): "another page refers to it, but the file has only the pages 2 to \(last)"
    case .cutOff: "the file ends before the end of the page"
    case .valueOutsideFile(let page):
      "page \(page) refers to it as an overflow page, but it is a meta page or beyond the end of the file"
    case .otherNumber(let page): "its header has the page number \(page)"
    case .flags(let flags): "its flags are \(flags), which neither a branch nor a leaf has"
    case .valueFlags(let flags, let page): "page \(page) refers to it as an overflow page, but its flags are \(flags)"
    case .bounds(let lower, let upper):
      "its bounds are impossible: its node pointers end at byte \(lower), and its nodes begin at byte \(upper)"
    case .nodeOutside(let index): "its node \(index) is not within its range of nodes"
    case .nodesOverlap(let place): "two of its nodes overlap, or there is a gap between them, at byte \(place)"
    case .nodesEnd(let place): "its nodes end at byte \(place), before the end of the page"
    case .nodeFlags(let flags): "one of its nodes has the invalid flags \(flags)"
    case .keySize(let index, let byteCount):
      "its key \(index) has \(byteCount) bytes, but a key has 1 to 511, or 8 in the tree of free pages"
    case .keyOrder(let index): "its key \(index) is not greater than the key before it"
    case .lastKey: "its last key belongs on a later page"
    case .levels(let count): "its tree cannot have \(count) levels"
    case .level(let level, let isLeaf):
      "it is \(isLeaf ? "a leaf" : "a branch") on level \(level) of its tree, where level 1 has the leaves"
    case .count(let things, let counted, let recorded):
      "its tree has \(counted) \(things) instead of the recorded \(recorded)"
    case .valueSize(let size, let pages): "its \(pages) pages cannot hold a value of \(size) bytes"
    case .usedAndFree: "it is in use, but also in a list of free pages"
    case .usedTwice: "it is in use in two places"
    case .listSize(let size): "its list of free pages counts more pages than its \(size) bytes can hold"
    case .listed(let page): "its list of free pages has page \(page), which cannot be free or is out of order"
    case .listedTwice(let page): "page \(page) is in two lists of free pages"
    case .lost(let count): "\(count) pages, the first of them here, are neither used nor free"
    case .notATable(let name): "'\(name)' in the main database is not a table"
    case .tableFlags(let flags): "its flags are \(flags), and must be 0"
    }
  }
}
