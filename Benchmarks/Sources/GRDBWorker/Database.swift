import Foundation
import GRDB
import Workload

/// The database of the benchmark, opened as each of the two forms does.
enum BenchmarkDatabase {
  /// A queue at its best. The file is in WAL mode, which stays with it: a durable commit then flushes once, and a queue
  /// has nothing to set up when it opens, where `journalMode = .wal` would check and set it again each time.
  static func queue(_ path: String, durable: Bool = false) throws -> DatabaseQueue {
    var configuration = Configuration()
    if durable {
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    }
    return try DatabaseQueue(path: file(path), configuration: configuration)
  }

  /// A pool, as most applications open one. It sets `synchronous` to NORMAL when it opens, which does not survive a
  /// power cut, so durable rows set it afterwards.
  static func pool(_ path: String, durable: Bool = false) throws -> DatabasePool {
    let pool = try DatabasePool(path: file(path))
    if durable { try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") } }
    return pool
  }

  static func writer(_ path: String, usual: Bool, durable: Bool) throws -> any DatabaseWriter {
    usual ? try pool(path, durable: durable) : try queue(path, durable: durable)
  }

  private static func file(_ path: String) -> String { path + "/store.sqlite" }

  /// An empty database in a new directory.
  static func make(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let queue = try queue(path)
    try queue.writeWithoutTransaction { db in
      _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
      try db.execute(
        sql: """
          CREATE TABLE item (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, serial TEXT NOT NULL, valueInDollars INTEGER NOT NULL,
            dateCreated DOUBLE NOT NULL, owner INTEGER, notes TEXT NOT NULL);
          CREATE INDEX item_date ON item (dateCreated);
          CREATE INDEX item_name ON item (name);
          CREATE TABLE event (
            seq INTEGER PRIMARY KEY, item INTEGER NOT NULL, kind INTEGER NOT NULL, payload BLOB NOT NULL);
          CREATE TABLE state (key TEXT PRIMARY KEY, json BLOB NOT NULL) WITHOUT ROWID;
          """)
    }
    try queue.close()
  }
}

/// The statements of the best form: prepared once for a connection, bound anew.
enum SQL {
  static let item = "SELECT \(Item.columns) FROM item WHERE id = ?"
  static let value = "SELECT valueInDollars FROM item WHERE id = ?"
  static let rank = "SELECT count(*) FROM item WHERE dateCreated < ?"
  static let date = "SELECT dateCreated FROM item WHERE id = ?"
  static let insert = "INSERT INTO item (\(Item.columns)) VALUES (?, ?, ?, ?, ?, NULL, ?)"
  static let event = "INSERT INTO event (item, kind, payload) VALUES (?, ?, ?)"
  static let update = "UPDATE item SET valueInDollars = ? WHERE id = ?"
  static let updateDate = "UPDATE item SET dateCreated = ? WHERE id = ?"
  static let updateName = "UPDATE item SET name = ? WHERE id = ?"
  static let state = "SELECT json FROM state WHERE key = ?"
  static let keep = "INSERT OR REPLACE INTO state (key, json) VALUES (?, ?)"

  /// All rows of a screen in one query.
  static func items(_ count: Int) -> String {
    "SELECT \(Item.columns) FROM item WHERE id IN (\(databaseQuestionMarks(count: count)))"
  }
}

/// The statements of a transaction that writes many rows, looked up once.
struct Writer {
  private let insert, event, update: Statement

  init(_ db: Database) throws {
    insert = try db.cachedStatement(sql: SQL.insert)
    event = try db.cachedStatement(sql: SQL.event)
    update = try db.cachedStatement(sql: SQL.update)
  }

  func insert(_ id: Int64, _ facts: ItemFacts) throws {
    try insert.execute(arguments: [id, facts.name, facts.serial, facts.value, facts.date, facts.notes])
    try record(id, .inserted, EventBytes.inserted(facts))
  }

  func update(_ id: Int64, from old: Int, to new: Int) throws {
    try update.execute(arguments: [new, id])
    try record(id, .updated, EventBytes.updated(attribute: 3, old: old, new: new))
  }

  func record(_ id: Int64, _ kind: EventKind, _ payload: Data) throws {
    try event.execute(arguments: [id, kind.rawValue, payload])
  }
}
