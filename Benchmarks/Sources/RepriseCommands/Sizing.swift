import CBenchmarkLMDB
import RepriseCore
import Workload

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Bytes of a store, by LMDB's own statistics: the tables are documented, and `mdb_stat` shows the same.
@MainActor struct Sizing<Item: BenchmarkItem> {
  let path: String

  /// Live pages of objects and indexes, without the log.
  func sizes() async throws {
    let store = try await Store.open(path, for: Item.schema)
    let objects = try RootContext(store).count(Fetch<Item>())
    var file = stat()
    stat(path + "/data.mdb", &file)
    let bytes = try readTable("objects", Self.liveBytes) + readTable("indexes", Self.liveBytes)
    Bench.put("objects", objects)
    Bench.put("bytes", bytes)
    Bench.put("file", Int(file.st_size))
  }

  /// What one more character in a text of 100 KB, saved, adds to the log.
  func keystroke() async throws {
    let store = try await Store.open(path, for: Item.schema)
    let context = RootContext(store)
    let item = context.insert(Item(ItemFacts(number: 0)))
    item.notes = String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 2_223)
    try await context.save("Write")
    let middle = item.notes.utf8.index(item.notes.startIndex, offsetBy: 50_000)
    item.notes.insert("x", at: middle)
    try await context.save("Type")
    Bench.put("bytes", try readTable("log", Self.lastFrameBytes))
  }

  /// Opens the environment beside the library. Without locks: closing it would otherwise drop the library's.
  private func readTable(
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
