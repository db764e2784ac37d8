import Foundation
import GRDB
import Workload

/// A list as the IDs of its rows in their order, fetched again after a change: what a `ValueObservation`
/// does, without its hop to another queue. The fetch is hand-written, its statement prepared once.
struct Listing {
  let path: String

  private static let byCondition = "SELECT id FROM item WHERE valueInDollars > ? ORDER BY dateCreated"
  private static let byConditionScanned = "SELECT id FROM item WHERE valueInDollars > ? ORDER BY +dateCreated"

  /// Ends the process as without a counterpart if there is no such question.
  func ask(_ question: String, rounds: Int, seed: Int) throws {
    let queue = try BenchmarkDatabase.queue(path)
    let ids: [Int64]
    switch question {
    case "open.condition":
      ids = try follow(queue, rounds, seed, Self.byCondition, [Questions.half]) { _, _ in }
      // The planner walks the index; told not to by the plus, it scans the table and sorts.
      let scanned = try follow(queue, rounds, seed, Self.byConditionScanned, [Questions.half], "scanned") { _, _ in }
      guard scanned == ids else { throw BenchmarkError("A plan finds other rows.") }
    case "change.condition":
      ids = try follow(queue, rounds, seed, Self.byCondition, [Questions.half]) { try $0.changeValue($1) }
    case "change.twoKeys":
      ids = try follow(queue, rounds, seed, "SELECT id FROM item ORDER BY name, dateCreated DESC") {
        try $0.changeName($1)
      }
    case "change.index":
      ids = try follow(queue, rounds, seed, "SELECT id FROM item ORDER BY dateCreated") { try $0.changeDate($1) }
    case "change.saved": ids = try followSaves(queue, rounds, seed)
    default: WorkerExit.end(WorkerExit.unsupported)
    }
    Self.putCheck(ids)
  }

  /// Edits are not committed, as those of a context are not saved; the last IDs are returned.
  private func follow(
    _ queue: DatabaseQueue, _ rounds: Int, _ seed: Int, _ sql: String, _ arguments: StatementArguments = [],
    _ label: StaticString = "sample", edit: (Edits, _ sample: Int) throws -> Void
  ) throws -> [Int64] {
    var ids: [Int64] = []
    try queue.inTransaction(.deferred) { db in
      let edits = Edits(db, seed: seed, try CodableItem.fetchCount(db))
      let list = try db.cachedStatement(sql: sql)
      for sample in 0..<rounds {
        let began = Bench.now()
        try edit(edits, sample)
        let after = try Int64.fetchAll(list, arguments: arguments)
        Bench.put(label, Bench.now() - began)
        ids = after
      }
      return .rollback
    }
    return ids
  }

  /// Timed from when the save is done.
  private func followSaves(_ queue: DatabaseQueue, _ rounds: Int, _ seed: Int) throws -> [Int64] {
    var ids: [Int64] = []
    for sample in 0..<rounds {
      try queue.write { db in
        let edits = Edits(db, seed: seed, try CodableItem.fetchCount(db))
        for edit in 0..<Questions.saved { try edits.changeValue(sample * Questions.saved + edit) }
      }
      try queue.read { db in
        let list = try db.cachedStatement(sql: Self.byCondition)
        let began = Bench.now()
        let after = try Int64.fetchAll(list, arguments: [Questions.half])
        Bench.put("sample", Bench.now() - began)
        ids = after
      }
    }
    return ids
  }

  func memory() throws {
    let queue = try BenchmarkDatabase.queue(path)
    try queue.read { db in
      let list = try db.cachedStatement(sql: Self.byCondition)
      // The statement and its first pages are there, then.
      _ = try Int64.fetchAll(list, arguments: [Questions.onePercent])
      let before = Questions.keptBytes()
      let ids = try Int64.fetchAll(list, arguments: [Questions.half])
      Bench.put("bytes", Questions.keptBytes() - before)
      Bench.put("rows", ids.count)
      Self.putCheck(ids)
    }
  }

  private static func putCheck(_ ids: [Int64]) {
    var hash = Hash()
    hash.add(ids.map { Int($0 - 1) })
    Bench.put("check", hash.value)
  }
}
