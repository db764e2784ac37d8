import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseRemote
import Synchronization
import XCTest

/// Lists whose rows move from page to page while they are read: a row on no page is deleted only if the server had all
/// pages at one moment.
final class MovingListTests: RemoteTestCase {
  private var source: ArticleSource { device.source }

  /// What the server says of the state of its list.
  private enum Evidence: CaseIterable {
    case validator, cursor, firstCursor, both, none
  }

  /// Makes nine rows on three pages, and reads them.
  private func prepare(_ evidence: Evidence, readsAllPages: Bool = true) async throws {
    try await tearDown()
    try await setUp()
    server.configure { state in
      state.pageSize = 3
      state.hasValidator = evidence == .validator || evidence == .both
      state.tellsChanges = evidence == .cursor || evidence == .firstCursor || evidence == .both
      state.namesCursorOnce = evidence == .firstCursor
    }
    for number in 1...9 { server.insert("\(number)") }
    var options = RemoteOptions()
    options.readsAllPages = readsAllPages
    try await device.relaunch(options)
    try await source.refreshAnew()
    while source.canLoadMore { try await source.loadMore() }
    XCTAssertEqual(titles(), (1...9).map(String.init))
  }

  private func ids() -> [String: Article.ID] {
    Dictionary(uniqueKeysWithValues: source.rows.map { ($0.title, $0.id) })
  }

  /// The next `times` first pages are followed by the deletion of the first row.
  private func shrink(times: Int = 1) {
    let server = server!
    let first = server.requests + 1
    let left = Mutex(times)
    server.configure { state in
      state.onItsWay = { number in
        guard number >= first, server.reads.last?.page == nil, left.withLock({ $0 > 0 }) else { return }
        left.withLock { $0 -= 1 }
        if let id = server.rows.first?.id { server.delete(id) }
      }
    }
  }

  func testAListThatShrinksBetweenPagesKeepsItsRows() async throws {
    for evidence in Evidence.allCases {
      try await prepare(evidence)
      let before = ids()
      shrink()
      try await source.refreshAnew()
      XCTAssertEqual(ids()["4"], before["4"], "\(evidence): it moved to the page that was read")
      try await source.refreshAnew()
      XCTAssertEqual(titles(), (2...9).map(String.init), "\(evidence)")
      XCTAssertEqual(ids(), before.filter { $0.key != "1" }, "\(evidence): no row came back as another object")
    }
  }

  func testAListThatShrinksInEachReadingKeepsItsRows() async throws {
    for evidence in Evidence.allCases {
      try await prepare(evidence)
      let before = ids()
      shrink(times: 2)
      for _ in 0..<3 { try await source.refreshAnew() }
      XCTAssertEqual(ids(), before.filter { $0.key > "2" }, "\(evidence)")
    }
  }

  func testPagesWithoutNamesAreReadTwiceBeforeARowIsDeleted() async throws {
    for (evidence, expected) in [(Evidence.validator, 3), (.cursor, 3), (.both, 3), (.firstCursor, 6), (.none, 6)] {
      try await prepare(evidence)
      server.delete("5")
      var reads = server.reads.count
      try await source.refreshAnew()
      XCTAssertEqual(server.reads.count - reads, expected, "\(evidence)")
      XCTAssertEqual(titles(), [1, 2, 3, 4, 6, 7, 8, 9].map(String.init), "\(evidence)")
      reads = server.reads.count
      try await source.refreshAnew()
      XCTAssertEqual(server.reads.count - reads, 3, "\(evidence): nothing is missing")
    }
  }

  func testALastPageThatIsLoadedDeletesNoRowOfAListWithoutNames() async throws {
    try await prepare(.none, readsAllPages: false)
    server.delete("2")
    server.configure { $0.pageSize = 2 }
    try await source.refresh()
    let reads = server.reads.count
    while source.canLoadMore { try await source.loadMore() }
    XCTAssertEqual(server.reads.count - reads, 1, "a page at a time")
    XCTAssertEqual(titles(), (1...9).map(String.init))
    try await source.refresh()
    XCTAssertEqual(titles(), [1, 3, 4, 5, 6, 7, 8, 9].map(String.init))
  }

  func testARefusedRowOfAListWithoutNamesIsForgottenOnceItIsGone() async throws {
    try await prepare(.none)
    server.configure { $0.unreadableTitles = ["odd"] }
    server.insert("odd")
    try await source.refreshAnew()
    XCTAssertEqual(try source.refusedRows().map(\.id), ["10"])
    server.delete("10")
    try await source.refreshAnew()
    XCTAssertEqual(try source.refusedRows(), [])
    XCTAssertEqual(source.count, 9)
  }
}
