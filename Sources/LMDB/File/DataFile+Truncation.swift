extension DataFile {
  /// Throws unless every page that a reader could reach is in the file.
  ///
  /// A file may correctly be shorter than its last page number: pages that one transaction allocates and frees are
  /// counted but never written. So if the file is short, all missing pages must be free. Returns false for an empty
  /// file.
  func check() throws(StorageError) -> Bool {
    guard let meta = try newestMeta() else { return false }
    let size = try size()
    let expected = Int(meta.lastPage + 1) * meta.pageSize
    if size >= expected { return true }
    let present = UInt(size / meta.pageSize)
    let truncated = StorageError.fileTruncated(expectedBytes: expected, actualBytes: size, site)
    if present < 2 { throw truncated }
    // Every missing page is in a free list in the file, which bounds how many there can be.
    guard (expected - size) / meta.pageSize <= size / DataFile.word else { throw truncated }
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

  /// How many bytes the last commit needs and how many there are, if the file was cut, or if damage hides whether a
  /// shorter file is whole. `nil` also if a meta page is damaged.
  package func cut() throws(StorageError) -> (expected: Int, found: Int)? {
    guard let meta = try? newestMeta() else { return nil }
    let (expected, found) = (Int(meta.lastPage + 1) * meta.pageSize, try size())
    return found >= expected || (try? check()) == true ? nil : (expected, found)
  }

  /// Walks the tree of free pages. False if a page of the tree itself is missing.
  private func eachFreePage(
    _ meta: Meta, present: UInt, _ visit: (UInt) -> Void
  ) throws(StorageError) -> Bool {
    if meta.freeTreeRoot == UInt.max { return true }
    var waiting = [meta.freeTreeRoot]
    var seen: UInt = 0
    while let number = waiting.popLast() {
      if number >= present { return false }
      seen += 1
      // A damaged tree may have cycles.
      if seen > present { throw .corrupted(site) }
      guard let page = try page(number, size: meta.pageSize), page.isLeaf || page.isBranch else {
        throw .corrupted(site)
      }
      for index in 0..<page.nodeCount {
        guard let node = page.node(index) else { throw .corrupted(site) }
        if page.isBranch {
          waiting.append(node.child)
        } else if node.flags & Page.Node.big == 0 {
          try eachNumber(Array(page.bytes[node.value]), visit)
        } else {
          let first = page.pageNumber(at: node.value.lowerBound)
          let pages = (UInt(DataFile.pageHeaderSize) + node.size + UInt(meta.pageSize) - 1) / UInt(meta.pageSize)
          if first >= present || pages > present - first { return false }
          let place = Int(first) * meta.pageSize + DataFile.pageHeaderSize
          try eachNumber(try read(at: place, count: Int(node.size)), visit)
        }
      }
    }
    return true
  }

  /// Visits a list of page numbers: a count, then the numbers.
  private func eachNumber(_ list: [UInt8], _ visit: (UInt) -> Void) throws(StorageError) {
    guard let count = list.number(at: 0, UInt.self), count < UInt(list.count / DataFile.word) else {
      throw .corrupted(site)
    }
    for index in 0..<Int(count) {
      guard let page = list.number(at: (index + 1) * DataFile.word, UInt.self) else { throw .corrupted(site) }
      visit(page)
    }
  }
}
