import CRepriseFaults
import RepriseEventStore
import RepriseObjectGraph

/// A process that dies within a save, and those that look at the store afterwards: what the first one of them sees is
/// how it went, and nothing comes to light later.
enum LateNews {
  private static let lane = 101
  private static let other = 102

  /// Has the store open, for ever.
  static func hold(_ path: String) async throws {
    let store = try openStore(path)
    say("holds")
    try await Task.sleep(nanoseconds: 60_000_000_000)
    withExtendedLifetime(store) {}
  }

  /// Types one more, saves it, and dies at the write of that number.
  static func save(_ path: String, dyingAfter write: Int) async throws {
    reprise_faults_watch(path)
    // With after-images.
    let store = try Store.openNow(path, for: schema, StoreOptions())
    let desk = try RootContext(store, author: "ada", draft: "desk", isolation: nil)
    let cell = try Counting.cell(lane, desk)
    cell.stamp += 1
    try store.journal.write()
    reprise_faults_fail(REPRISE_WRITE.rawValue, UInt64(write), 1, 0, REPRISE_DIES_AFTER)
    try await desk.save("One more")
    reprise_faults_fail(0, 0, 0, 0, REPRISE_FAILS_BEFORE)
    say("saved")
  }

  static func look(_ path: String) async throws {
    try await withStore(path) { store in
      let before = try read(store)
      let desk = try RootContext(store, author: "ada", draft: "desk", isolation: nil)
      let shown = try Counting.cell(lane, desk).stamp
      let another = RootContext(store, isolation: nil)
      try Counting.cell(other, another).stamp += 1
      try await another.save("Something else")
      let after = try read(store)
      if before != after { problem("\(before) was saved, and once somebody saves something else it is \(after)") }
      try desk.refresh()
      if let conflict = try desk.conflicts().first { problem("a conflict with nobody: \(conflict)") }
      if desk.hasChanges != (shown != after) { problem("has changes: \(desk.hasChanges), \(shown) over \(after)") }
      if shown < after { problem("shows \(shown), and \(after) was saved before it was made") }
    }
  }

  private static func read(_ store: Store) throws -> Int {
    let context = RootContext(store, isolation: nil)
    try context.refresh()
    return try Counting.cell(lane, context).stamp
  }
}
