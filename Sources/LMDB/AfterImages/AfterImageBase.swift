import CRepriseChecksums

/// The snapshot that a commit changes, as its after-image names it. A compacted copy of a file has other page numbers,
/// so an after-image of the source does not fit the copy.
package struct AfterImageBase: Equatable, Sendable {
  /// The root of the tree of free pages.
  package let freePages: UInt64
  /// The root of the main tree, which has the heads of all tables.
  package let main: UInt64
  package let lastPage: UInt64
  /// The CRC-32C of the nodes of the main tree's root: of the roots and counts of all tables.
  package let heads: UInt32

  package init(freePages: UInt64, main: UInt64, lastPage: UInt64, heads: UInt32) {
    (self.freePages, self.main, self.lastPage, self.heads) = (freePages, main, lastPage, heads)
  }

  /// `nil` if the page is not a page of a tree.
  static func heads(of page: UnsafeRawBufferPointer) -> UInt32? {
    guard page.count >= DataFile.pageHeaderSize, let start = page.baseAddress else { return nil }
    // The rest of a page between the places and the nodes has arbitrary bytes.
    let upper = Int(page.loadUnaligned(fromByteOffset: DataFile.word + 6, as: UInt16.self))
    guard upper >= DataFile.pageHeaderSize, upper <= page.count else { return nil }
    return reprise_crc32c(0, start + upper, page.count - upper)
  }
}

extension AfterImageBase {
  /// The base of the commit after this one, read from the file. `nil` if the file has no readable meta page of it.
  init?(_ file: borrowing DataFile, after commit: Int) throws(StorageError) {
    let metas = try MetaPages(file)
    guard let meta = [metas.current, metas.older].compactMap({ $0 }).first(where: { $0.transactionID == UInt(commit) })
    else { return nil }
    try self.init(file, meta)
  }

  /// `nil` if the root of the main tree cannot be read.
  init?(_ file: borrowing DataFile, _ meta: MetaPage) throws(StorageError) {
    guard let root = try file.page(meta.main.root, size: meta.pageSize),
      let heads = root.bytes.withUnsafeBytes({ Self.heads(of: $0) })
    else { return nil }
    self.init(
      freePages: UInt64(meta.freePages.root), main: UInt64(meta.main.root), lastPage: UInt64(meta.lastPage),
      heads: heads)
  }
}

extension MappedFile {
  /// The same from the map. `nil` if the map does not have the commit.
  ///
  /// - Parameter start: Where the map begins.
  func base(after commit: Int, _ start: UnsafeRawPointer) -> AfterImageBase? {
    guard transaction(ofMetaPageOf: commit, start) == commit else { return nil }
    let meta = start + (commit & 1) * pageSize
    let freePages = meta.load(fromByteOffset: MetaPage.freePagesRootOffset, as: UInt.self)
    let main = meta.load(fromByteOffset: MetaPage.rootOffset, as: UInt.self)
    let lastPage = meta.load(fromByteOffset: MetaPage.lastPageOffset, as: UInt.self)
    guard main >= 2, main <= lastPage else { return nil }
    let root = UnsafeRawBufferPointer(start: start + Int(main) * pageSize, count: pageSize)
    return AfterImageBase.heads(of: root).map {
      AfterImageBase(freePages: UInt64(freePages), main: UInt64(main), lastPage: UInt64(lastPage), heads: $0)
    }
  }
}
