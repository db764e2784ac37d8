import RepriseSystem

/// Reads a data file page by page, and checks everything that LMDB takes for granted once the file is mapped.
///
/// Reads every page once. Keeps one bit a page in memory, and the path from the root to the current page.
struct StructureCheck: ~Copyable {
  var pages: PageReader
  let meta: MetaPage
  private let filePages: UInt
  /// Problems to ignore, for tests which show that another check would find them.
  private let overlooked: Set<StructureProblem.Kind>
  private(set) var report = StructureReport()
  /// Pages used by trees and values.
  private(set) var used: PageSet
  /// Pages in the free lists, which may lie beyond the end of the file.
  private(set) var free: PageSet
  /// The tree that is being walked.
  private(set) var tree = Tree.freePages
  /// The end of each node of a page, at the index of half of the node's offset. 0 if no node begins there. All 0
  /// between two pages.
  var ends: [UInt32]
  /// Called with each readable page of a table's tree.
  private let lent: (_ table: String, UInt, Page) -> Void

  enum Tree: Equatable {
    case freePages
    case main
    case table(String)
  }

  init(
    _ file: consuming DataFile, _ meta: MetaPage, overlooking overlooked: Set<StructureProblem.Kind> = [],
    _ lent: @escaping (_ table: String, UInt, Page) -> Void = { _, _, _ in }
  ) throws(StorageError) {
    self.meta = meta
    self.overlooked = overlooked
    self.lent = lent
    filePages = UInt(try file.size() / meta.pageSize)
    pages = PageReader(file, size: meta.pageSize)
    ends = [UInt32](repeating: 0, count: meta.pageSize / 2 + 1)
    used = PageSet(count: meta.lastPage + 1)
    free = used
    report.pages = Int(meta.lastPage) + 1
    report.pageSize = meta.pageSize
    _ = used.insert(0)
    _ = used.insert(1)
  }

  /// Checks everything.
  mutating func run() throws(StorageError) -> StructureReport {
    try walk(meta.freePages, .freePages)
    try walk(meta.main, .main)
    for (name, head) in report.tables { try walk(head, .table(name)) }
    // A broken tree loses every page below the break, which need not be reported again.
    if report.isSound {
      let lost = used.missing(from: 2, also: free)
      if let first = lost.first { found(.lost(lost.count), first) }
    }
    return report
  }

  private mutating func walk(_ head: TreeHead, _ tree: Tree) throws(StorageError) {
    self.tree = tree
    try walk(head)
  }

  mutating func found(_ reason: StructureProblem.Reason, _ page: UInt?) {
    guard report.problems.count < StructureReport.problemLimit, !overlooked.contains(reason.kind) else { return }
    let table: String? = if case .table(let name) = tree, reason.kind != .lostPages { name } else { nil }
    report.problems.append(StructureProblem(page: page, table: table, reason: reason))
  }

  mutating func add(_ table: String, _ head: TreeHead) { report.tables.append((table, head)) }

  func lend(_ number: UInt, _ page: Page) {
    if case .table(let name) = tree { lent(name, number, page) }
  }

  /// Claims a page for the tree that refers to it. False if it is not in the file, or used already.
  mutating func claim(_ page: UInt, count: UInt = 1) -> Bool {
    let end = min(meta.lastPage + 1, filePages)
    guard page >= 2, page < end, count <= end - page else {
      found(.outsideFile(last: end - 1), page)
      return false
    }
    for page in page..<page + count {
      if free.contains(page) { found(.usedAndFree, page) }
      // Continuing would loop, even for an overlooked kind.
      guard used.insert(page) else {
        found(.usedTwice, page)
        return false
      }
    }
    return true
  }

  /// Adds a free list: a count, then page numbers, highest first.
  mutating func addFreeList(_ list: [UInt8], _ number: UInt) {
    guard let count = list.number(at: 0, UInt.self), count < UInt(list.count / DataFile.word) else {
      return found(.listSize(list.count), number)
    }
    var last = UInt.max
    for index in stride(from: 1, through: Int(count), by: 1) {
      let page = list.number(at: index * DataFile.word, UInt.self) ?? 0
      guard page >= 2, page <= meta.lastPage, page < last else {
        return found(.listed(page), number)
      }
      guard free.insert(page) else { return found(.listedTwice(page), number) }
      last = page
    }
    report.freePages += Int(count)
  }
}

extension DataFile {
  /// Checks the structure of a data file. `nil` if there is no file, or nothing in it yet.
  ///
  /// Costs one pass over the file. Another process may be writing: if something does not fit and there was a commit
  /// meanwhile, the check starts over. It does not start over after five seconds.
  ///
  /// - Parameter clock: Nanoseconds of a monotonic clock.
  /// - Throws: If the file cannot be read, or is not an LMDB file.
  package static func structure(
    of directory: String, overlooking overlooked: Set<StructureProblem.Kind> = [],
    clock: () -> UInt64 = WakeUp.now
  ) throws(StorageError) -> StructureReport? {
    let end = clock() + 5_000_000_000
    while true {
      guard let file = try DataFile(directory: directory), try file.size() > 0 else { return nil }
      try file.requireLMDB()
      let before = try MetaPages(file)
      let report = try structure(file, overlooked)
      if report.isSound { return report }
      let isLate = clock() > end
      if let again = try DataFile(directory: directory), try MetaPages(again) == before { return report }
      if isLate { throw .busy(StorageError.Site(.checkFile, directory)) }
    }
  }

  /// Throws for a file that must not be mapped.
  @discardableResult
  static func requireSoundStructure(_ directory: String) throws(StorageError) -> StructureReport? {
    guard let report = try structure(of: directory) else { return nil }
    guard let first = report.problems.first else { return report }
    throw .damagedStructure(first.text(andMore: report.problems.count - 1), StorageError.Site(.checkFile, directory))
  }

  private static func structure(
    _ file: consuming DataFile, _ overlooked: Set<StructureProblem.Kind>
  ) throws(StorageError) -> StructureReport {
    let metas = try MetaPages(file)
    let problems = metas.problems.filter { !overlooked.contains($0.kind) }
    guard problems.isEmpty, let meta = metas.current else { return StructureReport(problems: metas.problems) }
    var check = try StructureCheck(file, meta, overlooking: overlooked)
    return try check.run()
  }

  /// Throws if neither meta page is one of this LMDB version.
  private borrowing func requireLMDB() throws(StorageError) {
    if try MetaPages(self).current != nil { return }
    _ = try newestMeta()
    throw .notAnLMDBFile(site)
  }
}
