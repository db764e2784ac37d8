import Foundation
import RepriseCore
import RepriseHTTP
import RepriseRemote
import RepriseTesting
import XCTest

/// The suites for transports and for data sources, held against JSON over HTTP.
@MainActor
final class JSONConformanceTests: XCTestCase {
  private typealias Change = @Sendable (inout NewsServer.State) -> Void

  private func transports(_ news: NewsServer) throws -> RemoteTransportConformance<JSONTransport<NewsServer.Row>> {
    let server = try news.listen()
    return RemoteTransportConformance(
      makeTransport: {
        var transport = NewsTestCase.transport(server)
        if news.state.withLock({ $0.tagsPages }) {
          transport.keys.records = "items"
          transport.keys.next = "meta.next_cursor"
          transport.updates = .patch(keyOf: { $0 })
        }
        return transport
      },
      id: { $0.id },
      make: { numbers in .init(id: nil, title: "\(UInt32.random(in: 0 ... .max, using: &numbers))", version: 0) },
      change: { row, numbers in
        row.title = "\(UInt32.random(in: 0 ... .max, using: &numbers))"
        return ["title"]
      },
      content: { $0.title })
  }

  func testTheTransportConforms() async throws {
    let configurations: [Change] = [
      { _ in }, { $0.pageSize = 3 },
      { state in
        state.pageSize = 3
        state.tagsPages = true
      },
      { state in
        state.pageSize = 3
        state.tagsBodies = true
      },
      { state in
        state.pageSize = 3
        state.tellsChanges = true
      },
    ]
    for configure in configurations {
      let news = NewsServer()
      news.configure(configure)
      let conformance = try transports(news)
      try await conformance.run()
      try await conformance.runUnavailable { isFailing in news.configure { $0.isDown = isFailing } }
    }
  }

  // MARK: Sources

  private nonisolated(unsafe) var made: [Made] = []

  /// Not of the main actor: the suite's closures are of any isolation.
  private final class Made {
    weak var source: NewsSource?
    let news = NewsServer()
    let server: LoopbackServer
    let temporary: TemporaryStore

    init() throws {
      server = try news.listen()
      temporary = try .makeNow(for: Schema([Article.self] + RemoteModels.all))
    }

    func source(_ store: Store) throws -> NewsSource {
      var options = RemoteOptions()
      options.clock = VirtualClock()
      return try NewsSource(
        "news", Fetch<Article>().sorted { $0.title }, in: RootContext(store), from: NewsTestCase.transport(server),
        mapping: Article.mapping, options: options)
    }
  }

  override func tearDown() async throws { made = [] }

  private nonisolated func makeSource(pageSize: Int) throws -> NewsSource {
    let made = try Made()
    made.news.configure { state in
      state.pageSize = pageSize
      for number in 0..<8 { state.rows.append(.init(id: "\(number)", title: "\(number)", version: 1)) }
      state.nextID = 8
    }
    let source = try made.source(made.temporary.store)
    made.source = source
    self.made.append(made)
    return source
  }

  private nonisolated func made(_ source: NewsSource) throws -> Made {
    try XCTUnwrap(made.first { $0.source === source })
  }

  private nonisolated func fail(_ source: NewsSource, _ isFailing: Bool) throws {
    try made(source).news.configure { $0.isDown = isFailing }
  }

  private func conformance(pageSize: Int = .max) -> DataSourceConformance<NewsSource> {
    DataSourceConformance(
      makeSource: { try self.makeSource(pageSize: pageSize) },
      change: { source, numbers in
        guard let context = source.list.context as? EditingContext else { return }
        let title = "\(Int.random(in: 0..<20, using: &numbers))"
        switch Int.random(in: 0..<4, using: &numbers) {
        case 0: if let article = source.rows.randomElement(using: &numbers) { context.delete(article) }
        case 1: source.rows.randomElement(using: &numbers)?.title = title
        default: context.insert(Article(title))
        }
      },
      content: { "\($0.row)" }, settle: { await $0.list.delivered() }, rounds: 15)
  }

  func testTheSourceConforms() async throws { try await conformance().run() }

  func testTheSourceRefreshesAsPromised() async throws {
    try await conformance().runRefreshing(
      changingBehind: { source, numbers in
        let number = Int.random(in: 0..<1_000, using: &numbers)
        let choice = Int.random(in: 0..<4, using: &numbers)
        try self.made(source).news.configure { state in
          let index = number % max(1, state.rows.count)
          switch choice {
          case 0 where !state.rows.isEmpty: state.rows.remove(at: index)
          case 1 where !state.rows.isEmpty: state.rows[index].body = "\(number)"
          default:
            state.rows.append(.init(id: "\(state.nextID)", title: "\(number)", version: 1))
            state.nextID += 1
          }
        }
      }, failing: { try self.fail($0, $1) })
  }

  func testWhatTheServerChangesIsToldRowByRow() async throws {
    try await DataSourceConformance(
      makeSource: { try self.makeSource(pageSize: 3) },
      change: { source, numbers in
        let (number, choice) = (Int.random(in: 0..<1_000, using: &numbers), Int.random(in: 0..<4, using: &numbers))
        try self.made(source).news.configure { state in
          let index = number % max(1, state.rows.count)
          switch choice {
          case 0 where !state.rows.isEmpty: state.rows.remove(at: index)
          // The order is that of the titles.
          case 1 where !state.rows.isEmpty:
            state.rows[index].title = "\(number)"
            state.rows[index].version += 1
          default:
            state.rows.append(.init(id: "\(state.nextID)", title: "\(number)", version: 1))
            state.nextID += 1
          }
        }
      },
      content: { "\($0.row)" },
      settle: { source in
        try await source.refresh()
        while source.canLoadMore { try await source.loadMore() }
        await source.list.delivered()
      }, rounds: 60
    ).runRowChanges()
  }

  func testTheSourceLoadsPagesAsPromised() async throws {
    try await conformance(pageSize: 3)
      .runPaging(failing: { try self.fail($0, $1) })
    try await DataSourceConformance(
      makeSource: { try self.makeSource(pageSize: 3) }, change: { _, _ in }, content: { "\($0.row)" },
      settle: { try await $0.refresh() }
    ).runPrefetching(failing: { try self.fail($0, $1) })
  }

  func testRowsOfTheSourceKeepTheirIdentifiers() async throws {
    try await conformance().runRelaunching { source in
      let made = try self.made(source)
      try await source.refresh()
      try await (source.list.context as? RootContext)?.save()
      return try made.source(try await made.temporary.relaunch())
    }
  }

  func testAScreenWithTheSourceComesBackWithItsRowOffline() async throws {
    let conformance = DataSourceConformance(
      makeSource: { try self.makeSource(pageSize: .max) }, change: { _, _ in }, content: { "\($0.row)" },
      settle: { try await $0.refresh() })
    try await conformance.runRestoring { source in
      let made = try self.made(source)
      made.news.configure { $0.isDown = true }
      let next = try made.source(try await made.temporary.relaunch())
      XCTAssertTrue(next.loadState.isLoaded, "what is kept is there at once")
      return next
    }
  }
}
