import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseRemote
import RepriseTesting
import Synchronization
import XCTest

/// Lists that are read to their end, however long.
@MainActor
final class LongListTests: XCTestCase {
  private func source(
    _ list: LongList, _ store: Store, readsAllPages: Bool = true
  ) throws -> RemoteSource<Article, LongList> {
    var options = RemoteOptions()
    options.readsAllPages = readsAllPages
    return try RemoteSource(
      "articles", Fetch<Article>().sorted { $0.title }, in: RootContext(store), from: list,
      mapping: ArticleRecord.mapping, options: options)
  }

  func testALongListIsReadToItsEndWithOnePageAtATime() async throws {
    let temporary = try await TemporaryStore(for: Device.schema)
    let list = LongList(rowCount: 2_000, pageSize: 100) { [store = temporary.store] start in
      let count = try? RootContext(store).count(Fetch<Article>())
      XCTAssertEqual(count, start, "a page is asked for once the one before is in the store")
    }
    let source = try source(list, temporary.store)
    try await source.refresh()
    XCTAssertEqual(source.count, 2_000)
    XCTAssertFalse(source.canLoadMore)
    XCTAssertEqual(list.starts, Array(stride(from: 0, to: 2_000, by: 100)))
    // What is gone is known, as all has been read.
    let shorter = try self.source(LongList(rowCount: 1_950, pageSize: 100) { _ in }, temporary.store)
    try await shorter.refresh()
    XCTAssertEqual(shorter.count, 1_950)
  }

  func testWithoutItOnlyWhatWasReadBeforeIsReadAgain() async throws {
    let temporary = try await TemporaryStore(for: Device.schema)
    let list = LongList(rowCount: 2_000, pageSize: 100) { _ in }
    let source = try source(list, temporary.store, readsAllPages: false)
    try await source.refresh()
    try await source.loadMore()
    try await source.refresh()
    XCTAssertEqual(list.starts, [0, 100, 0, 100])
    XCTAssertEqual(source.count, 200)
  }

  func testPagesInACircleAreAnErrorAndNoEndlessReading() async throws {
    let temporary = try await TemporaryStore(for: Device.schema)
    let source = try source(LongList(rowCount: 300, pageSize: 100, isCircle: true) { _ in }, temporary.store)
    do {
      try await source.refresh()
      XCTFail("an end was found")
    } catch RemoteError.malformed(let reason) {
      XCTAssertEqual(
        reason, "a page names '100' as the next page, which was already read, so the pages would never end")
    }
    XCTAssertEqual(source.count, 200, "what was read before stays")
  }

  func testAnswersThatFitNoRequestAreNamed() async throws {
    let first = RemoteReading.page(RemotePage(records: [ArticleRecord(id: "1", title: "a")], nextPage: "2"))
    let unmodified = "the answer is 'unmodified' (HTTP 304), but the request had no validator (such as an ETag)"
    let cases: [([RemoteReading<ArticleRecord>], String)] = [
      ([.unmodified], unmodified), ([first, .unmodified], unmodified),
      ([.expired], "the answer is 'expired' (HTTP 410), but the request was for the first page"),
      ([first, first], "a page names '2' as the next page, which was already read, so the pages would never end"),
    ]
    var options = RemoteOptions()
    options.readsAllPages = false
    for (answers, expected) in cases {
      let temporary = try await TemporaryStore(for: Device.schema)
      let source = try RemoteSource(
        "articles", Fetch<Article>().sorted { $0.title }, in: RootContext(temporary.store), from: Answers(answers),
        mapping: ArticleRecord.mapping, options: options)
      do {
        for _ in answers { try await source.loadMore() }
        XCTFail(expected)
      } catch RemoteError.malformed(let reason) {
        XCTAssertEqual(reason, expected)
      }
    }
  }
}

/// Gives these answers, whatever it is asked.
private final class Answers: RemoteTransport {
  private let answers: Mutex<[RemoteReading<ArticleRecord>]>

  init(_ answers: [RemoteReading<ArticleRecord>]) { self.answers = Mutex(answers) }

  func read(_ request: RemoteRequest) async throws -> RemoteReading<ArticleRecord> {
    answers.withLock { $0.removeFirst() }
  }

  func send(_ change: RemoteChange<ArticleRecord>) async throws -> RemoteAnswer<ArticleRecord> {
    .refused(reason: "nobody may write")
  }
}

/// A list that is made when it is asked for.
private final class LongList: RemoteTransport {
  private let rowCount: Int
  private let pageSize: Int
  private let isCircle: Bool
  private let onRead: @Sendable (_ start: Int) -> Void
  private let asked = Mutex<[Int]>([])

  init(rowCount: Int, pageSize: Int, isCircle: Bool = false, onRead: @escaping @Sendable (_ start: Int) -> Void) {
    (self.rowCount, self.pageSize, self.isCircle, self.onRead) = (rowCount, pageSize, isCircle, onRead)
  }

  /// Where the pages began that were asked for.
  var starts: [Int] { asked.withLock { $0 } }

  func read(_ request: RemoteRequest) async throws -> RemoteReading<ArticleRecord> {
    let start = request.page.flatMap { Int($0) } ?? 0
    asked.withLock { $0.append(start) }
    onRead(start)
    let end = min(start + pageSize, rowCount)
    let records = (start..<end).map { ArticleRecord(id: "\($0)", title: "\(1_000_000 + $0)") }
    let next = end < rowCount ? "\(end)" : isCircle ? "\(pageSize)" : nil
    return .page(RemotePage(records: records, nextPage: next))
  }

  func send(_ change: RemoteChange<ArticleRecord>) async throws -> RemoteAnswer<ArticleRecord> {
    .refused(reason: "nobody may write")
  }
}
