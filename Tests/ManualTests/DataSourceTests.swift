#if Macros
import Foundation
import Reprise
import RepriseRemote
import RepriseTesting
import XCTest

/// The programs of the article "Data sources of your own".
@MainActor final class DataSourceTests: XCTestCase {
  func testASourceOfOnesOwnKeepsItsPromises() async throws {
    let site = NewsSite()

    let conformance = DataSourceConformance(
      makeSource: { MainActor.assumeIsolated { Headlines(site) } },
      change: { source, numbers in site.publish(&numbers) },
      settle: { try await $0.refresh() }
    )
    try await conformance.run()
    try await conformance.runRefreshing(changingBehind: { _, numbers in site.publish(&numbers) })
    try await conformance.runPaging()
    try await conformance.runRestoring { _ in
      let next = Headlines(site)
      try await next.refresh()
      return next
    }
  }

  func testATransportOfOnesOwnKeepsItsPromises() async throws {
    let site = ArticleSite()

    let conformance = RemoteTransportConformance(
      makeTransport: { ArticleTransport(site: site) }, id: { $0.id },
      make: { numbers in ArticleRecord(title: "\(numbers.next())", version: 0) },
      change: { article, numbers in
        article.title = "\(numbers.next())"
        return ["title"]
      },
      content: { $0.title }
    )
    try await conformance.run()
    try await conformance.runUnavailable { isFailing in await site.setReachable(!isFailing) }
  }

  func testTheRowsOfAServerAreObjects() async throws {
    let site = ArticleSite()
    _ = try await site.carryOut(.create, nil, ArticleRecord(title: "theirs", version: 0), once: UniqueID())
    let transport = ArticleTransport(site: site)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("reprise-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let former = FileManager.default.currentDirectoryPath
    XCTAssertTrue(FileManager.default.changeCurrentDirectoryPath(folder.path))
    defer {
      XCTAssertTrue(FileManager.default.changeCurrentDirectoryPath(former))
      try? FileManager.default.removeItem(at: folder)
    }

    let store = try await Store.open("news.reprise", for: Schema([Article.self] + RemoteModels.all))
    let mapping = RemoteMapping<Article, ArticleRecord>(
      key: { $0.remoteID }, id: { $0.id },
      apply: { record, article, _ in
        article.title = record.title
        article.version = record.version
      },
      record: { ArticleRecord(id: $0.remoteID, title: $0.title, version: $0.version) })
    let articles = try RemoteSource(
      "articles", Fetch<Article>().sorted { $0.title }, in: store.mainContext, from: transport, mapping: mapping)
    try await articles.synchronize()
    for conflict in try articles.conflicts() { try await articles.resolve(conflict, .mine) }

    XCTAssertEqual(articles.rows.map(\.title), ["theirs"])
    store.mainContext.insert(Article(title: "mine"))
    try await store.mainContext.save()
    try await articles.synchronize()
    let titles = try await site.articles(from: nil).articles.map(\.title)
    XCTAssertEqual(titles, ["theirs", "mine"])
    try await store.close()
  }
}

// MARK: A database

/// The titles in a database of another program.
struct TitleQuery: FollowedQuery {
  let titles: @Sendable () throws -> [String]
  let identifierPrefix = "title:"

  struct Connection: QueryConnection {
    let titles: @Sendable () throws -> [String]
    func mayHaveChanged() -> Bool { true }
    func answer(limit: Int) throws -> QueryAnswer<String> {
      let titles = try titles()
      return QueryAnswer(titles, identifiers: titles.map { ModelIdentifier("title:\($0)") }, hasMore: false)
    }
  }

  func connect() -> Connection { Connection(titles: titles) }
}

extension DataSourceTests {
  func testTheRowsOfADatabaseAreKept() async throws {
    let temporary = try await TemporaryStore(for: Schema([Article.self] + RemoteModels.all))
    let store = temporary.store
    let mapping = RemoteMapping<Article, ArticleRecord>(
      key: { $0.remoteID }, id: { $0.id }, apply: { record, article, _ in article.title = record.title },
      record: { ArticleRecord(id: $0.remoteID, title: $0.title, version: $0.version) })
    let query = TitleQuery { ["a", "b"] }

    let transport = QueryTransport(query) { row, id in
      ArticleRecord(id: id.rawValue, title: row, version: 0)
    }
    let articles = try RemoteSource(
      "rows", Fetch<Article>().sorted { $0.title }, in: store.mainContext, from: transport, mapping: mapping)
    try await articles.refresh()

    XCTAssertEqual(articles.rows.map(\.title), ["a", "b"])
    let kept = try RemoteSource(
      "rows", Fetch<Article>().sorted { $0.title }, in: RootContext(store),
      from: QueryTransport(TitleQuery { throw CocoaError(.fileNoSuchFile) }) { row, id in
        ArticleRecord(id: id.rawValue, title: row, version: 0)
      }, mapping: mapping)
    XCTAssertEqual(kept.rows.map(\.title), ["a", "b"])
  }
}

// MARK: A news site

struct Headline: Equatable, Sendable {
  let id: Int
  var title = ""
}

@MainActor final class NewsSite {
  private var shown = (0..<50).map { Headline(id: $0) }
  private var nextID = 50

  func headlines(from start: Int, count: Int) async throws -> [Headline] {
    await Task.yield()
    try Task.checkCancellation()
    return Array(shown.dropFirst(start).prefix(count))
  }

