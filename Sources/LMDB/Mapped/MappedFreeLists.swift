/// The lists of free pages in the map. Lists of the latest commits come first.
struct MappedFreeLists {
  private let start: UnsafeRawPointer
  private let pageSize: Int
  private let root: UInt
  private let lastPage: UInt
  /// The commit that the meta page is of.
  let lastCommit: UInt
  /// Only lists of later commits are checked.
  private let checked: UInt
  private var isDone = false

  /// No tree has more levels.
  private static let mostLevels = 48

  init(_ start: UnsafeRawPointer, pageSize: Int, after checked: UInt) {
    self.start = start
    self.pageSize = pageSize
    self.checked = checked
    let trees = DataFile.pageHeaderSize + 8 + 2 * DataFile.word
    let tail = trees + 2 * TreeHead.size
    func commit(_ page: Int) -> UInt {
      start.loadUnaligned(fromByteOffset: page * pageSize + tail + DataFile.word, as: UInt.self)
    }
    let meta = start + (commit(1) > commit(0) ? pageSize : 0)
    lastCommit = max(commit(0), commit(1))
    root = meta.loadUnaligned(fromByteOffset: trees + TreeHead.size - DataFile.word, as: UInt.self)
    lastPage = meta.loadUnaligned(fromByteOffset: tail, as: UInt.self)
  }

  /// The defect, as part of a sentence.
  mutating func problem() -> String? { root == TreeHead.none ? nil : problem(below: root, levels: Self.mostLevels) }

  private mutating func problem(below number: UInt, levels: Int) -> String? {
    guard levels > 0, let page = page(number).flatMap({ MappedPage($0, size: pageSize) }) else {
      return "the tree of free pages has a page that cannot be read"
    }
    for index in stride(from: page.count - 1, through: 0, by: -1) where !isDone {
      if !page.isLeaf {
        guard let child = page.child(index) else { return "the tree of free pages has a page that cannot be read" }
        if let problem = problem(below: child, levels: levels - 1) { return problem }
      } else if let key = page.key(index), key.count == DataFile.word {
        isDone = key.loadUnaligned(as: UInt.self) <= checked
        guard !isDone else { return nil }
        guard let list = list(page, index) else { return "a list of free pages is not in the file" }
        if let problem = problem(in: list) { return problem }
      } else {
        return "the tree of free pages has a page that cannot be read"
      }
    }
    return nil
  }

  private func page(_ number: UInt) -> UnsafeRawPointer? {
    number >= 2 && number <= lastPage ? start + Int(number) * pageSize : nil
  }

  private func list(_ page: MappedPage, _ index: Int) -> UnsafeRawBufferPointer? {
    switch page.value(index) {
    case .bytes(let bytes): return bytes
    case .overflow(let number, let size):
      let pages = UInt((size + DataFile.pageHeaderSize + pageSize - 1) / pageSize)
      guard let first = self.page(number), pages <= lastPage - number + 1 else { return nil }
      return UnsafeRawBufferPointer(start: first + DataFile.pageHeaderSize, count: size)
    case nil: return nil
    }
  }

  /// A list is a count, then the numbers of pages.
  private func problem(in list: UnsafeRawBufferPointer) -> String? {
    let room = list.count / DataFile.word
    guard room > 0, case let count = list.loadUnaligned(as: UInt.self), count < UInt(room) else {
      return "a list of free pages counts more pages than its \(list.count) bytes can hold"
    }
    for place in stride(from: 1, through: Int(count), by: 1) {
      let number = list.loadUnaligned(fromByteOffset: place * DataFile.word, as: UInt.self)
      if number < 2 || number > lastPage {
        return "page \(number) is in a list of free pages, but the file has only the pages up to \(lastPage)"
      }
    }
    return nil
  }
}
