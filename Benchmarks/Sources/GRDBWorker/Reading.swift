import Foundation
import GRDB
import Workload

/// Reads of objects by ID, and of places in a list.
struct Reading {
  let path: String
  let usual: Bool

  /// `read`: all attributes. `one`: one attribute, which the usual form has no shorter way to than a record.
  func read(rounds: Int) throws {
    let writer = try BenchmarkDatabase.writer(path, usual: usual, durable: false)
    try writer.read { db in
      let count = try CodableItem.fetchCount(db)
      var random = FreshRandom()
      var sum = 0
      if usual {
        try measure("read", rounds, count, &random) { id in
          sum &+= try CodableItem.fetchOne(db, key: id)?.valueInDollars ?? 0
        }
      } else {
        let item = try db.cachedStatement(sql: SQL.item)
        try measure("read", rounds, count, &random) { id in
          sum &+= try Item.fetchOne(item, arguments: [id])?.valueInDollars ?? 0
        }
        let value = try db.cachedStatement(sql: SQL.value)
        try measure("one", rounds, count, &random) { id in sum &+= try Int.fetchOne(value, arguments: [id]) ?? 0 }
      }
      withExtendedLifetime(sum) {}
    }
  }

  private func measure(
    _ label: StaticString, _ rounds: Int, _ count: Int, _ random: inout FreshRandom, _ body: (Int64) throws -> Void
  ) throws {
    guard count > 0 else { throw BenchmarkError("The database has no items.") }
    for _ in 0..<rounds {
      let ids = (0..<100).map { _ in Int64.random(in: 1...Int64(count), using: &random) }
      let began = Bench.now()
      for id in ids { try body(id) }
      Bench.put(label, (Bench.now() - began) / 100)
    }
  }

  /// The object's date is at hand, as in a list that shows it.
  func rank(rounds: Int) throws {
    let writer = try BenchmarkDatabase.writer(path, usual: usual, durable: false)
    try writer.read { db in
      let count = try CodableItem.fetchCount(db)
      guard count > 0 else { throw BenchmarkError("The database has no items.") }
      var random = FreshRandom()
      let dateOf = try db.cachedStatement(sql: SQL.date)
      let rank = try db.cachedStatement(sql: SQL.rank)
      for _ in 0..<rounds {
        let id = Int64.random(in: 1...Int64(count), using: &random)
        let date = try Double.fetchOne(dateOf, arguments: [id]) ?? 0
        let began = Bench.now()
        let place =
          usual
          ? try CodableItem.filter(Column("dateCreated") < date).fetchCount(db)
          : try Int.fetchOne(rank, arguments: [date])
        Bench.put("rank", Bench.now() - began)
        guard place != nil else { throw BenchmarkError("An item has no place.") }
      }
    }
  }

  /// Live pages of items and their indexes, without events.
  func sizes() throws {
    let queue = try BenchmarkDatabase.queue(path)
    try queue.read { db in
      let bytes = try Int.fetchOne(
        db, sql: "SELECT sum(pgsize) FROM dbstat WHERE name IN ('item', 'item_date', 'item_name')")
      let file = try Int.fetchOne(db, sql: "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
      Bench.put("objects", try CodableItem.fetchCount(db))
      Bench.put("bytes", bytes ?? 0)
      Bench.put("file", file ?? 0)
    }
  }
}
