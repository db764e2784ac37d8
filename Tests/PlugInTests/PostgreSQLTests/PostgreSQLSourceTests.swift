import Foundation
import RepriseCore
import RepriseTesting
import XCTest

import ReprisePostgreSQL

@MainActor final class PostgreSQLSourceTests: XCTestCase {
  nonisolated(unsafe) private static var server: TestServer?
  private var server: TestServer! { Self.server }

  override func setUp() async throws {
    if Self.server == nil { Self.server = try TestServer() }
    try server.execute(
      """
      SET client_min_messages = error;
      DROP TABLE IF EXISTS songs;
      CREATE TABLE songs (id int PRIMARY KEY, title text, isgood bool DEFAULT true);
      CREATE OR REPLACE FUNCTION songs_changed() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN NOTIFY songs_changed; RETURN NULL; END $$;
      CREATE TRIGGER songs_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON songs
        FOR EACH STATEMENT EXECUTE FUNCTION songs_changed();
      """)
  }

  override class func tearDown() { server = nil }

  private typealias Query = PostgreSQLQuery<PostgreSQLRow>

  private func query(_ sql: String = "SELECT * FROM songs ORDER BY title, id", _ parameters: [String?] = []) -> Query {
    Query(
      server.connection, sql: sql, parameters: parameters, named: "songs", key: ["id"], channel: "songs_changed")
  }

  private func titles(_ source: QuerySource<Query>) -> [String] { source.rows.map { $0["title"] ?? "-" } }

  func testRowsAreTextsAndNulls() async throws {
    try server.execute("INSERT INTO songs VALUES (2, 'é''\"\\', true), (1, NULL, true), (3, '', false)")
    let source = QuerySource(query())
    try await source.ready()
    XCTAssertEqual(source.rows.map(\.values), [["3", "", "f"], ["2", "é'\"\\", "t"], ["1", nil, "t"]])
    XCTAssertEqual(source.element(at: RowPath(item: 0))["id", as: Int.self], 3)
    XCTAssertEqual(source.element(at: RowPath(item: 0))["isgood", as: Bool.self], false)
    XCTAssertEqual(source.modelIdentifier(at: RowPath(item: 1)), ModelIdentifier("postgresql:songs#t2"))
  }

  func testParametersAreNoSQL() async throws {
    let evil = "'; DROP TABLE songs; --"
    try server.execute("INSERT INTO songs VALUES (1, '''; DROP TABLE songs; --'), (2, 'b')")
    let source = QuerySource(query("SELECT * FROM songs WHERE title = $1 OR id = $2::int", [evil, nil]))
    try await source.ready()
    XCTAssertEqual(titles(source), [evil])
  }

  func testNothingCanBeWritten() async throws {
    try server.execute("CREATE OR REPLACE FUNCTION sly() RETURNS int LANGUAGE sql AS 'DELETE FROM songs; SELECT 1'")
    let source = QuerySource(query("SELECT sly() AS id"))
    do {
      try await source.ready()
      XCTFail("ready")
    } catch SourceError.invalid(_, let reason) { XCTAssertTrue(reason.hasSuffix("(SQLSTATE 25006)"), reason) }
  }

  func testNotificationsAreFollowedWithoutBeingAsked() async throws {
    let source = QuerySource(query(), interval: .milliseconds(5))
    try await source.ready()
    try server.execute("INSERT INTO songs VALUES (1, 'b'), (2, 'a')")
    for await _ in source.batches where source.count == 2 { break }
    XCTAssertEqual(titles(source), ["a", "b"])
    var last: ListBatch?
    let observation = source.observe { last = $0 }
    try server.execute("UPDATE songs SET title = 'c' WHERE id = 2")
    for await _ in source.batches where titles(source) == ["b", "c"] { break }
    XCTAssertEqual(last?.changes?.movedRows.count, 1)
    XCTAssertEqual(last?.changes?.updatedRows.count, 1)
    observation.cancel()
  }

  func testAServerThatGoesAndComesBackIsFoundAgain() async throws {
    try server.execute("INSERT INTO songs VALUES (1, 'a')")
    let source = QuerySource(query(), interval: .milliseconds(5))
    try await source.ready()
    server.stop()
    for await _ in source.batches where !source.loadState.isLoaded { break }
    XCTAssertEqual(titles(source), ["a"], "shows what it had")
    do {
      try await source.refresh()
      XCTFail("no failure")
    } catch SourceError.unavailable {}
    try server.start()
    try server.execute("INSERT INTO songs VALUES (2, 'b')")
    for await _ in source.batches where source.count == 2 { break }
    XCTAssertTrue(source.loadState.isLoaded)
    // It listens again, too.
    try server.execute("INSERT INTO songs VALUES (3, 'c')")
    for await _ in source.batches where source.count == 3 { break }
  }

