import CWorkload
import RepriseCore
import Workload

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// How long what is typed takes to the journal's file, while something else keeps the disk busy.
@MainActor struct Lag<Item: BenchmarkItem> {
  let path: String

  /// False if it is no question of this kind.
  func ask(_ question: String, rounds: Int) async throws -> Bool {
    guard question == "lag.import" || question == "lag.flush" else { return false }
    let store = try await Store.open(path, for: Item.schema)
    let restoration = Restoration(store)
    try await restoration.restore()
    let editor = try RootContext(store, draft: "item-editor")
    guard let item = try editor.fetch(Item.byDate.limit(1)).first else { throw BenchmarkError("The store is empty.") }
    var other: pid_t?
    if question == "lag.import" {
      other = try spawn(["load", path, "objects=1000000", "batch=1000"])
      let reader = RootContext(store)
      let before = reader.position
      // It has begun.
      while before.distance(to: reader.position) < 3 {
        try await Task.sleep(for: .milliseconds(5))
        try reader.refresh()
      }
    } else {
      workload_slow_flushes(500_000_000)
    }
    // The first without the clock.
    for round in -1..<rounds {
      // At any moment of the other's work.
      try await Task.sleep(for: .milliseconds(60 + 37 * (round & 3)))
      let flush = question == "lag.flush" ? Task { try await restoration.flush(durable: true) } : nil
      if flush != nil { try await Task.sleep(for: .milliseconds(20)) }
      let before = journalBytes()
      let began = Bench.now()
      item.valueInDollars = Bench.freshValue()
      while journalBytes() == before { try await Task.sleep(for: .microseconds(500)) }
      if round >= 0 { Bench.put("sample", Bench.now() - began) }
      try await flush?.value
    }
    if let other {
      kill(other, SIGKILL)
      waitpid(other, nil, 0)
    }
    workload_slow_flushes(0)
    Bench.put("check", rounds)
    return true
  }

  /// Another process of this program, of which nothing is heard.
  private func spawn(_ arguments: [String]) throws -> pid_t {
    var arguments = ([CommandLine.arguments[0]] + arguments).map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var process = pid_t()
    let code = posix_spawn(&process, CommandLine.arguments[0], &actions, nil, &arguments, environ)
    if code != 0 { throw BenchmarkError("The other process could not be started: \(code).") }
    return process
  }

  /// How long the files of the journals are.
  private func journalBytes() -> Int {
    let folder = path + "/journals"
    guard let entries = opendir(folder) else { return 0 }
    defer { closedir(entries) }
    var count = 0
    while let entry = readdir(entries) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      var status = stat()
      if !name.hasPrefix("."), lstat(folder + "/" + name, &status) == 0 { count += Int(status.st_size) }
    }
    return count
  }
}
