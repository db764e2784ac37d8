import CRepriseLMDB

extension Environment {
  package struct Statistics: Sendable {
    package var mapSize = 0
    package var pageSize = 0
    /// Pages of the file, in use or free; times `pageSize`, its size on disk.
    package var pageCount = 0
    /// Pages that a later commit can reuse.
    package var freePages = 0
    package var lastTransactionID = 0
    package var maxReaders = 0
    /// Slots in use by all processes, including pooled ones.
    package var readers: [Reader] = []
  }

  package struct Reader: Sendable, Equatable {
    package let process: Int
    /// The snapshot that it holds; nil while it holds none.
    package let transactionID: Int?

    package init(process: Int, transactionID: Int?) {
      self.process = process
      self.transactionID = transactionID
    }
  }

  /// O(free pages). Uses a separate read transaction.
  package func statistics() throws(StorageError) -> Statistics {
    var statistics = Statistics()
    statistics.readers = try readers()
    let transaction = try beginRead()
    var information = MDB_envinfo()
    mdb_env_info(handle.pointer, &information)
    statistics.mapSize = information.me_mapsize
    statistics.pageCount = information.me_last_pgno + 1
    statistics.lastTransactionID = information.me_last_txnid
    statistics.maxReaders = Int(information.me_maxreaders)
    var tree = MDB_stat()
    mdb_env_stat(handle.pointer, &tree)
    statistics.pageSize = Int(tree.ms_psize)
    // LMDB keeps the free pages in table 0: transaction number, then a list that starts with its length.
    var cursor = try transaction.view.cursor(Table(name: "", path: directory, dbi: 0))
    while let entry = try cursor.next() {
      statistics.freePages += entry.value.unsafeLoadUnaligned(as: Int.self)
    }
    return statistics
  }

  /// The reader table of all processes.
  ///
  /// - Parameter freesDead: Whether to free the slots of dead processes first.
  package func readers(freesDead: Bool = false) throws(StorageError) -> [Reader] {
    _ = try enter(.statistics, takesPooled: false)
    defer { leave() }
    if freesDead { checkReaders() }
    var text = ""
    let code = withUnsafeMutablePointer(to: &text) { text in
      mdb_reader_list(
        handle.pointer,
        { line, context in
          if let line, let context {
            context.assumingMemoryBound(to: String.self).pointee += String(cString: line)
          }
          return 0
        }, text)
    }
    if code < 0 { throw StorageError(code: code, .statistics, path: directory) }
    return text.split(separator: "\n").compactMap { line in
      // Process, thread, transaction or "-". The heading has no number in front.
      let fields = line.split(separator: " ")
      guard fields.count == 3, let process = Int(fields[0]) else { return nil }
      return Reader(process: process, transactionID: Int(fields[2]))
    }
  }

  func information(_ operation: StorageError.Operation) throws(StorageError) -> MDB_envinfo {
    _ = try enter(operation, takesPooled: false)
    defer { leave() }
    var information = MDB_envinfo()
    mdb_env_info(handle.pointer, &information)
    return information
  }
}
