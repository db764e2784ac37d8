import Foundation
import GRDB
import RepriseCore
import RepriseSQLite
import RepriseTesting
import XCTest

@MainActor final class SQLiteSourceTests: XCTestCase {
  private var folder = ""
  private var path: String { folder + "/other.db" }

  override func setUp() async throws {
    folder = NSTemporaryDirectory() + "/reprise-sqlite-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  override func tearDown() async throws { try? FileManager.default.removeItem(atPath: folder) }

  /// The other program.
  private func writer(_ mode: String = "wal", at path: String? = nil) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    configuration.busyMode = .timeout(10)
    let queue = try DatabaseQueue(path: path ?? self.path, configuration: configuration)
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode = \(mode); PRAGMA synchronous = OFF")
      try database.execute(
        sql: "CREATE TABLE IF NOT EXISTS songs (id INTEGER PRIMARY KEY, title TEXT, length REAL, cover BLOB)")
    }
    return queue
  }

  private func run(_ writer: DatabaseQueue, _ sql: String, _ arguments: StatementArguments = []) throws {
    try writer.write { try $0.execute(sql: sql, arguments: arguments) }
  }

  private typealias Source = QuerySource<SQLiteQuery<SQLiteRow>>

  private func source(_ query: SQLiteQuery<SQLiteRow>? = nil, pageSize: Int? = nil) -> Source {
    // Long, so that tests see what they ask for and nothing else.
    QuerySource(
      query ?? SQLiteQuery(path, table: "songs", sortedBy: [.ascending("title")]), pageSize: pageSize,
      interval: .seconds(3_600))
  }

  private func titles(_ source: Source) -> [String] { source.rows.map { $0["title", as: String.self] ?? "-" } }

  private func assertFails(
    _ source: Source, at place: StaticString = #filePath, on row: UInt = #line, _ expected: SourceError
  ) async {
    do {
      try await source.refresh()
      XCTFail("no failure", file: place, line: row)
    } catch {
      XCTAssertEqual(error as? SourceError, expected, file: place, line: row)
      XCTAssertFalse(source.loadState.isLoaded, file: place, line: row)
    }
  }

  // MARK: Rows

  func testRowsStandInTheOrderOfTheirColumnsAndThenOfTheKey() async throws {
    let writer = try writer()
    for (id, title) in [(1, "b"), (2, "a"), (3, "b"), (4, nil as String?)] {
      try run(writer, "INSERT INTO songs VALUES (?, ?, 1.5, x'00ff')", [id, title])
    }
    let descending = source(SQLiteQuery(path, table: "songs", sortedBy: [.descending("title")]))
    try await descending.ready()
    XCTAssertEqual(descending.rows.map { $0["id", as: Int.self] }, [1, 3, 2, 4])
    XCTAssertEqual(descending.element(at: RowPath(item: 0)).columns, ["id", "title", "length", "cover"])
    XCTAssertEqual(descending.element(at: RowPath(item: 0))["length", as: Double.self], 1.5)
    XCTAssertEqual(descending.element(at: RowPath(item: 0))["cover", as: Data.self], Data([0, 255]))
    XCTAssertNil(descending.element(at: RowPath(item: 0))["nothing"])
    XCTAssertEqual(descending.modelIdentifier(at: RowPath(item: 1)), ModelIdentifier("sqlite:songs#i3"))
  }

  func testNamesAndArgumentsAreNoSQL() async throws {
    let writer = try writer()
    try run(writer, #"CREATE TABLE "a""b; DROP" ("x""y" TEXT PRIMARY KEY, "select" INT) WITHOUT ROWID"#)
    try run(writer, #"INSERT INTO "a""b; DROP" VALUES ('1', 2), ('é', 1), ('e'||char(769), 3)"#)
    let source = source(SQLiteQuery(path, table: #"a"b; DROP"#, sortedBy: [.ascending("select")]))
    try await source.ready()
    XCTAssertEqual(source.rows.map { $0["select", as: Int.self] }, [1, 2, 3])
    XCTAssertEqual(Set((0..<3).compactMap { source.modelIdentifier(at: RowPath(item: $0)) }).count, 3)
    let evil = "'; DROP TABLE songs; --"
    try run(writer, "INSERT INTO songs VALUES (1, ?, 0, NULL)", [evil])
    let query = self.source(
      SQLiteQuery(
        path, sql: "SELECT title, id FROM songs WHERE title = ?", arguments: [evil.databaseValue], named: "evil",
        key: ["id"]))
    try await query.ready()
    XCTAssertEqual(titles(query), [evil])
  }

  func testRowsBecomeRecords() async throws {
    struct Song: FetchableRecord, Decodable, Equatable, Sendable {
      var id: Int
      var title: String
    }
    let writer = try writer()
    try run(writer, "INSERT INTO songs VALUES (1, 'a', 0, NULL), (2, 'b', 0, NULL)")
    let songs = QuerySource(
      SQLiteQuery<Song>(path, named: "short", key: ["id"]) { _ in
        SQLRequest<Song>(sql: "SELECT * FROM songs ORDER BY id DESC")
      })
    try await songs.ready()
    XCTAssertEqual(Array(songs.rows), [Song(id: 2, title: "b"), Song(id: 1, title: "a")])
  }

  func testATableWithoutAKeyHasOneAnyhowAndAViewHasNone() async throws {
    let writer = try writer()
    try run(writer, "CREATE TABLE plain (title TEXT); INSERT INTO plain VALUES ('x'), ('x')")
    try run(writer, "CREATE VIEW shown AS SELECT title FROM plain")
    let plain = source(SQLiteQuery(path, table: "plain"))
    try await plain.ready()
    XCTAssertEqual(titles(plain), ["x", "x"])
    XCTAssertEqual(plain.element(at: RowPath(item: 0)).columns, ["title"])
    await assertFails(
      source(SQLiteQuery(path, table: "shown")),
      .invalid(
        source: path,
        reason: "'shown' is a view, which has no primary key. Pass `sql` and `key` to SQLiteQuery, not `table`"))
    let twice = source(SQLiteQuery(path, sql: "SELECT title FROM plain", named: "plain", key: ["title"]))
    do {
      try await twice.ready()
      XCTFail("ready")
    } catch SourceError.invalid(source: "sqlite:plain#", let reason) {
      XCTAssertEqual(
        reason, "two rows have the identifier 'sqlite:plain#tx', but the columns of the key must be unique together")
    }
  }

  // MARK: Following

  func testACommitIsARowChangeForEachRow() async throws {
    let writer = try writer()
    try run(writer, "INSERT INTO songs VALUES (1, 'a', 0, NULL), (2, 'b', 0, NULL), (3, 'c', 0, NULL)")
    let source = source()
    try await source.ready()
    var batches: [ListBatch] = []
    let observation = source.observe { batches.append($0) }
    try run(writer, "UPDATE songs SET title = 'd' WHERE id = 1; DELETE FROM songs WHERE id = 2")
    try run(writer, "INSERT INTO songs VALUES (4, 'bb', 0, NULL); UPDATE songs SET length = 7 WHERE id = 3")
    try await source.delivered()
    XCTAssertEqual(titles(source), ["bb", "c", "d"])
    XCTAssertEqual(batches.count, 1)
    let changes = try XCTUnwrap(batches[0].changes)
    XCTAssertEqual(changes.deletedRows, [RowPath(item: 1)])
    XCTAssertEqual(changes.insertedRows, [RowPath(item: 0)])
    XCTAssertEqual(changes.movedRows.count, 1)
    XCTAssertEqual(changes.updatedRows.count, 2)
    // Nothing that concerns it.
    try run(writer, "CREATE TABLE other (a)")
    try await source.delivered()
    try await source.refresh()
    XCTAssertEqual(batches.count, 1)
    observation.cancel()
  }

  func testAnotherProcessIsFollowedWithoutBeingAsked() async throws {
    for mode in ["wal", "delete"] {
      let other = folder + "/\(mode).db"
      try writer(mode, at: other).close()
      let source = QuerySource(SQLiteQuery(other, table: "songs"), interval: .milliseconds(5))
      try await source.ready()
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = [
        "python3", "-c",
        """
        import sqlite3, sys
        c = sqlite3.connect(sys.argv[1], timeout=30)
        for i in range(20):
          c.execute("INSERT INTO songs VALUES (?, ?, 0, NULL)", (i, str(i)))
          c.commit()
        """, other,
      ]
      try process.run()
      for await _ in source.batches where source.count == 20 { break }
      process.waitUntilExit()
      XCTAssertEqual(process.terminationStatus, 0, "the reader is in the way of the writer")
      XCTAssertEqual(titles(source), (0..<20).map(String.init))
    }
  }

  func testNoTransactionStaysOpen() async throws {
    let writer = try writer()
    try run(writer, "INSERT INTO songs VALUES (1, 'a', 0, NULL)")
    let source = source()
    try await source.ready()
    try run(writer, "UPDATE songs SET title = 'b'")
    let isBusy = try await writer.writeWithoutTransaction { database in
      try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")?[0] as Int?
    }
    XCTAssertEqual(isBusy, 0, "the other program's log could not be emptied")
    XCTAssertEqual(try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int, 0)
    try await source.delivered()
    XCTAssertEqual(titles(source), ["b"])
  }

  func testTheDatabaseAndItsLogStayAsTheyAre() async throws {
    let writer = try writer()
    try run(writer, "INSERT INTO songs VALUES (1, 'a', 0, NULL)")
    // As a program leaves them that was killed: what it committed is in the log only.
    let copy = folder + "/killed.db"
    for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix) }
    func bytes() throws -> [Data] {
      try ["", "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: copy + $0)) }
    }
    let before = try bytes()
    XCTAssertFalse(before[1].isEmpty)
    var killed: Source? = source(SQLiteQuery(copy, table: "songs"))
    try await killed?.ready()
    XCTAssertEqual(killed.map(titles), ["a"])
    try await killed?.refresh()
    XCTAssertEqual(try bytes(), before)
    killed = nil
    // Its thread closes the database.
    let next = source(SQLiteQuery(copy, table: "songs"))
    try await next.ready()
    XCTAssertEqual(titles(next), ["a"])
    XCTAssertEqual(try bytes(), before)
  }

  // MARK: Failures

  func testADatabaseThatIsNotThereYetIsFoundWithoutBeingAsked() async throws {
    let source = QuerySource(SQLiteQuery(path, table: "songs"), interval: .milliseconds(5))
    do {
      try await source.ready()
      XCTFail("ready")
    } catch {
      XCTAssertEqual(error as? SourceError, .unavailable(source: path, reason: "the file does not exist"))
    }
    XCTAssertFalse(FileManager.default.fileExists(atPath: path), "made by the reader")
    XCTAssertEqual(source.row(for: ModelIdentifier("sqlite:songs#i1")), .notLoaded)
    // Its table comes later.
    let writer = try DatabaseQueue(path: path)
    try await writer.write { try $0.execute(sql: "CREATE TABLE x (a)") }
    await assertFails(source, .unavailable(source: path, reason: "no such table: songs"))
    try run(self.writer(), "INSERT INTO songs VALUES (1, 'a', 0, NULL)")
    for await _ in source.batches where source.count == 1 { break }
    XCTAssertTrue(source.loadState.isLoaded)
    XCTAssertEqual(source.row(for: ModelIdentifier("sqlite:songs#i1")), .row(RowPath(item: 0)))
    XCTAssertEqual(source.row(for: ModelIdentifier("sqlite:songs#i2")), .deleted)
    XCTAssertEqual(source.row(for: ModelIdentifier("file:a#")), .foreignStore)
  }

  func testAFileThatIsNoDatabaseAndADamagedOneAreFailures() async throws {
    try Data(repeating: 7, count: 5_000).write(to: URL(fileURLWithPath: path))
    await assertFails(
      source(), .invalid(source: path, reason: "it is not an SQLite database, or it is encrypted"))
    let broken = folder + "/broken.db"
    let writer = try writer("delete", at: broken)
    for id in 0..<500 { try run(writer, "INSERT INTO songs VALUES (?, 'a', 0, ?)", [id, Data(count: 100)]) }
    try writer.close()
    let file = try XCTUnwrap(FileHandle(forUpdatingAtPath: broken))
    try file.seek(toOffset: 4_096)
    try file.write(contentsOf: Data(repeating: 0xab, count: 8_192))
    try file.close()
    do {
      try await source(SQLiteQuery(broken, table: "songs")).ready()
      XCTFail("read")
    } catch SourceError.invalid(source: broken, let reason) {
      XCTAssertEqual(
        reason,
        "the database is damaged: database disk image is malformed. Repair it, or restore a backup of it")
    }
  }

  func testALockedDatabaseIsAFailureUntilItIsNot() async throws {
    let writer = try writer("delete")
    try run(writer, "INSERT INTO songs VALUES (1, 'a', 0, NULL)")
    let source = source()
    try await source.ready()
    try await writer.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE; DELETE FROM songs") }
    await assertFails(source, .unavailable(source: path, reason: "another program has locked the database"))
    XCTAssertEqual(titles(source), ["a"], "shows what it had")
    try await writer.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    try await source.refresh()
    XCTAssertTrue(source.loadState.isLoaded)
    XCTAssertEqual(titles(source), [])
  }

  func testATableThatIsDroppedOrAlteredIsNoticed() async throws {
    let writer = try writer()
    try run(writer, "INSERT INTO songs VALUES (1, 'a', 0, NULL)")
    let source = source()
    try await source.ready()
    try run(writer, "ALTER TABLE songs ADD COLUMN year INT DEFAULT 1999")
    try await source.delivered()
    XCTAssertEqual(source.element(at: RowPath(item: 0))["year", as: Int.self], 1_999)
    try run(writer, "ALTER TABLE songs RENAME COLUMN title TO name")
    await assertFails(source, .invalid(source: path, reason: "there is no column 'title'"))
    try run(writer, "DROP TABLE songs")
    await assertFails(source, .unavailable(source: path, reason: "no such table: songs"))
    XCTAssertEqual(source.count, 1, "shows what it had")
    try run(self.writer(), "INSERT INTO songs VALUES (2, 'b', 0, NULL)")
    try await source.refresh()
    XCTAssertEqual(titles(source), ["b"])
  }

  func testAnotherDatabaseInThePlaceOfTheOldOneIsRead() async throws {
    let writer = try writer("delete")
    try run(writer, "INSERT INTO songs VALUES (1, 'a', 0, NULL), (2, 'b', 0, NULL)")
    let source = source()
    try await source.ready()
    let backup = try self.writer("delete", at: folder + "/backup.db")
    try run(backup, "INSERT INTO songs VALUES (1, 'a', 0, NULL)")
    try backup.close()
    rename(folder + "/backup.db", path)
    try await source.delivered()
    XCTAssertEqual(titles(source), ["a"])
  }

  // MARK: At random

  func testATableConforms() async throws {
    for mode in ["wal", "delete"] {
      let file = folder + "/\(mode).db"
      let writer = try writer(mode, at: file)
      for query in [
        SQLiteQuery(file, table: "songs", sortedBy: [.ascending("title")]),
        SQLiteQuery(file, sql: "SELECT * FROM songs ORDER BY length, id LIMIT 5", named: "five", key: ["id"]),
      ] {
        try await conformance(query, writer).run()
        try await conformance(query, writer).runRefreshing(
          changingBehind: { _, numbers in try Self.change(writer, &numbers) },
          failing: { _, isFailing in
            _ = isFailing ? rename(file, file + ".away") : rename(file + ".away", file)
          })
        try await conformance(query, writer).runRelaunching { _ in self.source(query) }
        try await conformance(query, writer).runRestoring { _ in self.source(query) }
      }
    }
  }

  func testChangesAreToldRowByRow() async throws {
    for mode in ["wal", "delete"] {
      let file = folder + "/rows-\(mode).db"
      let writer = try writer(mode, at: file)
      for query in [
        SQLiteQuery(file, table: "songs", sortedBy: [.ascending("title")]),
        SQLiteQuery(file, sql: "SELECT * FROM songs ORDER BY length, id LIMIT 5", named: "five", key: ["id"]),
      ] { try await conformance(query, writer).runRowChanges() }
    }
  }

  func testPagesConform() async throws {
    let writer = try writer()
    for id in 0..<37 { try run(writer, "INSERT INTO songs VALUES (?, ?, 0, NULL)", [id, "\(id * 7 % 37)"]) }
    let query = SQLiteQuery(path, table: "songs", sortedBy: [.ascending("title")])
    try await conformance(query, writer, pageSize: 5).runPaging()
    try await conformance(query, writer, pageSize: 5).runPrefetching(failing: { _, isFailing in
      _ = isFailing ? rename(self.path, self.path + ".away") : rename(self.path + ".away", self.path)
    })
    let source = source(query, pageSize: 10)
    try await source.ready()
    XCTAssertEqual(source.count, 10)
    XCTAssertEqual(source.row(for: ModelIdentifier("sqlite:songs#i99")), .notLoaded)
    try await source.load(atLeast: 15)
    XCTAssertEqual(source.count, 20)
    // Pages stay loaded as rows come and go.
    try run(writer, "DELETE FROM songs WHERE id = (SELECT id FROM songs ORDER BY title LIMIT 1)")
    try await source.delivered()
    XCTAssertEqual(source.count, 20)
    try await source.load(atLeast: .max)
    XCTAssertEqual(source.count, 36)
    XCTAssertFalse(source.canLoadMore)
  }

  private func conformance(
    _ query: SQLiteQuery<SQLiteRow>, _ writer: DatabaseQueue, pageSize: Int? = nil
  ) -> DataSourceConformance<Source> {
    DataSourceConformance(
      makeSource: { self.source(query, pageSize: pageSize) },
      change: { _, numbers in try Self.change(writer, &numbers) }, content: { "\($0.values)" },
      settle: { try await $0.delivered() }, rounds: 40)
  }

  private static func change(_ writer: DatabaseQueue, _ numbers: inout some RandomNumberGenerator) throws {
    let statements = (0..<Int.random(in: 1...4, using: &numbers)).map { _ in
      let id = Int.random(in: 0..<12, using: &numbers)
      let title = ["a", "b", "B", "é", ""].randomElement(using: &numbers) ?? ""
      let length = Double(Int.random(in: 0..<4, using: &numbers))
      return switch Int.random(in: 0..<4, using: &numbers) {
      case 0...1: ("INSERT OR REPLACE INTO songs VALUES (?, ?, ?, NULL)", [id, title, length] as StatementArguments)
      case 2: ("UPDATE songs SET title = ? WHERE id > ?", [title, id] as StatementArguments)
      default: ("DELETE FROM songs WHERE id = ?", [id] as StatementArguments)
      }
    }
    try writer.write { database in
      for (sql, arguments) in statements { try database.execute(sql: sql, arguments: arguments) }
    }
  }
}
