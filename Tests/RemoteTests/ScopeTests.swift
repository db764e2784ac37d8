import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseRemote
import RepriseTesting
import XCTest

/// Two lists of two servers over one model: an article belongs to that which its body names.
@MainActor
final class ScopeTests: XCTestCase {
  private var first: ArticleServer!
  private var second: ArticleServer!
  private var temporary: TemporaryStore!
  private var context: RootContext!
  private var sources: [ArticleSource] = []
  private var options = RemoteOptions()

  override func setUp() async throws {
    (first, second) = (ArticleServer(), ArticleServer())
    // No two rows have the same identifier.
    second.configure { $0.nextID = 101 }
    temporary = try await TemporaryStore(for: Device.schema)
    try open(temporary.store)
  }

  override func tearDown() async throws {
    sources = []
    (context, temporary, first, second) = (nil, nil, nil, nil)
  }

  private func open(_ store: Store) throws {
    context = RootContext(store, author: "ada")
    sources = [try source("first", first), try source("second", second)]
  }

  private func relaunch(_ policy: RemoteConflictPolicy = .ask) async throws {
    options.conflicts = policy
    try open(try await temporary.relaunch())
  }

  private func source(_ list: String, _ server: ArticleServer) throws -> ArticleSource {
    let mapping = RemoteMapping<Article, ArticleRecord>(
      key: { $0.remoteID }, id: { $0.id },
      apply: { record, article, _ in
        (article.title, article.body, article.version) = (record.title, list, record.version)
      },
      record: { ArticleRecord(id: $0.remoteID, title: $0.title, version: $0.version) })
    let scope = Fetch<Article> { $0.body == list }
    return try RemoteSource(
      list, scope.sorted { $0.title }, in: context, from: server, mapping: mapping, scope: scope, options: options)
  }

  @discardableResult
  private func insert(_ title: String, in list: String) async throws -> Article {
    let article = Article(title)
    article.body = list
    context.insert(article)
    try await context.save()
    return article
  }

  private func synchronize() async throws { for source in sources { try await source.synchronize() } }

  private func assertServers(_ titles: [String], _ others: [String], line: UInt = #line) throws {
    XCTAssertEqual(first.rows.map(\.title), titles, line: line)
    XCTAssertEqual(second.rows.map(\.title), others, line: line)
    XCTAssertEqual(sources.map { $0.rows.map(\.title) }, [titles.sorted(), others.sorted()], line: line)
    for source in sources {
      XCTAssertEqual(try source.pendingCount, 0, line: line)
      XCTAssertEqual(try source.conflicts(), [], line: line)
    }
  }

  func testAChangeIsSentToTheSourceInWhoseScopeItIsAndToNoOther() async throws {
    let article = try await insert("a", in: "first")
    try await insert("b", in: "second")
    try await synchronize()
    try assertServers(["a"], ["b"])
    article.title = "a2"
    try await context.save()
    try await synchronize()
    try assertServers(["a2"], ["b"])
    context.delete(article)
    try await context.save()
    try await synchronize()
    try assertServers([], ["b"])
    XCTAssertEqual(first.sent.map(\.kind), [.create, .update, .delete])
    XCTAssertEqual(second.sent.map(\.kind), [.create])
  }

  func testAnObjectIsNotLostBecauseTheServerOfAnotherListDoesNotKnowIt() async throws {
    try await relaunch(.theirs)
    let article = try await insert("a", in: "first")
    try await synchronize()
    article.title = "a2"
    try await context.save()
    for source in sources.reversed() { try await source.synchronize() }
    try assertServers(["a2"], [])
  }

  func testAnObjectThatMovesToAnotherListIsDeletedInOneAndMadeInTheOther() async throws {
    let article = try await insert("a", in: "first")
    try await synchronize()
    article.body = "second"
    article.title = "moved"
    try await context.save()
    try await relaunch()
    try await synchronize()
    try assertServers([], ["moved"])
    XCTAssertEqual(first.sent.map(\.id), [nil, "1"])
    XCTAssertEqual(second.sent.map(\.kind), [.create])
    XCTAssertEqual(try context.count(Fetch<Article>()), 1)
  }

  func testAnObjectThatMovesThereAndBackIsAChangeOfItsRow() async throws {
    let article = try await insert("a", in: "first")
    try await synchronize()
    for list in ["second", "first"] {
      article.body = list
      article.title += "."
      try await context.save()
    }
    try await synchronize()
    try assertServers(["a.."], [])
    XCTAssertEqual(first.done.map(\.kind), [.create, .update])
    XCTAssertEqual(second.sent.count, 0)
  }

  func testAnObjectThatIsInNoListIsSentToNobodyUntilItIsInOne() async throws {
    let article = try await insert("a", in: "")
    article.title = "b"
    try await context.save()
    try await synchronize()
    XCTAssertEqual(first.sent.count + second.sent.count, 0)
    article.body = "second"
    try await context.save()
    try await synchronize()
    try assertServers([], ["b"])
    article.body = ""
    try await context.save()
    try await synchronize()
    try assertServers([], [])
    XCTAssertEqual(try context.count(Fetch<Article>()), 1, "it left the list, and is kept")
  }

  func testAnObjectThatMovesWhileItIsMadeIsDeletedWhereItWasMade() async throws {
    let article = try await insert("a", in: "first")
    first.configure { $0.fault = { $0 == 1 ? (ArticleServer.Killed(), .after) : nil } }
    do {
      try await sources[0].send()
      XCTFail("it was killed")
    } catch is ArticleServer.Killed {}
    article.body = "second"
    try await context.save()
    try await sources[1].send()
    try await relaunch()
    try await synchronize()
    try assertServers([], ["a"])
    XCTAssertEqual(first.done.map(\.kind), [.create, .delete])
    XCTAssertEqual(try context.fetch(Fetch<Article>()).map(\.remoteID), ["101"], "the other server named it")
  }

  func testARowThatMovedToAnotherListIsNotTakenAwayWithItsFormerRow() async throws {
    first.configure { $0.tellsChanges = true }
    let id = first.insert("a")
    try await synchronize()
    let article = try XCTUnwrap(context.fetch(Fetch<Article>()).first)
    // The servers move it.
    first.delete(id)
    second.configure { state in
      state.rows.append(ArticleRecord(id: id, title: "moved", version: 1))
      state.touch(id)
    }
    for source in sources.reversed() { try await source.synchronize() }
    try assertServers([], ["moved"])
    XCTAssertIdentical(try context.fetch(Fetch<Article>()).first, article)
  }

  func testADeletionThatWaitsIsNotUndoneByARefreshAfterTheObjectLeft() async throws {
    let article = try await insert("a", in: "first")
    try await synchronize()
    article.body = "second"
    try await context.save()
    first.configure { $0.hasValidator = false }
    try await sources[0].refresh()
    XCTAssertEqual(article.body, "second")
    try await synchronize()
    try assertServers([], ["a"])
  }

  func testAChangeOfARowThatMovedMeanwhileIsNotSentToItsFormerList() async throws {
    let id = first.insert("a")
    try await synchronize()
    let article = try XCTUnwrap(context.fetch(Fetch<Article>()).first)
    article.title = "mine"
    try await context.save()
    first.delete(id)
    second.configure { state in
      state.rows.append(ArticleRecord(id: id, title: "moved", version: 1))
      state.touch(id)
    }
    try await sources[1].refresh()
    try await synchronize()
    try assertServers([], ["moved"])
    XCTAssertEqual(first.sent.count, 0)
  }
}
