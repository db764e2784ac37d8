import RepriseCore
import Workload

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Bytes of a store.
@MainActor struct Sizing<Item: BenchmarkItem> {
  let path: String

  /// Live pages of objects and indexes, without the log.
  func sizes() async throws {
    let store = try await Store.open(path, for: Item.schema)
    let objects = try RootContext(store).count(Fetch<Item>())
    var file = stat()
    stat(path + "/data.mdb", &file)
    let tables = TableSizes(path: path)
    let bytes = try tables.liveBytes(of: "objects") + tables.liveBytes(of: "indexes")
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
    Bench.put("bytes", try TableSizes(path: path).lastFrame())
  }
}
