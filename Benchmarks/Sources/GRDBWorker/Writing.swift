import Foundation
import GRDB
import Synchronization
import Workload

/// Durable saves of one attribute each, and edits that are let go of.
struct Writing {
  let path: String
  let usual: Bool
  /// Whether the attribute with the index is changed, the date.
  let changesIndex: Bool

  func save(rounds: Int) throws {
    let writer = try BenchmarkDatabase.writer(path, usual: usual, durable: true)
    let count = try writer.read { try CodableItem.fetchCount($0) }
    var random = FreshRandom()
    try warmUp(writer)
    for _ in 0..<rounds {
      let id = Int64.random(in: 1...Int64(count), using: &random)
      // What the application has on the screen.
      guard var item = try writer.read({ try CodableItem.fetchOne($0, key: id) }) else { continue }
      let value = changesIndex ? Bench.freshTicks() : Bench.freshValue()
      let began = Bench.now()
      try save(&item, value, writer)
      Bench.put("save", Bench.now() - began)
    }
  }

  /// The first flush of a file writes what making or copying it left in memory: that is nobody's save. A checkpoint
  /// flushes the database's own file, and lets the WAL begin again in the place that it has.
  private func warmUp(_ writer: any DatabaseWriter) throws {
    guard var item = try writer.read({ try CodableItem.fetchOne($0) }) else { throw BenchmarkError("no items") }
    try save(&item, Bench.freshValue(), writer)
    try writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)") }
  }

  private func save(_ item: inout CodableItem, _ value: Int, _ writer: any DatabaseWriter) throws {
    let old = item
    let oldDate = ItemFacts.ticks(old.dateCreated)
    if changesIndex { item.dateCreated = ItemFacts.date(value) } else { item.valueInDollars = value }
    let new = item
    try writer.write { db in
      if usual {
        try new.update(db, columns: [changesIndex ? "dateCreated" : "valueInDollars"])
        var event = try CodableEvent(
          updated: new.id, attribute: changesIndex ? "dateCreated" : "valueInDollars",
          old: changesIndex ? oldDate : old.valueInDollars, new: value)
        try event.insert(db)
      } else if changesIndex {
        try db.cachedStatement(sql: SQL.updateDate).execute(arguments: [new.dateCreated, new.id])
        try Writer(db).record(new.id, .updated, EventBytes.updated(attribute: 4, old: oldDate, new: value))
      } else {
        try Writer(db).update(new.id, from: old.valueInDollars, to: value)
      }
    }
  }

  /// So many threads, saving as fast as they can.
  func saveTogether(rounds: Int, contexts: Int) throws {
    let writer = try BenchmarkDatabase.writer(path, usual: usual, durable: true)
    let items = try sample(rounds * contexts, writer)
    try warmUp(writer)
    let began = Bench.now()
    DispatchQueue.concurrentPerform(iterations: contexts) { number in
      do {
        for round in 0..<rounds {
          var item = items[number * rounds + round]
          try save(&item, Bench.freshValue(), writer)
        }
      } catch {
        WorkerExit.fail("grdb-worker", "\(error)")
      }
    }
    let ended = Bench.now()
    Bench.put("saves", rounds * contexts)
    Bench.put("elapsed", ended - began)
  }

  /// So many items, at random.
  private func sample(_ count: Int, _ writer: any DatabaseWriter) throws -> [CodableItem] {
    try writer.read { db in
      let stored = try CodableItem.fetchCount(db)
      var random = FreshRandom()
      return try (0..<count).map { _ in
        let id = Int64.random(in: 1...Int64(stored), using: &random)
        guard let item = try CodableItem.fetchOne(db, key: id) else { throw BenchmarkError("no item \(id)") }
        return item
      }
    }
  }

  /// The longest save of some threads that save as fast as they can for some seconds.
  func saveWorst(seconds: Int, contexts: Int) throws {
    let writer = try BenchmarkDatabase.writer(path, usual: usual, durable: true)
    let items = try sample(1_000 * contexts, writer)
    try warmUp(writer)
    let end = Bench.now() + seconds * 1_000_000_000
    let longest = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: contexts) { number in
      do {
        var (own, round) = (0, 0)
        while Bench.now() < end {
          var item = items[number * 1_000 + round % 1_000]
          let began = Bench.now()
          try save(&item, Bench.freshValue(), writer)
          own = max(own, Bench.now() - began)
          round += 1
        }
        longest.withLock { $0 = max($0, own) }
      } catch {
        WorkerExit.fail("grdb-worker", "\(error)")
      }
    }
    Bench.put("save", longest.withLock { $0 })
  }

  /// Edits within a savepoint, then rolled back.
  func discard(edits: Int, rounds: Int) throws {
    let writer = try BenchmarkDatabase.writer(path, usual: usual, durable: true)
    let count = try writer.read { try CodableItem.fetchCount($0) }
    var random = FreshRandom()
    for _ in 0..<rounds {
      let ids = (0..<edits).map { _ in Int64.random(in: 1...Int64(count), using: &random) }
      try writer.writeWithoutTransaction { db in
        var items: [CodableItem] = []
        if usual { items = try ids.compactMap { try CodableItem.fetchOne(db, key: $0) } }
        var edited = 0
        let began = Bench.now()
        try db.inSavepoint {
          if usual {
            for var item in items {
              item.valueInDollars = Bench.freshValue()
              try item.update(db, columns: ["valueInDollars"])
            }
          } else {
            let update = try db.cachedStatement(sql: SQL.update)
            for id in ids { try update.execute(arguments: [Bench.freshValue(), id]) }
          }
          edited = Bench.now()
          return .rollback
        }
        let discarded = Bench.now()
        Bench.put("edit", edited - began)
        Bench.put("discard", discarded - edited)
      }
    }
  }
}
