import Foundation
import GRDB
import Workload

/// A database with relationships and rules, and what is asked of it. Each change leaves a row of history, as elsewhere.
struct Graphs {
  let path: String
  /// So many rows are changed in one transaction.
  private static let saved = 1_000
  /// So many genres and tags.
  private static let others = 1_000

  func make(objects: Int, batch: Int) throws {
    let began = Bench.now()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let queue = try BenchmarkDatabase.queue(path)
    try queue.writeWithoutTransaction { db in
      _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
      try db.execute(
        sql: """
          PRAGMA synchronous = OFF;
          CREATE TABLE track (id INTEGER PRIMARY KEY, name TEXT NOT NULL, genre INTEGER);
          CREATE INDEX track_genre ON track (genre);
          CREATE TABLE track_tag (track INTEGER NOT NULL, tag INTEGER NOT NULL, PRIMARY KEY (track, tag)) WITHOUT ROWID;
          CREATE INDEX track_tag_tag ON track_tag (tag);
          CREATE TABLE unique_account (id INTEGER PRIMARY KEY, address TEXT NOT NULL UNIQUE);
          CREATE TABLE indexed_account (id INTEGER PRIMARY KEY, address TEXT NOT NULL);
          CREATE INDEX account_address ON indexed_account (address);
          CREATE TABLE price (id INTEGER PRIMARY KEY, amount NOT NULL, label TEXT NOT NULL);
          CREATE TABLE event (
            seq INTEGER PRIMARY KEY, item INTEGER NOT NULL, kind INTEGER NOT NULL, payload BLOB NOT NULL);
          CREATE TRIGGER price_history AFTER UPDATE ON price BEGIN
            INSERT INTO event (item, kind, payload) VALUES (new.id, 1, old.amount || char(0) || new.amount);
          END;
          """)
    }
    for start in stride(from: 0, to: objects, by: batch) {
      try queue.write { db in
        let track = try db.cachedStatement(sql: "INSERT INTO track (id, name) VALUES (?, ?)")
        let price = try db.cachedStatement(sql: "INSERT INTO price (id, amount, label) VALUES (?, ?, ?)")
        for number in start..<min(start + batch, objects) {
          let name = ItemFacts(number: number).name
          try track.execute(arguments: [number + 1, name])
          try price.execute(arguments: [number + 1, String(number), name])
        }
      }
    }
    try queue.close()
    Bench.put("objects", objects)
    Bench.put("events", objects)
    Bench.put("elapsed", Bench.now() - began)
  }

  func ask(_ question: String, rounds: Int, seed: Int) throws {
    switch question {
    case "insert.unique": try insert(rounds, "INSERT INTO unique_account (address) VALUES (?)")
    case "insert.indexed": try insert(rounds, "INSERT INTO indexed_account (address) VALUES (?)")
    case "pair": try relate(rounds, seed, "INSERT INTO track_tag (track, tag) VALUES (?, ?)", kind: .inserted)
    case "toOne": try relate(rounds, seed, "UPDATE track SET genre = ?2 WHERE id = ?1", kind: .updated)
    case "rename": try rename(rounds)
    default: WorkerExit.end(WorkerExit.unsupported)
    }
    Bench.put("check", rounds)
  }

  private func insert(_ rounds: Int, _ sql: String) throws {
    let queue = try BenchmarkDatabase.queue(path, durable: true)
    for _ in 0..<rounds {
      let addresses = (0..<Self.saved).map { _ in "\(Bench.freshTicks())@example.org" }
      let began = Bench.now()
      try queue.write { db in
        let insert = try db.cachedStatement(sql: sql)
        let event = try db.cachedStatement(sql: SQL.event)
        for address in addresses {
          try insert.execute(arguments: [address])
          try event.execute(arguments: [db.lastInsertedRowID, EventKind.inserted.rawValue, Data(address.utf8)])
        }
      }
      Bench.put("sample", (Bench.now() - began) / Self.saved)
    }
  }

  private func relate(_ rounds: Int, _ seed: Int, _ sql: String, kind: EventKind) throws {
    let queue = try BenchmarkDatabase.queue(path, durable: true)
    for round in 0..<rounds {
      let began = Bench.now()
      try queue.write { db in
        let relate = try db.cachedStatement(sql: sql)
        let event = try db.cachedStatement(sql: SQL.event)
        for number in 0..<Self.saved {
          let other = (number + seed * rounds + round) % Self.others + 1
          try relate.execute(arguments: [number + 1, other])
          try event.execute(arguments: [number + 1, kind.rawValue, Data("\(other)".utf8)])
        }
      }
      Bench.put("sample", (Bench.now() - began) / Self.saved)
    }
  }

  private func rename(_ rounds: Int) throws {
    for round in 0..<2 * rounds {
      let (old, new) = round % 2 == 0 ? ("label", "title") : ("title", "label")
      let began = Bench.now()
      let queue = try BenchmarkDatabase.queue(path, durable: true)
      try queue.write { try $0.execute(sql: "ALTER TABLE price RENAME COLUMN \(old) TO \(new)") }
      Bench.put("sample", Bench.now() - began)
      try queue.close()
    }
  }

  func convert(to version: Int) throws {
    let type = version % 2 == 1 ? "INTEGER" : "TEXT"
    let began = Bench.now()
    let queue = try BenchmarkDatabase.queue(path, durable: true)
    try queue.write { try $0.execute(sql: "UPDATE price SET amount = CAST(amount AS \(type))") }
    let elapsed = Bench.now() - began
    Bench.put("objects", try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM price") } ?? 0)
    Bench.put("elapsed", elapsed)
    try queue.close()
  }
}
