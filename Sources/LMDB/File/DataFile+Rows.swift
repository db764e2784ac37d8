extension DataFile {
  /// The value of a row, read without mapping the file. `nil` if the file does not have the row, or if a page on the
  /// way to it is damaged. Also `nil` if the value is on overflow pages.
  package static func value(
    of key: [UInt8], in table: String, _ directory: String
  ) throws(StorageError) -> [UInt8]? {
    guard let file = try DataFile(directory: directory), let meta = try MetaPages(file).current,
      let (page, node) = try file.node(key, in: table, meta), node.flags == 0
    else { return nil }
    return Array(page.bytes[node.value])
  }

  /// The node of a key in a table, with its page. `nil` if the table does not have it, or cannot be read.
  func node(
    _ key: [UInt8], in table: String, _ meta: MetaPage
  ) throws(StorageError) -> (page: Page, node: Page.Node)? {
    guard let (page, node) = try self.node(Array(table.utf8), below: meta.main.root, meta),
      node.flags == Page.Node.table,
      let head = TreeHead(page.bytes, at: node.value.lowerBound)
    else { return nil }
    return try self.node(key, below: head.root, meta)
  }

  /// The node of a key in a tree, with its page. `nil` if the tree does not have it, or cannot be read.
  private func node(
    _ key: [UInt8], below root: UInt, _ meta: MetaPage
  ) throws(StorageError) -> (page: Page, node: Page.Node)? {
    var number = root
    // No tree has more levels.
    for _ in 0..<48 {
      guard number >= 2, number <= meta.lastPage, let page = try page(number, size: meta.pageSize) else { return nil }
      var child: UInt?
      for index in 0..<page.nodeCount {
        guard let node = page.node(index) else { return nil }
        let found = page.bytes[node.key]
        if page.isLeaf {
          if found.elementsEqual(key) { return (page, node) }
        } else if index == 0 || !key.lexicographicallyPrecedes(found) {
          // The first key of a branch stands for all before the second.
          child = node.child
        }
      }
      guard page.isBranch, let child else { return nil }
      number = child
    }
    return nil
  }
}