  func testFailuresSayWhatIsWrong() async throws {
    func failure(_ query: Query) async -> SourceError? {
      do { try await QuerySource(query).ready() } catch { return error as? SourceError }
      return nil
    }
    guard case .unavailable(_, let noTable)? = await failure(query("SELECT * FROM nothing")) else {
      return XCTFail("no table")
    }
    XCTAssertTrue(noTable.hasSuffix("(SQLSTATE 42P01)"), noTable)
    guard case .invalid(_, let two)? = await failure(query("SELECT 1 AS id; SELECT 2")) else { return XCTFail("two") }
    XCTAssertTrue(two.hasSuffix("(SQLSTATE 42601)"), two)
    let noColumn = await failure(query("SELECT title FROM songs"))
    XCTAssertEqual(noColumn, .invalid(source: "PostgreSQL", reason: "the answer has no column 'id'"))
    let elsewhere = Query("host=/nowhere password=secret", sql: "SELECT 1", named: "a", key: [])
    guard case .unavailable(_, let message)? = await failure(elsewhere) else { return XCTFail("connected") }
    XCTAssertFalse(message.contains("secret"))
    // A table that comes later.
    let source = QuerySource(query("SELECT * FROM later"))
    do { try await source.ready() } catch {}
    try server.execute("CREATE TABLE later (id int)")
    try await source.refresh()
    try server.execute("DROP TABLE later")
    XCTAssertTrue(source.loadState.isLoaded)
  }

  func testAQueryConforms() async throws {
    let server = try XCTUnwrap(server)
    let conformance = DataSourceConformance(
      makeSource: { QuerySource(self.query(), interval: .seconds(3_600)) },
      change: { _, numbers in try Self.change(server, &numbers) }, content: { "\($0.values)" },
      settle: { try await $0.refresh() }, rounds: 15)
    try await conformance.run()
    try await conformance.runRefreshing(
      changingBehind: { _, numbers in try Self.change(server, &numbers) },
      failing: { _, isFailing in
        try server.execute("ALTER TABLE \(isFailing ? "songs RENAME TO away" : "away RENAME TO songs")")
      })
    try await conformance.runRelaunching { _ in QuerySource(self.query()) }
    try server.execute("DELETE FROM songs; INSERT INTO songs VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    try await DataSourceConformance(
      makeSource: { QuerySource(self.query()) }, change: { _, _ in }, content: { "\($0.values)" }
    ).runRestoring { _ in QuerySource(self.query()) }
  }

  func testChangesAreToldRowByRow() async throws {
    let server = try XCTUnwrap(server)
    try await DataSourceConformance(
      makeSource: { QuerySource(self.query(), interval: .seconds(3_600)) },
      change: { _, numbers in try Self.change(server, &numbers) }, content: { "\($0.values)" },
      settle: { try await $0.refresh() }, rounds: 40
    ).runRowChanges()
  }

  func testPagesConform() async throws {
    let server = try XCTUnwrap(server)
    try server.execute("INSERT INTO songs SELECT n, n * 7 % 37 FROM generate_series(1, 37) AS n")
    try await DataSourceConformance(
      makeSource: { QuerySource(self.query(), pageSize: 5, interval: .seconds(3_600)) }, change: { _, _ in },
      content: { "\($0.values)" }
    ).runPaging()
    try await DataSourceConformance(
      makeSource: { QuerySource(self.query(), pageSize: 5, interval: .seconds(3_600)) }, change: { _, _ in },
      content: { "\($0.values)" }
    ).runPrefetching(failing: { _, isFailing in
      try server.execute("ALTER TABLE \(isFailing ? "songs RENAME TO away" : "away RENAME TO songs")")
    })
  }

  private static func change(_ server: TestServer, _ numbers: inout some RandomNumberGenerator) throws {
    let statements = (0..<Int.random(in: 1...3, using: &numbers)).map { _ in
      let id = Int.random(in: 0..<9, using: &numbers)
      let title = ["a", "b", "B", "é", ""].randomElement(using: &numbers) ?? ""
      return switch Int.random(in: 0..<4, using: &numbers) {
      case 0...1: "INSERT INTO songs VALUES (\(id), '\(title)') ON CONFLICT (id) DO UPDATE SET title = excluded.title"
      case 2: "UPDATE songs SET title = '\(title)' WHERE id > \(id)"
      default: "DELETE FROM songs WHERE id = \(id)"
      }
    }
    try server.execute(statements.joined(separator: ";"))
  }
}
