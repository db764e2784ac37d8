import CRepriseFaults
import RepriseEventStore
import RepriseObjectGraph

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Processes that drop the beginning of the log, and one that needs it.
enum Dropping {
  private static let lane = 7

  /// Counts up to a number, in a transaction for each.
  static func prepare(_ path: String, upTo last: Int) async throws {
    try await withStore(path) { store in try await count(in: store, upTo: last) }
  }

  private static func count(in store: Store, upTo last: Int) async throws {
    let context = RootContext(store, isolation: nil)
    let cell = (try? Counting.cell(lane, context)) ?? context.insert(Cell(lane: lane, place: 0))
    while cell.stamp < last {
      cell.stamp += 1
      cell.text = String(repeating: "\(cell.stamp) ", count: 100)
      // Comes and goes, so that there is something left of it to be removed.
      let passing = context.insert(Cell(lane: lane + 1, place: cell.stamp))
      try await context.save("Count")
      context.delete(passing)
    }
    try await context.save("Count")
  }

  /// Keeps the last transactions, so many of them, and says what held it.
  static func retain(_ path: String, last: Int) async throws {
    try await withStore(path) { store in
      let report = try await store.log.retain(.last(last))
      say("floor \(report.firstPosition) head \(store.log.head) held \(report.blockedBy.count)")
      try await look(at: store)
    }
  }

  /// The same once more is saved, and dies at the write of that number.
  static func retain(_ path: String, dyingAfter write: Int) async throws {
    reprise_faults_watch(path)
    let store = try openStore(path)
    let context = RootContext(store, isolation: nil)
    try await count(in: store, upTo: try Counting.cell(lane, context).stamp + 6)
    reprise_faults_fail(REPRISE_WRITE.rawValue, UInt64(write), 1, 0, REPRISE_DIES_AFTER)
    try await store.log.retain(.last(3))
    reprise_faults_fail(0, 0, 0, 0, REPRISE_FAILS_BEFORE)
    say("retained")
  }

  /// Looks at what is left, twice: once more after what a killed process left was removed.
  static func look(_ path: String) async throws {
    for isCleaned in [false, true] {
      try await withStore(path) { store in
        if isCleaned {
          try? await store.cleaning.wait()
          let floor = try store.log.firstPosition
          try await store.log.retain(.from(floor))
          if try !store.cleaning.isClean(store) { problem("something is left below the floor") }
        }
        try await look(at: store)
      }
    }
  }

  private static func look(at store: Store) async throws {
    let report = try await StoreMaintenance.verify(store)
    if !report.isSound { problem("\(report)") }
    let floor = try store.log.firstPosition
    let head = try Counting.cell(lane, RootContext(store, isolation: nil)).stamp
    for position in max(floor - 1, 2)...store.log.head {
      let stamp = try Counting.cell(lane, store.context(at: position)).stamp
      guard
        let saved = try store.log.history(of: Counting.cell(lane, store.context(at: position)).id.any, upTo: position)
          .first
      else { continue }
      if case .value(_, .int(let number))? = saved.changes.first?["stamp"], Int(number) != stamp {
        problem("\(stamp) at \(position), where \(number) was saved")
      }
      if stamp > head { problem("\(stamp) at \(position), and \(head) at the head") }
    }
    if floor > 2 {
      do {
        _ = try store.context(at: floor - 2)
        problem("what was before \(floor) can be read")
      } catch StoreError.truncated {}
    }
  }

  /// Has the store open and shows nothing, until others have dropped what it never read; then it goes on.
  static func idle(_ path: String, upTo last: Int) async throws {
    let store = try openStore(path)
    say("open")
    while access(path + "-dropped", F_OK) != 0 { try await Task.sleep(nanoseconds: 5_000_000) }
    let context = RootContext(store, isolation: nil)
    try context.refresh()
    let cell = try Counting.cell(lane, context)
    if cell.stamp != last { problem("it shows \(cell.stamp)") }
    cell.stamp += 1
    try await context.save("On")
    try await look(at: store)
    try await store.close()
  }

  /// Shows a position, and reads it until it is killed.
  static func pin(_ path: String, at position: Int) async throws {
    let store = try openStore(path)
    let first = try Counting.cell(lane, store.context(at: Position(UInt64(position)))).stamp
    let context = try store.context(at: Position(UInt64(position)))
    say("holds")
    for _ in 0..<6_000 {
      // A context of its own each time, which keeps nothing that it has read.
      let stamp = try Counting.cell(lane, store.context(at: Position(UInt64(position)))).stamp
      if stamp != first { problem("\(stamp) instead of \(first)") }
      say("reads \(store.log.head)")
      try await Task.sleep(nanoseconds: 10_000_000)
    }
    withExtendedLifetime(context) {}
  }
}
