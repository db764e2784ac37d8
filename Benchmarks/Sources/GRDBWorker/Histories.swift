import Foundation
import GRDB
import Workload

/// Rows with all their versions, each with the transactions from which and up to which it held: a temporal table, by
/// which a state of the past is one query.
struct Histories {
  let path: String
  private static let depths = [10_000, 1_000, 10]
  private static let behind = 1_000
  private static let saved = 100
  private static let now = Int64.max

  private static let end = "UPDATE version SET until = ?2 WHERE item = ?1 AND until = 9223372036854775807"
  private static let begin =
    "INSERT INTO version (item, name, value, date, since, until) VALUES (?, ?, ?, ?, ?, 9223372036854775807)"

  func make(objects: Int, batch: Int) throws {
    let began = Bench.now()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let queue = try BenchmarkDatabase.queue(path)
    try queue.writeWithoutTransaction { db in
      _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
      try db.execute(
        sql: """
          PRAGMA synchronous = OFF;
          CREATE TABLE version (
            item INTEGER NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL, date INTEGER NOT NULL,
            since INTEGER NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (item, since)) WITHOUT ROWID;
          CREATE INDEX version_date ON version (date, since, until);
          CREATE INDEX version_since ON version (since);
          CREATE TABLE history (seq INTEGER PRIMARY KEY, author TEXT, name TEXT, time DOUBLE NOT NULL);
          """)
    }
    for start in stride(from: 0, to: objects, by: batch) {
      try queue.write { db in
        let position = try transaction(db)
        for number in start..<min(start + batch, objects) {
          try db.cachedStatement(sql: Self.begin)
            .execute(arguments: [number, ItemFacts(number: number).name, 0, number, position])
        }
      }
    }
    for (number, depth) in Self.depths.enumerated() {
      for version in 1..<depth { try queue.write { db in try change(db, number, value: version, transaction(db)) } }
    }
    for number in 0..<Self.behind {
      try queue.write { db in try change(db, number + 10, date: number, transaction(db)) }
    }
    try queue.close()
    Bench.put("objects", objects)
    Bench.put("events", objects + Self.depths.reduce(0) { $0 + $1 - 1 } + Self.behind)
    Bench.put("elapsed", Bench.now() - began)
  }

  func ask(_ question: String, rounds: Int) throws {
    let queue = try BenchmarkDatabase.queue(path, durable: true)
    switch question {
    case "past.object.10": try past(queue, 2, rounds)
    case "past.object.10k": try past(queue, 0, rounds)
    case "past.fetch50": try fetch(queue, behind: Self.behind, rounds)
    case "past.fetch50.head": try fetch(queue, behind: 0, rounds)
    case "history.object": try history(queue, rounds)
    case "history.fetch": try fetchHistory(queue, rounds)
    case "undo.saved": try undo(queue, rounds, reverts: true)
    case "undo.saved.save": try undo(queue, rounds, reverts: false)
    default: WorkerExit.end(WorkerExit.unsupported)
    }
    Bench.put("check", rounds)
  }

  private func transaction(_ db: Database) throws -> Int64 {
    try db.cachedStatement(sql: "INSERT INTO history (author, name, time) VALUES ('', 'Edit', ?)")
      .execute(arguments: [Date().timeIntervalSinceReferenceDate])
    return db.lastInsertedRowID
  }

  private func change(
    _ db: Database, _ item: Int, value: Int? = nil, date: Int? = nil, _ position: Int64
  ) throws {
    let current = try db.cachedStatement(
      sql: "SELECT name, value, date FROM version WHERE item = ? ORDER BY since DESC LIMIT 1")
    guard let row = try Row.fetchOne(current, arguments: [item]) else { return }
    let (name, oldValue, oldDate): (String, Int, Int) = (row[0], row[1], row[2])
    try db.cachedStatement(sql: Self.end).execute(arguments: [item, position])
    try db.cachedStatement(sql: Self.begin)
      .execute(arguments: [item, name, value ?? oldValue, date ?? oldDate, position])
  }

  private func past(_ queue: DatabaseQueue, _ item: Int, _ rounds: Int) throws {
    try queue.read { db in
      let positions = try Int64.fetchAll(db, sql: "SELECT since FROM version WHERE item = ?", arguments: [item])
      let asked = try db.cachedStatement(
        sql: "SELECT name, value, date FROM version WHERE item = ? AND since <= ? ORDER BY since DESC LIMIT 1")
      var random = FreshRandom()
      for _ in 0..<rounds {
        guard let position = positions.randomElement(using: &random) else { continue }
        let began = Bench.now()
        let value: Int? = try Row.fetchOne(asked, arguments: [item, position])?[1]
        let ended = Bench.now()
        if value == nil { throw BenchmarkError("It has no value.") }
        Bench.put("sample", ended - began)
      }
    }
  }

