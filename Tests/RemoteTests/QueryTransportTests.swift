import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseRemote
import RepriseSystem
import RepriseTesting
import XCTest

/// The rows of a query, kept as objects.
@MainActor final class QueryTransportTests: XCTestCase {
  /// Somebody else's rows.
  private final class Table: Sendable {
    private let state = Guarded<[(id: Int, title: String)]?>([(1, "a"), (2, "b"), (3, "c")])
    var rows: [(id: Int, title: String)]? {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
  }

  private struct Away: Error, CustomStringConvertible { let description = "the table is away" }

  private struct TableQuery: FollowedQuery {
    let table: Table
    let identifierPrefix = "table#"

    struct Connection: QueryConnection {
      let table: Table
      func mayHaveChanged() -> Bool { true }
      func answer(limit: Int) throws -> QueryAnswer<String> {
        guard let rows = table.rows else { throw Away() }
        return QueryAnswer(
          rows.prefix(limit).map(\.title), identifiers: rows.prefix(limit).map { ModelIdentifier("table#\($0.id)") },
          hasMore: rows.count > limit)
      }
    }

    func connect() -> Connection { Connection(table: table) }
  }

  private typealias Source = RemoteSource<Article, QueryTransport<TableQuery, ArticleRecord>>

  private func source(_ table: Table, _ store: Store) throws -> Source {
    var options = RemoteOptions()
    options.retry.attempts = 1
    return try Source(
      "articles", Fetch<Article>().sorted { $0.title }, in: store.mainContext,
      from: QueryTransport(TableQuery(table: table)) { ArticleRecord(id: $1.rawValue, title: $0) },
      mapping: ArticleRecord.mapping, options: options)
  }

  func testRowsOfAQueryAreThereAtOnceInTheNextLaunchAndWithoutIt() async throws {
    let table = Table()
    let temporary = try await TemporaryStore(for: Schema([Article.self] + RemoteModels.all))
    try await source(table, temporary.store).refresh()
    table.rows = nil
    let store = try await temporary.relaunch()
    let kept = try source(table, store)
    XCTAssertTrue(kept.loadState.isLoaded)
    XCTAssertEqual(kept.rows.map(\.title), ["a", "b", "c"])
    let second = kept.modelIdentifier(at: RowPath(item: 1))
    do {
      try await kept.refresh()
      XCTFail("it is away")
    } catch RemoteError.unavailable(let reason, _, nil) { XCTAssertEqual(reason, "the table is away") }
    XCTAssertEqual(kept.count, 3)

    table.rows = [(2, "z"), (3, "c"), (4, "d")]
    try await kept.refresh()
    await kept.list.delivered()
    XCTAssertEqual(kept.rows.map(\.title), ["c", "d", "z"])
    XCTAssertEqual(kept.row(for: try XCTUnwrap(second)), .row(RowPath(item: 2)), "the row is the same object")
    let head = store.log.head
    try await kept.refresh()
    XCTAssertEqual(store.log.head, head, "what did not change is not written")
  }

  /// A query of a file that its source cannot read.
  private struct LockedQuery: FollowedQuery {
    let identifierPrefix = "locked#"
    func connect() throws -> TableQuery.Connection {
      throw SourceError.denied(source: "/songs.db", reason: "another program has locked the database")
    }
  }

  func testAFailedQueryNamesItsSource() async throws {
    let transport = QueryTransport(LockedQuery()) { ArticleRecord(id: $1.rawValue, title: $0) }
    do {
      _ = try await transport.read(RemoteRequest())
      XCTFail("it is locked")
    } catch {
      XCTAssertEqual(
        "\(error)",
        "The source '/songs.db' is not available: another program has locked the database. Try again later, or remove "
          + "this cause.")
    }
  }

  func testAChangeOfARowThatAnotherProgramWritesIsRefusedAndCanBeTakenBack() async throws {
    let table = Table()
    let temporary = try await TemporaryStore(for: Schema([Article.self] + RemoteModels.all))
    let articles = try source(table, temporary.store)
    try await articles.refresh()
    articles.element(at: RowPath(item: 0)).title = "mine"
    try await temporary.store.mainContext.save()
    try await articles.send()
    let conflict = try XCTUnwrap(try articles.conflicts().first)
    XCTAssertEqual(conflict.reason, "the rows of a query are read-only, because another program writes them")
    try await articles.resolve(conflict, .theirs)
    await articles.list.delivered()
    XCTAssertEqual(articles.rows.map(\.title), ["a", "b", "c"])
  }
}
