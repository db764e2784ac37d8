import CRepriseLMDB

extension Environment {
  /// The bytes of the pages of each table, by its name. Pages that commits have freed belong to no table. O(tables).
  package func tableSizes() throws(StorageError) -> [String: Int] {
    let transaction = try beginRead()
    var tree = MDB_stat()
    mdb_env_stat(handle.pointer, &tree)
    var sizes: [String: Int] = [:]
    // All rows of the unnamed table are tables.
    var cursor = try transaction.view.cursor(Table(name: "", path: directory, dbi: MappedFile.mainTable))
    while let entry = try cursor.next() {
      let (name, bytes) = (entry.key.withUnsafeBytes { [UInt8]($0) }, entry.value.withUnsafeBytes { [UInt8]($0) })
      guard let head = TreeHead(bytes, at: 0) else { continue }
      let pages = head.branchPages &+ head.leafPages &+ head.overflowPages
      sizes[String(decoding: name, as: UTF8.self)] = Int(truncatingIfNeeded: pages &* UInt(tree.ms_psize))
    }
    return sizes
  }
}