  private func fetch(_ queue: DatabaseQueue, behind: Int, _ rounds: Int) throws {
    try queue.read { db in
      let head = try Int64.fetchOne(db, sql: "SELECT max(seq) FROM history") ?? 0
      let count = try Int.fetchOne(db, sql: "SELECT count(DISTINCT item) FROM version") ?? 0
      let asked = try db.cachedStatement(
        sql: """
          SELECT name, value, date FROM version WHERE date >= ?1 AND since <= ?2 AND until > ?2
          ORDER BY date LIMIT 50
          """)
      var random = FreshRandom()
      for _ in 0..<rounds {
        let from = Int.random(in: 0..<max(1, count - 50), using: &random)
        let began = Bench.now()
        let names = try Row.fetchAll(asked, arguments: [from, head - Int64(behind)]).map { $0[0] as String }
        let ended = Bench.now()
        if names.count != 50 { throw BenchmarkError("There are \(names.count).") }
        Bench.put("sample", ended - began)
      }
    }
  }

  /// Who changed what from what to what: each version with the one before.
  private func history(_ queue: DatabaseQueue, _ rounds: Int) throws {
    struct Change {
      let author, name: String
      let time: Double
      let from, to: Int?
    }
    try queue.read { db in
      let asked = try db.cachedStatement(
        sql: """
          SELECT author, history.name, time, lag(value) OVER (ORDER BY since), value FROM version
          JOIN history ON seq = since WHERE item = ? ORDER BY since DESC
          """)
      for _ in 0..<rounds {
        let began = Bench.now()
        let changes = try Row.fetchAll(asked, arguments: [1])
          .map { Change(author: $0[0], name: $0[1], time: $0[2], from: $0[3], to: $0[4]) }
        let ended = Bench.now()
        if changes.count != Self.depths[1] { throw BenchmarkError("There are \(changes.count).") }
        Bench.put("sample", ended - began)
      }
    }
  }

  /// What each of the last transactions did to the items before a date: who, when, and from what to what.
  private func fetchHistory(_ queue: DatabaseQueue, _ rounds: Int) throws {
    struct Change {
      let position: Int64
      let author, name: String
      let time: Double
      let item, from, to: Int
    }
    try queue.read { db in
      let head = try Int64.fetchOne(db, sql: "SELECT max(seq) FROM history") ?? 0
      let asked = try db.cachedStatement(
        sql: """
          SELECT seq, author, history.name, time, later.item, earlier.date, later.date
          FROM version AS later JOIN history ON seq = later.since
          JOIN version AS earlier ON earlier.item = later.item AND earlier.until = later.since
          WHERE later.since > ?1 AND (later.date < ?2 OR earlier.date < ?2) ORDER BY later.since DESC
          """)
      for _ in 0..<rounds {
        let began = Bench.now()
        let changes = try Row.fetchAll(asked, arguments: [head - Int64(Self.behind), Self.behind / 2])
          .map {
            Change(position: $0[0], author: $0[1], name: $0[2], time: $0[3], item: $0[4], from: $0[5], to: $0[6])
          }
        let ended = Bench.now()
        if changes.count != Self.behind / 2 { throw BenchmarkError("There are \(changes.count).") }
        Bench.put("sample", ended - began)
      }
    }
  }

  private func undo(_ queue: DatabaseQueue, _ rounds: Int, reverts: Bool) throws {
    for _ in 0..<rounds {
      let values = (0..<Self.saved).map { _ in Bench.freshValue() }
      var began = Bench.now()
      let position = try queue.write { db in
        let position = try transaction(db)
        for (offset, value) in values.enumerated() { try change(db, 100 + offset, value: value, position) }
        return position
      }
      if reverts {
        began = Bench.now()
        try queue.write { db in
          let undo = try transaction(db)
          let items = try Int.fetchAll(db, sql: "SELECT item FROM version WHERE since = ?", arguments: [position])
          let before = try db.cachedStatement(sql: "SELECT value FROM version WHERE item = ? AND until = ?")
          for item in items {
            try change(db, item, value: Int.fetchOne(before, arguments: [item, position]), undo)
          }
        }
      }
      Bench.put("sample", Bench.now() - began)
    }
  }
}
