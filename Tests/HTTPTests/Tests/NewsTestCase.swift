import Foundation
import RepriseCore
import RepriseHTTP
import RepriseRemote
import RepriseTesting
import XCTest

typealias NewsSource = RemoteSource<Article, JSONTransport<NewsServer.Row>>

/// A test with a server on the loopback address, and a store of one launch after the other.
@MainActor
class NewsTestCase: XCTestCase {
  private(set) var news = NewsServer()
  private(set) var server: LoopbackServer?
  private var temporary: TemporaryStore?
  private(set) var context: RootContext?
  private(set) var source: NewsSource?
  /// Passes only while somebody sleeps.
  private(set) var clock = VirtualClock()

  override func setUp() async throws {
    news = NewsServer()
    server = try news.listen()
    clock = VirtualClock()
    try await setUpAgain()
  }

  override func tearDown() async throws {
    source = nil
    context = nil
    server = nil
    temporary = nil
  }

  /// An empty store.
  func setUpAgain() async throws {
    source = nil
    temporary = try await TemporaryStore(for: Schema([Article.self] + RemoteModels.all))
    try await open { _ in }
  }

  /// The way to the server.
  nonisolated static func transport(_ server: LoopbackServer) -> JSONTransport<NewsServer.Row> {
    var transport = JSONTransport<NewsServer.Row>(server.url + "/news?lang=en")
    transport.headers = { [("Authorization", "Bearer secret")] }
    transport.version = { "\($0.version)" }
    return transport
  }

  /// Makes the source, of the next launch if there is one already.
  func open(_ configure: (inout JSONTransport<NewsServer.Row>) -> Void) async throws {
    let temporary = try XCTUnwrap(temporary)
    let store = source == nil ? temporary.store : try await temporary.relaunch()
    let context = RootContext(store)
    var transport = Self.transport(try XCTUnwrap(server))
    configure(&transport)
    var options = RemoteOptions()
    options.clock = clock
    options.retry.patience = .seconds(100)
    source = try NewsSource(
      "news", Fetch<Article>().sorted { $0.title }, in: context, from: transport, mapping: Article.mapping,
      options: options)
    self.context = context
  }

  /// A source whose server is not there.
  func setUpServerless() async throws {
    source = nil
    server = nil
    var transport = JSONTransport<NewsServer.Row>("http://127.0.0.1:9/news")
    transport.timeout = .seconds(2)
    var options = RemoteOptions()
    options.retry.attempts = 1
    source = try NewsSource(
      "news", Fetch<Article>(), in: RootContext(try XCTUnwrap(temporary).store), from: transport,
      mapping: Article.mapping, options: options)
  }

  func insertRows(_ count: Int) {
    news.configure { state in
      for _ in 0..<count {
        state.rows.append(.init(id: "\(state.nextID)", title: "n\(100 + state.nextID)", body: nil, version: 1))
        state.nextID += 1
      }
    }
  }

  func articles() throws -> [NewsServer.Row] { try XCTUnwrap(source).rows.map(\.row) }

  func edit(_ body: (Article) -> Void) async throws {
    body(try XCTUnwrap(source?.rows.first))
    try await XCTUnwrap(context).save()
  }

  func assertThrows(
    line: UInt = #line, _ isExpected: (RemoteError) -> Bool, _ body: (() async throws -> Void)? = nil
  ) async {
    do {
      if let body { try await body() } else { try await source?.refresh() }
      XCTFail("nothing was thrown", line: line)
    } catch let error as RemoteError {
      XCTAssertTrue(isExpected(error), "\(error)", line: line)
    } catch {
      XCTFail("\(error)", line: line)
    }
  }
}
