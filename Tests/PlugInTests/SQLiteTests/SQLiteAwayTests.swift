import Foundation
import GRDB
import RepriseCore
import RepriseRemote
import RepriseSQLite
import RepriseTesting
import Songs
import XCTest

/// Launches in which the database is away.
@MainActor final class SQLiteAwayTests: XCTestCase {
  private var folder = ""
  private var path: String { folder + "/other.db" }

  override func setUp() async throws {
    folder = NSTemporaryDirectory() + "/reprise-away-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  override func tearDown() async throws { try? FileManager.default.removeItem(atPath: folder) }

  /// The other program, without a write-ahead log, so that it can lock readers out.
  private func writer() throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.write { database in
      try database.execute(
        sql: """
          CREATE TABLE songs (id INTEGER PRIMARY KEY, title TEXT);
          INSERT INTO songs VALUES (1, 'a'), (2, 'b'), (3, 'c')
          """)
    }
    return queue
  }

  private func query() -> SQLiteQuery<SQLiteRow> { SQLiteQuery(path, table: "songs", sortedBy: [.ascending("title")]) }

  private func expectBack(_ away: @escaping @MainActor (Bool) throws -> Void) async throws {
    try await DataSourceConformance(
      makeSource: { QuerySource(self.query(), interval: .seconds(3_600)) }, change: { _, _ in },
      content: { "\($0.values)" }, settle: { try await $0.ready() }
    ).runRestoringAway(away) { _ in QuerySource(self.query(), interval: .seconds(3_600)) }
  }

  func testAScreenWhoseFileIsMissingIsThereWithTheReasonAndItsRowComesBack() async throws {
    _ = try writer()
    try await expectBack { isAway in
      let (from, to) = isAway ? (self.path, self.path + ".away") : (self.path + ".away", self.path)
      try FileManager.default.moveItem(atPath: from, toPath: to)
    }
  }

  func testAScreenWhoseFileIsLockedIsThereWithTheReasonAndItsRowComesBack() async throws {
    let writer = try writer()
    try await expectBack { isAway in
      try writer.writeWithoutTransaction { try $0.execute(sql: isAway ? "BEGIN EXCLUSIVE" : "COMMIT") }
    }
  }

  // MARK: Rows that are kept

  private func songs(_ store: Store) throws -> RemoteSource<Song, QueryTransport<SQLiteQuery<SQLiteRow>, SongRecord>> {
    let transport = QueryTransport(query()) { row, id in
      SongRecord(id: id.rawValue, title: row["title", as: String.self] ?? "")
    }
    return try RemoteSource(
      "songs", Fetch<Song>().sorted { $0.title }, in: store.mainContext, from: transport, mapping: SongRecord.mapping)
  }

  func testRowsThatAreKeptAreThereAtOnceWithoutTheFileAndFollowItLater() async throws {
    typealias Screen = SongScreen<RemoteSource<Song, QueryTransport<SQLiteQuery<SQLiteRow>, SongRecord>>>
    let writer = try writer()
    let temporary = try await TemporaryStore(for: Schema([Song.self] + RemoteModels.all))
    let source = try songs(temporary.store)
    try await source.refresh()
    let first = try await Screen.launch(temporary.store, source)
    _ = try first.open(Screen.kind, id: "songs", state: .init(source.modelIdentifier(at: RowPath(item: 1))))
    try await first.flush()

    rename(path, path + ".away")
    let store = try await temporary.relaunch()
    let run = try await Screen.launch(store, try songs(store))
    let screen = try XCTUnwrap(try run.screen(Screen.kind, at: NodePath(["songs"])))
    XCTAssertTrue(screen.source.loadState.isLoaded)
    XCTAssertEqual(screen.source.rows.map(\.title), ["a", "b", "c"])
    XCTAssertEqual(screen.selected?.title, "b")

    rename(path + ".away", path)
    try await writer.write {
      try $0.execute(sql: "UPDATE songs SET title = 'B' WHERE id = 2; DELETE FROM songs WHERE id = 1")
    }
    try await screen.source.refresh()
    await screen.source.list.delivered()
    XCTAssertEqual(screen.source.rows.map(\.title), ["B", "c"])
    XCTAssertEqual(screen.selected?.title, "B", "the row is the same")
    let head = store.log.head
    try await screen.source.refresh()
    XCTAssertEqual(store.log.head, head, "nothing changed")
  }
}
