import Reprise
import RepriseRemote
import RepriseTesting

// The programs of the article "Data sources of your own".

struct Headline: Sendable {
  let id: Int
}

actor NewsSite {
  func headlines(from start: Int, count: Int) async throws -> [Headline] { [] }
  nonisolated func publish(_ numbers: inout SeededGenerator) {}
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
    shown.readiness = .pending
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
      shown.readiness = .ready
    } catch {
      if !shown.readiness.isReady { shown.readiness = .failed(error) }
      throw error
    }
  }

  var readiness: Readiness { shown.readiness }
  var sectionCount: Int { shown.sectionCount }
  func sectionName(_ section: Int) -> String? { shown.sectionName(section) }
  func rowCount(inSection section: Int) -> Int { shown.rowCount(inSection: section) }
  func element(at path: RowPath) -> Headline { shown.element(at: path) }
  func modelIdentifier(at path: RowPath) -> ModelIdentifier? { shown.modelIdentifier(at: path) }
  func row(for identifier: ModelIdentifier) -> RowLookup {
    let found = shown.row(for: identifier)
    return found == .deleted && canLoadMore ? .notLoaded : found
  }
  func observe(_ body: @escaping (ListBatch) -> Void) -> ListObservation { shown.observe(body) }
}

@MainActor func check(_ site: NewsSite) async throws {
  let conformance = DataSourceConformance(
    makeSource: { MainActor.assumeIsolated { Headlines(site) } },
    change: { source, numbers in site.publish(&numbers) }
  )
  try await conformance.run()
  try await conformance.runRefreshing(changingBehind: { _, numbers in site.publish(&numbers) })
  try await conformance.runPaging()
}

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

@MainActor func show<Transport: RemoteTransport>(_ transport: Transport) async throws
where Transport.Record == ArticleRecord {
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
}