  func publish(_ numbers: inout SeededGenerator) {
    let index = Int.random(in: 0..<10, using: &numbers)
    switch Int.random(in: 0..<3, using: &numbers) {
    case 0: shown.insert(Headline(id: nextID), at: 0)
    case 1: shown[index].title = "\(numbers.next())"
    default: shown.swapAt(index, index + 1)
    }
    nextID += 1
  }
}

/// The headlines of a news site, twenty at a time.
@MainActor final class Headlines: @MainActor RefreshableSource, @MainActor PagedSource {
  private let site: NewsSite
  private let shown = ArraySource<Headline>(identifiedBy: { ModelIdentifier("headline:\($0.id)") })
  private let refreshing = SingleFlight()
  private let loading = SingleFlight()
  private(set) var canLoadMore = true

  init(_ site: NewsSite) {
    self.site = site
    shown.loadState = .loading
  }

  @MainActor func refresh() async throws {
    try await refreshing.run { try await self.read(from: 0) }
  }

  @MainActor func loadMore() async throws {
    try await loading.run { try await self.readOn() }
  }

  private func readOn() async throws { if canLoadMore { try await read(from: shown.count) } }

  private func read(from start: Int) async throws {
    do {
      let page = try await site.headlines(from: start, count: 20)
      canLoadMore = page.count == 20
      shown.setElements(Array(shown.rows.prefix(start)) + page)
      shown.loadState = .loaded
    } catch {
      if !shown.loadState.isLoaded { shown.loadState = .failed(error) }
      throw error
    }
  }

  var loadState: LoadState { shown.loadState }
  func rowCount(inSection section: Int) -> Int { shown.rowCount(inSection: section) }
  func element(at path: RowPath) -> Headline { shown.element(at: path) }
  func modelIdentifier(at path: RowPath) -> ModelIdentifier? { shown.modelIdentifier(at: path) }
  func row(for identifier: ModelIdentifier) -> RowLookup {
    let found = shown.row(for: identifier)
    return found == .deleted && canLoadMore ? .notLoaded : found
  }
  func observe(_ body: @escaping (ListBatch) -> Void) -> ListObservation { shown.observe(body) }
}

// MARK: A server of articles

@Model final class Article {
  @Attribute(.unique) var remoteID: String?
  var title: String
  var version: Int = 0
  init(title: String) { self.title = title }
}

struct ArticleRecord: Codable, Sendable {
  var id: String?
  var title: String
  var version: Int
}

/// A server with three articles a page.
actor ArticleSite {
  struct Unreachable: Error {}

  enum Reply {
    case done(ArticleRecord?)
    case outdated(ArticleRecord)
    case missing
    case invalid(String)
  }

  private var rows: [ArticleRecord] = []
  private var replies: [UniqueID: Reply] = [:]
  private var nextID = 1
  private var isReachable = true

  func setReachable(_ isReachable: Bool) { self.isReachable = isReachable }

  func articles(from page: String?) throws -> (articles: [ArticleRecord], next: String?) {
    if !isReachable { throw Unreachable() }
    let start = page.flatMap { Int($0) } ?? 0
    return (Array(rows.dropFirst(start).prefix(3)), rows.count > start + 3 ? "\(start + 3)" : nil)
  }

  func carryOut(
    _ kind: RemoteChange<ArticleRecord>.Kind, _ id: String?, _ article: ArticleRecord?, once key: UniqueID
  ) throws -> Reply {
    if !isReachable { throw Unreachable() }
    if let reply = replies[key] { return reply }
    let reply = carryOut(kind, id, article)
    replies[key] = reply
    return reply
  }

  private func carryOut(
    _ kind: RemoteChange<ArticleRecord>.Kind, _ id: String?, _ article: ArticleRecord?
  ) -> Reply {
    let index = rows.firstIndex { $0.id == id }
    if kind == .delete {
      guard let index else { return .missing }
      rows.remove(at: index)
      return .done(nil)
    }
    guard var article, !article.title.isEmpty else { return .invalid("an article has a title") }
    if kind == .create {
      article.id = "\(nextID)"
      article.version = 1
      nextID += 1
      rows.append(article)
      return .done(article)
    }
    guard let index else { return .missing }
    if rows[index].version != article.version { return .outdated(rows[index]) }
    article.version += 1
    rows[index] = article
    return .done(article)
  }
}

/// Speaks with a server of articles.
struct ArticleTransport: RemoteTransport {
  let site: ArticleSite

  func read(_ request: RemoteRequest) async throws -> RemoteReading<ArticleRecord> {
    try await reaching {
      let (articles, next) = try await site.articles(from: request.page)
      return .page(RemotePage(records: articles, nextPage: next))
    }
  }

  func send(_ change: RemoteChange<ArticleRecord>) async throws -> RemoteAnswer<ArticleRecord> {
    try await reaching {
      switch try await site.carryOut(change.kind, change.id, change.record, once: change.idempotencyKey) {
      case .done(let article): .accepted(article)
      case .outdated(let article): .changed(article)
      case .missing: change.kind == .delete ? .accepted(nil) : .gone
      case .invalid(let reason): .refused(reason: reason)
      }
    }
  }

  /// What is tried again.
  private func reaching<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
    do { return try await body() } catch is ArticleSite.Unreachable {
      throw RemoteError.unavailable(reason: "the site does not answer", retryAfter: nil)
    }
  }
}
#endif
