extension DataFile {
  /// One of the two meta pages: where a transaction's trees begin.
  struct Meta {
    static let magic: UInt32 = 0xBEEF_C0DE
    static let dataVersion: UInt32 = 1
    static let metaFlag: UInt16 = 0x08
    static let size = 8 + 2 * word + 2 * treeSize + 2 * word
    static let treeSize = 8 + 5 * word

    let pageSize: Int
    let freeTreeRoot: UInt
    let lastPage: UInt
    let transactionID: UInt
  }

  /// The meta page that LMDB would use, after both were checked; nil if the file is empty.
  func newestMeta() throws(StorageError) -> Meta? {
    let length = DataFile.pageHeaderSize + Meta.size
    let first = try read(at: 0, count: length)
    if first.isEmpty { return nil }
    let meta = try meta(first, expectedBytes: length)
    let second = try read(at: meta.pageSize, count: length)
    if second.isEmpty {
      throw .fileTruncated(expectedBytes: 2 * meta.pageSize, actualBytes: try size(), site)
    }
    let other = try self.meta(second, expectedBytes: meta.pageSize + length)
    if other.pageSize != meta.pageSize { throw .foreignPageSize(found: other.pageSize, site) }
    return other.transactionID > meta.transactionID ? other : meta
  }

  private func meta(_ page: [UInt8], expectedBytes: Int) throws(StorageError) -> Meta {
    let start = DataFile.pageHeaderSize
    guard let magic = page.number(at: start, UInt32.self) else {
      throw .notAnLMDBFile(site)
    }
    if magic != Meta.magic {
      // If the magic number is at another place or in another byte order, a machine of another kind wrote the file.
      let elsewhere = page.number(at: start == 16 ? 12 : 16, UInt32.self)
      if magic == Meta.magic.byteSwapped || elsewhere == Meta.magic || elsewhere == Meta.magic.byteSwapped {
        throw .foreignArchitecture(site)
      }
      throw .notAnLMDBFile(site)
    }
    guard let flags = page.number(at: DataFile.word + 2, UInt16.self), flags & Meta.metaFlag != 0 else {
      throw .notAnLMDBFile(site)
    }
    let version = page.number(at: start + 4, UInt32.self) ?? 0
    if version != Meta.dataVersion { throw .newerFormat(found: version, supported: Meta.dataVersion, site) }
    let trees = start + 8 + 2 * DataFile.word
    let tail = trees + 2 * Meta.treeSize
    guard let pageSize = page.number(at: trees, UInt32.self),
      let freeTreeRoot = page.number(at: trees + Meta.treeSize - DataFile.word, UInt.self),
      let lastPage = page.number(at: tail, UInt.self),
      let transactionID = page.number(at: tail + DataFile.word, UInt.self)
    else { throw .fileTruncated(expectedBytes: expectedBytes, actualBytes: try size(), site) }
    guard pageSize >= 512, pageSize <= 65536, pageSize.nonzeroBitCount == 1 else {
      throw .foreignPageSize(found: Int(pageSize), site)
    }
    // Above this a byte offset would not fit in a number. No file system holds such a file.
    guard lastPage < UInt(Int.max) / 65536 - 1 else { throw .corrupted(site) }
    return Meta(
      pageSize: Int(pageSize), freeTreeRoot: freeTreeRoot, lastPage: lastPage, transactionID: transactionID)
  }
}

extension [UInt8] {
  /// A number in this machine's byte order, which is the file's; nil beyond the end.
  func number<N: FixedWidthInteger>(at offset: Int, _: N.Type) -> N? {
    guard offset >= 0, offset + MemoryLayout<N>.size <= count else { return nil }
    return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: N.self) }
  }
}
