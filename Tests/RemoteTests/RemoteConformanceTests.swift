import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseRemote
import RepriseTestSeeds
import RepriseTesting
import XCTest

/// The suite for data sources, held against a remote one, of the main actor.
@MainActor
final class RemoteConformanceTests: XCTestCase {
  private nonisolated(unsafe) var made: [Made] = []

  /// Not of the main actor: the suite's closures are of any isolation.
  private final class Made {
    weak var source: ArticleSource?
    let server = ArticleServer()
    let path = NSTemporaryDirectory() + "reprise-remote-\(UUID().uuidString)"
    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  override func tearDown() async throws { made = [] }

  /// A source with a server and a store of its own.
  private nonisolated func makeSource(pageSize: Int) throws -> ArticleSource {
    let made = Made()
    for number in 0..<10 { made.server.insert("\(number)") }
    made.server.configure { $0.pageSize = pageSize }
    var options = StoreOptions()
    options.isUnflushed = true
    let source = try source(Store.openNow(made.path, for: Device.schema, options), made.server)
    made.source = source
    self.made.append(made)
    return source
  }

  private nonisolated func source(_ store: Store, _ server: ArticleServer) throws -> ArticleSource {
    try ArticleSource(
      "articles", Fetch<Article>().sorted { $0.title }, in: RootContext(store), from: server,
      mapping: ArticleRecord.mapping)
  }

  private nonisolated func server(_ source: ArticleSource) -> ArticleServer {
    made.first { $0.source === source }?.server ?? ArticleServer()
  }

  private func conformance(pageSize: Int = .max) -> DataSourceConformance<ArticleSource> {
    DataSourceConformance(
      makeSource: { try self.makeSource(pageSize: pageSize) },
      change: { source, numbers in Self.change(source, &numbers) },
      content: { "\($0.record)" }, settle: { await $0.list.delivered() }, seed: testSeed(), rounds: 30)
  }

  private nonisolated static func change(_ source: ArticleSource, _ numbers: inout some RandomNumberGenerator) {
    guard let context = source.list.context as? EditingContext else { return }
    let article = source.rows.randomElement(using: &numbers)
    let title = "\(Int.random(in: 0..<20, using: &numbers))"
    switch Int.random(in: 0..<4, using: &numbers) {
    case 0: if let article { context.delete(article) }
    case 1: article?.title = title
    default: context.insert(Article(title))
    }
  }

  private nonisolated func changeBehind(_ source: ArticleSource, _ numbers: inout some RandomNumberGenerator) {
    let server = server(source)
    let choice = Int.random(in: 0..<4, using: &numbers)
    guard choice > 1, let row = server.rows.randomElement(using: &numbers), let id = row.id else {
      server.insert("\(Int.random(in: 0..<20, using: &numbers))")
      return
    }
    if choice == 2 { server.delete(id) } else { server.update(id) { $0.body += "." } }
  }

  private nonisolated func fail(_ source: ArticleSource, _ isFailing: Bool) {
    let fault: @Sendable (Int) -> (any Error, ArticleServer.Fault)? = { _ in
      (RemoteError.denied(reason: "not now"), .before)
    }
    server(source).configure { state in state.fault = isFailing ? fault : nil }
  }

  func testARemoteSourceConforms() async throws { try await conformance().run() }

  func testARemoteSourceRefreshesAsPromised() async throws {
    try await conformance().runRefreshing(
      changingBehind: { source, numbers in self.changeBehind(source, &numbers) }, failing: { self.fail($0, $1) })
  }

  func testWhatTheServerChangesIsToldRowByRow() async throws {
    try await DataSourceConformance(
      makeSource: { try self.makeSource(pageSize: .max) },
      change: { source, numbers in
        self.changeBehind(source, &numbers)
        let server = self.server(source)
        guard Bool.random(using: &numbers), let id = server.rows.randomElement(using: &numbers)?.id else { return }
        let title = "\(Int.random(in: 0..<20, using: &numbers))"
        server.update(id) { $0.title = title }
      },
      content: { "\($0.record)" },
      settle: { source in
        try await source.refresh()
        await source.list.delivered()
      }, seed: testSeed(), rounds: 60
    ).runRowChanges()
  }

  func testARemoteSourceLoadsPagesAsPromised() async throws {
    try await conformance(pageSize: 3).runPaging(failing: { self.fail($0, $1) })
    try await DataSourceConformance(
      makeSource: { try self.makeSource(pageSize: 3) }, change: { _, _ in }, content: { "\($0.record)" },
      settle: { try await $0.refresh() }, seed: testSeed()
    ).runPrefetching(failing: { self.fail($0, $1) })
  }

  func testRowsOfARemoteSourceKeepTheirIdentifiers() async throws {
    try await conformance().runRelaunching { source in
      guard let context = source.list.context as? RootContext else { return source }
      try await source.refresh()
      try await context.save()
      return try self.source(context.store, self.server(source))
    }
  }

  func testAScreenWithARemoteSourceComesBackWithItsRowOffline() async throws {
    try await DataSourceConformance(
      makeSource: { try self.makeSource(pageSize: .max) }, change: { _, _ in }, content: { "\($0.record)" },
      settle: { try await $0.refresh() }, seed: testSeed()
    ).runRestoring { source in
      self.fail(source, true)
      let next = try self.source(source.list.context.store, self.server(source))
      XCTAssertTrue(next.loadState.isLoaded, "what is kept is there at once")
      return next
    }
  }
}
