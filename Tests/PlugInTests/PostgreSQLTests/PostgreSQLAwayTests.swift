import Foundation
import RepriseCore
import ReprisePostgreSQL
import RepriseRemote
import RepriseTesting
import Songs
import XCTest

/// Launches in which the server is down.
@MainActor final class PostgreSQLAwayTests: XCTestCase {
  nonisolated(unsafe) private static var server: TestServer?
  private var server: TestServer! { Self.server }

  override func setUp() async throws {
    if Self.server == nil { Self.server = try TestServer() }
    try server.execute(
      """
      SET client_min_messages = error;
      DROP TABLE IF EXISTS songs;
      CREATE TABLE songs (id int PRIMARY KEY, title text);
      INSERT INTO songs VALUES (1, 'a'), (2, 'b'), (3, 'c');
      """)
  }

  override class func tearDown() { server = nil }

  private typealias Query = PostgreSQLQuery<PostgreSQLRow>

  private func query() -> Query {
    Query(server.connection, sql: "SELECT id, title FROM songs ORDER BY title, id", named: "songs", key: ["id"])
  }

  func testAScreenWhoseServerIsDownIsThereWithTheReasonAndItsRowComesBack() async throws {
    let server = try XCTUnwrap(server)
    try await DataSourceConformance(
      makeSource: { QuerySource(self.query(), interval: .seconds(3_600)) }, change: { _, _ in },
      content: { "\($0.values)" }, settle: { try await $0.ready() }
    ).runRestoringAway { isAway in
      if isAway { server.stop() } else { try server.start() }
    } _: { _ in
      QuerySource(self.query(), interval: .seconds(3_600))
    }
  }

  // MARK: Rows that are kept

  private typealias Source = RemoteSource<Song, QueryTransport<Query, SongRecord>>

  private func songs(_ store: Store) throws -> Source {
    let transport = QueryTransport(query()) { row, id in SongRecord(id: id.rawValue, title: row["title"] ?? "") }
    return try RemoteSource(
      "songs", Fetch<Song>().sorted { $0.title }, in: store.mainContext, from: transport, mapping: SongRecord.mapping)
  }

  func testRowsThatAreKeptAreThereAtOnceWithoutTheServerAndFollowItLater() async throws {
    typealias Screen = SongScreen<Source>
    let temporary = try await TemporaryStore(for: Schema([Song.self] + RemoteModels.all))
    let source = try songs(temporary.store)
    try await source.refresh()
    let first = try await Screen.launch(temporary.store, source)
    _ = try first.open(Screen.kind, id: "songs", state: .init(source.modelIdentifier(at: RowPath(item: 1))))
    try await first.flush()

    server.stop()
    let store = try await temporary.relaunch()
    let run = try await Screen.launch(store, try songs(store))
    let screen = try XCTUnwrap(try run.screen(Screen.kind, at: NodePath(["songs"])))
    XCTAssertEqual(screen.source.rows.map(\.title), ["a", "b", "c"])
    XCTAssertEqual(screen.selected?.title, "b")

    try server.start()
    try server.execute("UPDATE songs SET title = 'B' WHERE id = 2; DELETE FROM songs WHERE id = 1")
    try await screen.source.refresh()
    await screen.source.list.delivered()
    XCTAssertEqual(screen.source.rows.map(\.title), ["B", "c"])
    XCTAssertEqual(screen.selected?.title, "B", "the row is the same")
  }
}
