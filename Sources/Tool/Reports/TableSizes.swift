import RepriseLMDB

extension Environment {
  /// The bytes of the pages of each table, by its name. Pages that commits have freed belong to no table. O(tables).
  package func tableSizes() throws(StorageError) -> [String: Int] {
    let pageSize = UInt(try statistics().pageSize)
    let transaction = try beginRead()
    var sizes: [String: Int] = [:]
    var cursor = try transaction.view.cursor(.ofTables(directory))
    while let entry = try cursor.next() {
      let (name, bytes) = (entry.key.withUnsafeBytes { [UInt8]($0) }, entry.value.withUnsafeBytes { [UInt8]($0) })
      guard let head = TreeHead(bytes, at: 0) else { continue }
      sizes[String(decoding: name, as: UTF8.self)] = Int(truncatingIfNeeded: head.pages &* pageSize)
    }
    return sizes
  }
}
