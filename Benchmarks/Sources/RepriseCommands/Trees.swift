import RepriseCore
import RepriseApp
import Workload

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A tree of screens of which little is visible: a window, the groups in it, and the rows of each group. The scene
/// "all" has the same, and all of it is visible.
@MainActor struct Trees {
  let path: String
  private static let all = "all"
  private static let schema = Schema(BenchmarkTask.self)

  func make(nodes: Int) async throws {
    let began = Bench.now()
    let store = try await Store.open(path, for: Self.schema)
    for scene in ["main", Self.all] {
      let restoration = Restoration(store, scene: scene)
      try restoration.define(Screen.kind) { Screen($0) }
      try await restoration.restore()
      try fill(restoration, nodes, selects: scene != Self.all)
      try await restoration.flush()
      restoration.end()
    }
    // As after a while, and not as after a kill: of that, the rows `restore` tell.
    try await store.close()
    Bench.put("objects", nodes)
    Bench.put("events", nodes)
    Bench.put("elapsed", Bench.now() - began)
  }

  private func fill(_ restoration: Restoration, _ nodes: Int, selects: Bool) throws {
    let window = try open("window", under: nil, restoration).node
    let groups = min(100, max(1, nodes / 50))
    var left = nodes - 1 - groups
    for number in 0..<groups {
      let group = try open("group\(number)", under: window.path, restoration).node
      let rows = left / (groups - number)
      for row in 0..<rows { _ = try open("row\(row)", under: group.path, restoration) }
      left -= rows
      if selects { group.selection = "row0" }
    }
    if selects { window.selection = "group0" }
  }

  private func open(_ id: String, under parent: NodePath?, _ restoration: Restoration) throws -> Screen {
    try restoration.open(
      Screen.kind, id: id, under: parent, state: ScreenState(offset: 12.5, selection: nil, title: "Title of \(id)"))
  }

  // MARK: Questions

  /// False if it is no question of trees.
  func ask(_ question: String, rounds: Int) async throws -> Bool {
    switch question {
    case "visible": try await restore("main", rounds, perNode: false)
    case "all": try await restore(Self.all, rounds, perNode: true)
    case "change": _ = try await change(rounds, flushes: false)
    case "flush": _ = try await change(rounds, flushes: true)
    default: return false
    }
    return true
  }

  private func restore(_ scene: String, _ rounds: Int, perNode: Bool) async throws {
    var made = 0
    for _ in 0..<rounds {
      let store = try await Store.open(path, for: Self.schema)
      made = 0
      let began = Bench.now()
      let restoration = Restoration(store, scene: scene)
      try restoration.define(Screen.kind) { node in
        made += 1
        return Screen(node)
      }
      try await restoration.restore()
      Bench.put("sample", (Bench.now() - began) / (perNode ? made : 1))
      restoration.end()
      try await store.close()
    }
    Bench.put("check", made)
  }

  /// One screen's state is changed: until the journal has it, or from then until it is in the journal's file.
  ///
  /// - Returns: How many bytes were written each time.
  private func change(_ rounds: Int, flushes: Bool) async throws -> [Int] {
    let store = try await Store.open(path, for: Self.schema)
    let restoration = Restoration(store, scene: Self.all)
    try restoration.define(Screen.kind) { Screen($0) }
    try await restoration.restore()
    guard let screen = try restoration.screen(Screen.kind, at: NodePath(["window", "group0", "row1"])) else {
      throw BenchmarkError("The store has no tree of screens.")
    }
    var bytes: [Int] = []
    // The first without the clock.
    for round in -1..<rounds {
      let before = Self.writtenBytes()
      var began = Bench.now()
      screen.node.state.offset += 1
      try restoration.save()
      let handed = Bench.now()
      if flushes { began = handed }
      try await restoration.flush()
      let time = (flushes ? Bench.now() : handed) - began
      if round < 0 { continue }
      Bench.put("sample", time)
      bytes.append(Self.writtenBytes() - before)
    }
    Bench.put("check", rounds)
    return bytes
  }

  /// What one change writes.
  func bytes() async throws {
    let bytes = try await change(21, flushes: true).sorted()
    Bench.put("bytes", bytes[bytes.count / 2])
  }

  /// What this process has handed to `write` and its like; Linux only.
  private static func writtenBytes() -> Int {
    guard let file = fopen("/proc/self/io", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if text.hasPrefix("wchar: ") { return Int(text.dropFirst(7).dropLast()) ?? 0 }
    }
    return 0
  }
}
