/// One of the two pages at the beginning of `data.mdb`, which transactions write in turn: where its trees begin.
///
/// After the page's header: magic u32, version u32, address, size of the map, the tree of free pages, the main
/// database, the last page, the transaction.
struct MetaPage: Equatable {
  let pageSize: Int
  let freePages: TreeHead
  let main: TreeHead
  let lastPage: UInt
  let transactionID: UInt

  /// Where in the page the roots of the free pages and of the main database are, the last page, and the transaction.
  static var freePagesRootOffset: Int { rootOffset - TreeHead.size }
  static var rootOffset: Int { transactionOffset - 2 * DataFile.word }
  static var lastPageOffset: Int { transactionOffset - DataFile.word }
  static let transactionOffset = DataFile.pageHeaderSize + 8 + 3 * DataFile.word + 2 * TreeHead.size

  /// The page sizes that LMDB 0.9 can have.
  static let pageSizes = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536]

  /// `nil` if the bytes are not a meta page of this version.
  init?(_ bytes: [UInt8]) {
    let start = DataFile.pageHeaderSize
    let trees = start + 8 + 2 * DataFile.word
    let tail = trees + 2 * TreeHead.size
    guard bytes.number(at: DataFile.word + 2, UInt16.self) == DataFile.Meta.metaFlag,
      bytes.number(at: start, UInt32.self) == DataFile.Meta.magic,
      bytes.number(at: start + 4, UInt32.self) == DataFile.Meta.dataVersion,
      let freePages = TreeHead(bytes, at: trees), let main = TreeHead(bytes, at: trees + TreeHead.size),
      let lastPage = bytes.number(at: tail, UInt.self),
      let transactionID = bytes.number(at: Self.transactionOffset, UInt.self),
      Self.pageSizes.contains(Int(freePages.pad))
    else { return nil }
    pageSize = Int(freePages.pad)
    self.freePages = freePages
    self.main = main
    self.lastPage = lastPage
    self.transactionID = transactionID
  }
}

/// Both meta pages, and the one that LMDB would use.
struct MetaPages: Equatable {
  private let first: [UInt8]
  private let second: [UInt8]
  /// The one of the later transaction, which LMDB uses; or the only readable one.
  let current: MetaPage?
  /// The other one, if it is readable.
  let older: MetaPage?
  let problems: [StructureProblem]

  init(_ file: borrowing DataFile) throws(StorageError) {
    let length = DataFile.pageHeaderSize + DataFile.Meta.size
    first = try file.read(at: 0, count: length)
    let one = MetaPage(first)
    // The first page has the place of the second one, and may be wrong.
    var place = one?.pageSize ?? 0
    let isThere = MetaPage(try file.read(at: place, count: length)) != nil
    if one == nil || !isThere {
      for size in MetaPage.pageSizes {
        if MetaPage(try file.read(at: size, count: length))?.pageSize == size { place = size }
      }
    }
    second = place > 0 ? try file.read(at: place, count: length) : []
    let two = MetaPage(second)
    let isSecondLater = (two?.transactionID ?? 0) > (one?.transactionID ?? 0)
    current = isSecondLater ? two : one ?? two
    older = isSecondLater ? one : one == nil ? nil : two
    problems =
      Self.problems(one, first, 0) + Self.problems(two, second, 1)
      + Self.problems(one, two, fileSize: try file.size())
  }

  private static func problem(_ page: UInt, _ reason: StructureProblem.Reason) -> StructureProblem {
    StructureProblem(page: page, table: nil, reason: reason)
  }

  private static func problems(_ meta: MetaPage?, _ bytes: [UInt8], _ number: UInt) -> [StructureProblem] {
    guard let meta else { return [problem(number, .notAMetaPage)] }
    var problems: [StructureProblem] = []
    if bytes.number(at: 0, UInt.self) != number { problems.append(problem(number, .otherMetaNumber)) }
    if meta.freePages.flags & ~TreeHead.environmentFlags != TreeHead.integerKeys {
      problems.append(problem(number, .freePagesFlags(meta.freePages.flags)))
    }
    if meta.main.flags != 0 { problems.append(problem(number, .mainFlags(meta.main.flags))) }
    return problems
  }

  private static func problems(_ one: MetaPage?, _ two: MetaPage?, fileSize: Int) -> [StructureProblem] {
    guard let one, let two else { return [] }
    var problems: [StructureProblem] = []
    if one.pageSize != two.pageSize {
      problems.append(problem(1, .pageSize(two.pageSize, other: one.pageSize)))
    }
    if !areSuccessive(one.transactionID, two.transactionID) {
      problems.append(problem(1, .transactions(two.transactionID, one.transactionID)))
    }
    for (number, meta) in [one, two].enumerated() where !meta.hasLastPage(fileSize: fileSize) {
      problems.append(problem(UInt(number), .lastPage(meta.lastPage)))
    }
    return problems
  }

  /// Whether the two transactions are consecutive, the even one in the first page.
  private static func areSuccessive(_ first: UInt, _ second: UInt) -> Bool {
    if first == 0 && second == 0 { return true }
    return first % 2 == 0 && (second &- first == 1 || first &- second == 1)
  }
}

extension MetaPage {
  /// Whether the last page number is possible: every page beyond the end of the file must be in a free list within it.
  func hasLastPage(fileSize: Int) -> Bool {
    lastPage >= 1 && lastPage < UInt(fileSize / pageSize) + UInt(fileSize / DataFile.word)
  }
}
