/// A row found on a page of a file that may be damaged.
package struct FoundRow {
  package enum Standing: UInt8, Sendable, Comparable {
    /// On a page that its table's tree leads to. Also in the after-image of a commit that a power cut interrupted.
    case inTree
    /// On a page that neither a tree nor a free list leads to: something that led there is damaged. Also in the
    /// after-image of the last commit.
    case cutOff
    /// On a free page, or in the after-image of any other commit. A later commit has replaced the row, or its own
    /// commit never completed. Also on a page in use, if the interrupted commit replaces or deletes the row.
    case free

    package static func < (left: Standing, right: Standing) -> Bool { left.rawValue < right.rawValue }
  }

  /// `nil` unless a tree leads here, or an after-image names the table.
  package let table: String?
  package let standing: Standing
  package let key: ArraySlice<UInt8>
  package let value: ArraySlice<UInt8>
  /// Where the value lies in the file.
  package let offset: Int
}

/// Finds the rows of a damaged file.
///
/// Walks the trees as far as they go, to learn which pages are in use. Then looks at every other page on its own.
package final class RowScan {
  private let directory: String
  private let file: DataFile
  private let fileSize: Int
  private let pageSize: Int
  /// The state whose trees are walked. `nil` if no meta page can be read.
  private let meta: MetaPage?
  private let isLatest: Bool
  private var lookedAt: PageSet
  private var free = PageSet(count: 0)
  private var images: [ImagePlaces] = []
  /// The changes of the commit that a power cut interrupted, by table.
  private var interrupted: [String: AfterImage.Effect] = [:]
  private let body: (FoundRow) -> Void
  private var failure: StorageError?

  /// Calls `body` with every row on any page of the file and in any after-image, and with some rows several times. Rows
  /// of after-images come last, and other rows in no particular order. The caller checks by checksums whether a row is
  /// genuine.
  ///
  /// Maps nothing. Reads the file twice, or up to four times if a meta page is damaged.
  ///
  /// - Parameter growing: A table that never loses a row. So of two states, the later one has more of its rows.
  /// - Returns: Whether rows in trees certainly belong to the last commit. A damaged meta page may belong to the last
  ///   commit. Then the rows of that commit seem to lie on free pages.
  /// - Throws: The system's error if the file cannot be read.
  package static func run(
    of directory: String, growing: String, _ body: (FoundRow) -> Void
  ) throws(StorageError) -> Bool {
    let result: Result<Bool, StorageError> = withoutActuallyEscaping(body) { body -> Result<Bool, StorageError> in
      do throws(StorageError) {
        return .success(try RowScan(directory, growing, body).run())
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private init(_ directory: String, _ growing: String, _ body: @escaping (FoundRow) -> Void) throws(StorageError) {
    let file = try Self.open(directory)
    let metas = try MetaPages(file)
    isLatest = metas.problems.isEmpty
    fileSize = try file.size()
    meta = try Self.best(of: metas, growing, directory, fileSize)
    // If both are damaged, assume the page size of most machines.
    pageSize = meta?.pageSize ?? metas.current?.pageSize ?? 4096
    lookedAt = PageSet(count: (meta?.lastPage ?? 1) + 1)
    self.directory = directory
    self.file = file
    self.body = body
  }

  private static func open(_ directory: String) throws(StorageError) -> DataFile {
    guard let file = try DataFile(directory: directory) else {
      throw .noSuchFile(StorageError.Site(.checkFile, directory))
    }
    return file
  }

  /// The later state if both meta pages are intact, else the one with more rows.
  private static func best(
    of metas: MetaPages, _ growing: String, _ directory: String, _ fileSize: Int
  ) throws(StorageError) -> MetaPage? {
    let usable = [metas.current, metas.older].compactMap { $0 }.filter { $0.hasLastPage(fileSize: fileSize) }
    if metas.problems.isEmpty || usable.count < 2 { return usable.first }
    var reports: [StructureReport] = []
    for meta in usable {
      var check = try StructureCheck(open(directory), meta)
      reports.append(try check.run())
    }
    if reports[0].tables.count != reports[1].tables.count {
      return reports[0].tables.count > reports[1].tables.count ? usable[0] : usable[1]
    }
    let rows = reports.map { report in report.tables.first { $0.name == growing }?.head.entries ?? 0 }
    return rows[0] >= rows[1] ? usable[0] : usable[1]
  }

  private func run() throws(StorageError) -> Bool {
    if let meta {
      if isLatest, let places = try ImagePlaces(file, meta),
        let image = try file.interruptedCommit(after: meta, places)
      {
        interrupted = image.effects
      }
      var check = try StructureCheck(Self.open(directory), meta) { [self] table, number, page in
        _ = lookedAt.insert(number)
        if page.isLeaf { visit(page, number, table, .inTree) }
      }
      _ = try check.run()
      free = check.free
    }
    let last = meta?.lastPage ?? UInt.max
    var next = 2 * pageSize
    // Damage can make a file of any size, nearly all of it holes, which have no rows.
    while let data = try file.data(from: next) {
      let end = UInt((min(data.upperBound, fileSize) + pageSize - 1) / pageSize)
      let first = UInt(max(next, data.lowerBound) / pageSize)
      for number in stride(from: first, to: end, by: 1) where !lookedAt.contains(number) {
        guard let page = try file.page(number, size: pageSize) else { continue }
        if let places = ImagePlaces(page, number) {
          images.append(places)
          for page in number..<number + page.overflowCount { _ = lookedAt.insert(page) }
          continue
        }
        visit(page, number, nil, free.contains(number) || number > last ? .free : .cutOff)
      }
      next = max(next, Int(end) * pageSize)
      if next >= fileSize { break }
    }
    if let failure { throw failure }
    try visitImages()
    return isLatest
  }

  /// The after-image after the head has the rows of a commit that a power cut interrupted. The rows of the last commit
  /// are in its after-image and in the trees.
  private func visitImages() throws(StorageError) {
    let base: AfterImageBase? = if let meta { try AfterImageBase(file, meta) } else { nil }
    for places in images {
      for commit in 0..<2 {
        let place = places.place(of: commit)
        guard let image = AfterImage(try file.read(at: place, count: ImagePlaces.room)) else { continue }
        var standing = FoundRow.Standing.free
        if isLatest, let last = meta.map({ Int($0.transactionID) }) {
          if image.commit == last { standing = .cutOff }
          if image.commit == last + 1, image.base == base { standing = .inTree }
        }
        for (table, effect) in image.effects {
          for change in effect.last.values where change.kind == .put {
            body(
              FoundRow(
                table: table, standing: standing, key: image.key(change), value: image.value(change),
                offset: place + image.offset(ofValue: change)))
          }
        }
      }
    }
  }

  private func visit(_ page: Page, _ number: UInt, _ table: String?, _ standing: FoundRow.Standing) {
    if table == ImagePlaces.table { return }
    for node in page.looseNodes {
      var value = page.bytes[node.value]
      var offset = Int(number) * pageSize + node.value.lowerBound
      if node.flags == Page.Node.big {
        let first = page.pageNumber(at: node.value.lowerBound)
        // The size may be damaged, but no value is longer than the file.
        guard first >= 2, first < UInt(fileSize / pageSize), node.size < UInt(fileSize) else { continue }
        offset = Int(first) * pageSize + DataFile.pageHeaderSize
        do throws(StorageError) {
          value = try file.read(at: offset, count: Int(node.size))[...]
        } catch {
          failure = failure ?? error
          return
        }
      } else if node.flags != 0 {
        continue
      }
      let key = page.bytes[node.key]
      body(
        FoundRow(
          table: table, standing: isReplaced(key, table) ? .free : standing, key: key, value: value, offset: offset))
    }
  }

  /// Whether the interrupted commit replaces or deletes a row.
  private func isReplaced(_ key: ArraySlice<UInt8>, _ table: String?) -> Bool {
    guard let table, let effect = interrupted[table] else { return false }
    return effect.isEmptied || effect.last[Array(key)] != nil
  }
}

extension Page {
  /// The possible nodes of a leaf, ignoring the page's header.
  fileprivate var looseNodes: [Node] {
    let end = hasBounds ? lower : bytes.count
    var nodes: [Node] = []
    for place in stride(from: DataFile.pageHeaderSize, to: end, by: 2) {
      guard let start = bytes.number(at: place, UInt16.self) else { break }
      if let node = looseNode(at: Int(start)) {
        nodes.append(node)
      } else if !hasBounds {
        break
      }
    }
    return nodes
  }
}
