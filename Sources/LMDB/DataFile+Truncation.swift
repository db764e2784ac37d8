extension DataFile {
  /// Throws unless every page that a reader could reach is in the file.
  ///
  /// The file may rightly be shorter than its last page number says: pages taken and given back within one
  /// transaction are counted but never written. So when it is short, the missing pages must all be free ones.
  /// Returns false for a file that has nothing in it yet.
  func check() throws(LMDBError) -> Bool {
    guard let meta = try newestMeta() else { return false }
    let size = try size()
    let expected = Int(meta.lastPage + 1) * meta.pageSize
    if size >= expected { return true }
    let present = UInt(size / meta.pageSize)
    let truncated = LMDBError.fileTruncated(expectedBytes: expected, actualBytes: size, site)
    if present < 2 { throw truncated }
    var missing = [Bool](repeating: true, count: Int(meta.lastPage + 1 - present))
    var left = missing.count
    let isWhole = try eachFreePage(meta, present: present) { page in
      if page >= present, page <= meta.lastPage, missing[Int(page - present)] {
        missing[Int(page - present)] = false
        left -= 1
      }
    }
    if !isWhole || left > 0 { throw truncated }
    return true
  }

  private enum Layout {
    static let branch: UInt16 = 0x01
    static let leaf: UInt16 = 0x02
    static let overflow: UInt16 = 0x04
    static let bigData: UInt16 = 0x01
    static let nodeHeaderSize = 8
  }

  /// Walks the tree of free pages. False if a page of the tree itself is missing.
  private func eachFreePage(
    _ meta: Meta, present: UInt, _ visit: (UInt) -> Void
  ) throws(LMDBError) -> Bool {
    if meta.freeTreeRoot == UInt.max { return true }
    var waiting = [meta.freeTreeRoot]
    var seen: UInt = 0
    while let number = waiting.popLast() {
      if number >= present { return false }
      seen += 1
      // A damaged tree may go round in circles.
      if seen > present { throw .corrupted(site) }
      let page = try read(at: Int(number) * meta.pageSize, count: meta.pageSize)
      guard let flags = page.number(at: DataFile.word + 2, UInt16.self),
        let lower = page.number(at: DataFile.word + 4, UInt16.self), Int(lower) >= DataFile.pageHeaderSize
      else { throw .corrupted(site) }
      for index in 0..<(Int(lower) - DataFile.pageHeaderSize) / 2 {
        guard let offset = page.number(at: DataFile.pageHeaderSize + 2 * index, UInt16.self),
          let low = page.number(at: Int(offset), UInt32.self),
          let nodeFlags = page.number(at: Int(offset) + 4, UInt16.self),
          let keySize = page.number(at: Int(offset) + 6, UInt16.self)
        else { throw .corrupted(site) }
        if flags & Layout.branch != 0 {
          let high = DataFile.word == 8 ? UInt(nodeFlags) << (UInt(DataFile.word) * 4) : 0
          waiting.append(UInt(low) | high)
          continue
        }
        let start = Int(offset) + Layout.nodeHeaderSize + Int(keySize)
        guard flags & Layout.leaf != 0 else { throw .corrupted(site) }
        if nodeFlags & Layout.bigData == 0 {
          guard start + Int(low) <= page.count else { throw .corrupted(site) }
          try eachNumber(Array(page[start..<start + Int(low)]), visit)
        } else {
          guard let first = page.number(at: start, UInt.self) else { throw .corrupted(site) }
          let pages = (DataFile.pageHeaderSize + Int(low) + meta.pageSize - 1) / meta.pageSize
          if first >= present || first + UInt(pages) > present { return false }
          let data = try read(at: Int(first) * meta.pageSize + DataFile.pageHeaderSize, count: Int(low))
          try eachNumber(data, visit)
        }
      }
    }
    return true
  }

  /// A list of page numbers: their count, then they.
  private func eachNumber(_ list: [UInt8], _ visit: (UInt) -> Void) throws(LMDBError) {
    guard let count = list.number(at: 0, UInt.self), count < UInt(list.count / DataFile.word) else {
      throw .corrupted(site)
    }
    for index in 0..<Int(count) {
      guard let page = list.number(at: (index + 1) * DataFile.word, UInt.self) else { throw .corrupted(site) }
      visit(page)
    }
  }
}
