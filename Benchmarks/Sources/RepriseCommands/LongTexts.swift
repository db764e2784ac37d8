import RepriseCore
import Workload

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A text of 100 KB, of which each keystroke is saved.
@MainActor struct LongTexts<Item: BenchmarkItem> {
  let path: String
  /// As many as lead past a keyframe of an object of that size.
  private static var keystrokes: Int { 8_200 }

  func type() async throws {
    let store = try await Store.open(path, for: Item.schema)
    let context = RootContext(store)
    let item = context.insert(Item(ItemFacts(number: 0)))
    item.notes = String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 2_223)
    try await context.save("Write")
    let tables = TableSizes(path: path)
    let frames = try tables.rowBytes(of: "log")
    let written = Self.writtenBytes()
    for number in 0..<Self.keystrokes {
      let place = item.notes.utf8.index(item.notes.startIndex, offsetBy: 50_000 + number)
      item.notes.insert("x", at: place)
      try await context.save("Type")
    }
    Bench.put("keystrokes", Self.keystrokes)
    Bench.put("written", Self.writtenBytes() - written)
    Bench.put("log", try tables.rowBytes(of: "log") - frames)
    try await store.close()
  }

  /// What this process gave to the system to be written.
  private static func writtenBytes() -> Int {
    guard let file = fopen("/proc/self/io", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 100)
    while fgets(&line, 100, file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if text.hasPrefix("wchar: ") { return Int(text.dropFirst(7).dropLast()) ?? 0 }
    }
    return 0
  }
}
