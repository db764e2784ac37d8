import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseRemote
import RepriseTesting
import XCTest

typealias ArticleSource = RemoteSource<Article, ArticleServer>

/// A test with a server and a device.
@MainActor
class RemoteTestCase: XCTestCase {
  private(set) var server: ArticleServer!
  private(set) var device: Device!

  override func setUp() async throws {
    server = ArticleServer()
    device = try await Device(server)
  }

  override func tearDown() async throws {
    device = nil
    server = nil
  }

  func titles(_ source: ArticleSource? = nil) -> [String] { (source ?? device.source).rows.map(\.title) }

  var article: Article {
    get throws { try XCTUnwrap(device.source.rows.first) }
  }

  /// Edits the first article, and saves.
  func edit(_ body: (Article) -> Void) async throws {
    body(try article)
    try await device.context.save("Edit")
  }

  /// Sends the next change, and is killed: before it arrives, or before its answer does.
  func sendAndDie(_ fault: ArticleServer.Fault, file: StaticString = #filePath, line: UInt = #line) async throws {
    let next = server.requests + 1
    server.configure { $0.fault = { $0 == next ? (ArticleServer.Killed(), fault) : nil } }
    do {
      try await device.source.send()
      XCTFail("it was killed", file: file, line: line)
    } catch is ArticleServer.Killed {}
  }
}

/// A store with articles of a server, in one launch after the other.
@MainActor
final class Device {
  nonisolated static let schema = Schema([Article.self] + RemoteModels.all)

  let server: ArticleServer
  private(set) var options: RemoteOptions
  private let temporary: TemporaryStore
  private(set) var store: Store
  private(set) var context: RootContext
  private(set) var source: ArticleSource

  init(_ server: ArticleServer, _ options: RemoteOptions = RemoteOptions()) async throws {
    self.server = server
    self.options = options
    temporary = try await TemporaryStore(for: Self.schema)
    store = temporary.store
    context = RootContext(store, author: "ada")
    source = try Self.source(context, server, options)
  }

  private static func source(
    _ context: RootContext, _ server: ArticleServer, _ options: RemoteOptions
  ) throws -> ArticleSource {
    try RemoteSource(
      "articles", Fetch<Article>().sorted { $0.title }, in: context, from: server, mapping: ArticleRecord.mapping,
      options: options)
  }

  /// A kill and a relaunch.
  func relaunch(_ options: RemoteOptions? = nil) async throws {
    if let options { self.options = options }
    store = try await temporary.relaunch()
    context = RootContext(store, author: "ada")
    source = try Self.source(context, server, self.options)
  }

  /// What another window, or another process, has.
  func another() throws -> ArticleSource { try Self.source(RootContext(store, author: "bob"), server, options) }

  @discardableResult
  func insert(_ title: String, remoteID: String? = nil) async throws -> Article {
    let article = context.insert(Article(title, remoteID: remoteID))
    try await context.save("Add")
    return article
  }
}
