import CBenchmarkLMDB

/// Bytes of a store's tables, by LMDB's own statistics: the tables are documented, and `mdb_stat` shows the same.
struct TableSizes {
  let path: String

  /// Of the pages in use.
  func liveBytes(of table: String) throws -> Int { try read(table, Self.liveBytes) }

  /// Of the rows: keys and values.
  func rowBytes(of table: String) throws -> Int {
    try read(table) { transaction, table in
      var cursor: OpaquePointer?
      var (key, value) = (MDB_val(), MDB_val())
      mdb_cursor_open(transaction, table, &cursor)
      defer { mdb_cursor_close(cursor) }
      var bytes = 0
      while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0 { bytes += key.mv_size + value.mv_size }
      return bytes
    }
  }

  /// Of the last frame of the log.
  func lastFrame() throws -> Int { try read("log", Self.lastFrameBytes) }

  /// Opens the environment beside the library. Without locks: closing it would otherwise drop the library's.
  private func read(
    _ name: String, _ body: (OpaquePointer, MDB_dbi) -> Int
  ) throws -> Int {
    var environment: OpaquePointer?
    var transaction: OpaquePointer?
    var table = MDB_dbi()
    guard mdb_env_create(&environment) == 0, mdb_env_set_maxdbs(environment, 16) == 0,
      mdb_env_open(environment, path, UInt32(MDB_RDONLY | MDB_NOLOCK), 0) == 0,
      mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction) == 0, let transaction,
      mdb_dbi_open(transaction, name, 0, &table) == 0
    else { throw BenchmarkError("LMDB cannot read the table '\(name)' of \(path).") }
    defer {
      mdb_txn_abort(transaction)
      mdb_env_close(environment)
    }
    return body(transaction, table)
  }

  private static func liveBytes(_ transaction: OpaquePointer, _ table: MDB_dbi) -> Int {
    var facts = MDB_stat()
    mdb_stat(transaction, table, &facts)
    return (facts.ms_branch_pages + facts.ms_leaf_pages + facts.ms_overflow_pages) * Int(facts.ms_psize)
  }

  /// Keys and values of the rows of the last frame.
  private static func lastFrameBytes(_ transaction: OpaquePointer, _ table: MDB_dbi) -> Int {
    var cursor: OpaquePointer?
    var key = MDB_val()
    var value = MDB_val()
    mdb_cursor_open(transaction, table, &cursor)
    defer { mdb_cursor_close(cursor) }
    var bytes = 0
    var position: [UInt8]?
    var move = MDB_LAST
    while mdb_cursor_get(cursor, &key, &value, move) == 0 {
      let own = Array(UnsafeRawBufferPointer(start: key.mv_data, count: 8))
      if let position, position != own { break }
      position = own
      bytes += key.mv_size + value.mv_size
      move = MDB_PREV
    }
    return bytes
  }
}
