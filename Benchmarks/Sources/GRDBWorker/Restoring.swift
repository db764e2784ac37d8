import Foundation
import GRDB
import Workload

/// The restore of a killed process: cold, with a stamp after each stage, or again and again inside one process.
struct Restoring {
  let path: String
  let usual: Bool

  struct Stamps {
    var open = 0
    var tree = 0
    var rows = 0
    var position = 0
    var draft = 0
  }

  /// What stays alive: the connection and the screens.
  struct Restored {
    let reader: any DatabaseWriter
    var screens: [Screen] = []
    var facts = RestoredFacts()
  }

  func once(main: Int) throws {
    var stamps = Stamps()
    let restored = try restore(&stamps)
    let ready = Bench.now()
    Bench.put("main", main)
    Bench.put("open", stamps.open)
    Bench.put("tree", stamps.tree)
    Bench.put("rows", stamps.rows)
    Bench.put("position", stamps.position)
    Bench.put("draft", stamps.draft)
    Bench.put("ready", ready)
    Bench.put("check", restored.facts.hash)
    Bench.put("anonymous", Bench.anonymousBytes())
    withExtendedLifetime(restored) {}
  }

  func inside(rounds: Int) throws {
    var check = 0
    for _ in 0..<rounds {
      var stamps = Stamps()
      let began = Bench.now()
      let restored = try restore(&stamps)
      let ready = Bench.now()
      try restored.reader.close()
      Bench.put("restore", ready - began)
      Bench.put("close", Bench.now() - ready)
      check = restored.facts.hash
    }
    Bench.put("check", check)
  }

  private func restore(_ stamps: inout Stamps) throws -> Restored {
    usual ? try usually(&stamps) : try atBest(&stamps)
  }

  /// A queue, one read for all, hand-written decoding, one query for the rows.
  private func atBest(_ stamps: inout Stamps) throws -> Restored {
    let queue = try BenchmarkDatabase.queue(path)
    stamps.open = Bench.now()
    var restored = Restored(reader: queue)
    try queue.read { db in
      let state = try db.cachedStatement(sql: SQL.state)
      let decoder = JSONDecoder()
      guard let archive = try Data.fetchOne(state, arguments: ["archive"]) else { throw BenchmarkError("no archive") }
      restored.screens = try decoder.decode(Archive.self, from: archive).screens()
      stamps.tree = Bench.now()

      let visible = restored.screens.prefix(Bench.rows).compactMap(\.node.selection)
      let found = try Item.fetchAll(db, sql: SQL.items(visible.count), arguments: StatementArguments(visible))
      var places: [Int64: Int] = [:]
      for (place, item) in found.enumerated() { places[item.id] = place }
      let rows = visible.compactMap { places[$0].map { found[$0] } }
      restored.facts.rows = rows.map(\.facts)
      stamps.rows = Bench.now()

      if rows.count > Bench.anchor {
        let date = rows[Bench.anchor].dateCreated
        restored.facts.rank = try Int.fetchOne(db.cachedStatement(sql: SQL.rank), arguments: [date]) ?? -1
      }
      stamps.position = Bench.now()

      guard let json = try Data.fetchOne(state, arguments: ["draft"]) else { throw BenchmarkError("no draft") }
      restored.facts.edited = try decoder.decode(Draft.self, from: json).applied(to: rows).map(\.facts)
      restored.facts.screens = restored.screens.map { ($0.node.title, $0.node.offset) }
      stamps.draft = Bench.now()
    }
    return restored
  }

  /// A pool, a read for each thing, records that are `Codable`, a row at a time.
  private func usually(_ stamps: inout Stamps) throws -> Restored {
    let pool = try BenchmarkDatabase.pool(path)
    stamps.open = Bench.now()
    var restored = Restored(reader: pool)
    let archive = try state("archive", pool)
    restored.screens = try JSONDecoder().decode(Archive.self, from: archive).screens()
    stamps.tree = Bench.now()

    let visible = restored.screens.prefix(Bench.rows).compactMap(\.node.selection)
    let rows = try pool.read { db in try visible.compactMap { try CodableItem.fetchOne(db, key: $0) } }
    restored.facts.rows = rows.map(\.facts)
    stamps.rows = Bench.now()

    if rows.count > Bench.anchor {
      let date = rows[Bench.anchor].dateCreated
      restored.facts.rank = try pool.read { try CodableItem.filter(Column("dateCreated") < date).fetchCount($0) }
    }
    stamps.position = Bench.now()

    let draft = try JSONDecoder().decode(Draft.self, from: state("draft", pool))
    restored.facts.edited = draft.applied(to: rows).map(\.facts)
    restored.facts.screens = restored.screens.map { ($0.node.title, $0.node.offset) }
    stamps.draft = Bench.now()
    return restored
  }

  private func state(_ key: String, _ pool: DatabasePool) throws -> Data {
    guard let json = try pool.read({ try Data.fetchOne($0, sql: SQL.state, arguments: [key]) }) else {
      throw BenchmarkError("There is no \(key).")
    }
    return json
  }
}

struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
