import RepriseLists
import RepriseObjectModel
import RepriseTestSeeds
import RepriseTesting
import XCTest

/// The suite for sources that refresh and load pages, held against one that does so, and against ones that do it wrong.
@MainActor
final class PagedConformanceTests: XCTestCase {
  private func conformance(_ fault: PagedNumbers.Fault, _ seed: UInt64) -> DataSourceConformance<PagedNumbers> {
    DataSourceConformance(
      makeSource: { PagedNumbers(fault) }, change: { source, numbers in source.changeNow(&numbers) },
      content: { "\($0)" }, seed: seed, rounds: 40)
  }

  private func runAll(_ fault: PagedNumbers.Fault, _ seed: UInt64) async throws {
    let conformance = conformance(fault, seed)
    try await conformance.runRefreshing(
      changingBehind: { source, numbers in source.server.change(&numbers) },
      failing: { source, isFailing in source.server.isFailing = isFailing })
    try await conformance.runPaging(failing: { source, isFailing in source.server.isFailing = isFailing })
    try await conformance.runRelaunching { PagedNumbers(relaunched: $0) }
    try await conformance.runPrefetching(failing: { source, isFailing in source.server.isFailing = isFailing })
  }

  func testASourceOfPagesConforms() async throws {
    try await conformance(.none, testSeed()).run()
    try await runAll(.none, testSeed())
  }

  func testEveryBrokenPromiseOfPagesIsFound() async throws {
    for fault in PagedNumbers.Fault.allCases where fault != .none {
      do {
        try await runAll(fault, 3)
        XCTFail("\(fault) was not found")
      } catch let failure as DataSourceFailure {
        XCTAssertEqual(failure.check, fault.check, "\(fault): \(failure)")
        XCTAssertTrue(fault.reasons.map(\.masked).contains(failure.reason.masked), "\(fault): \(failure.reason)")
      }
    }
  }

  func testAScreenThatDoesNotFindItsRowAgainIsFound() async throws {
    try await conformance(.none, testSeed()).runRestoring { PagedNumbers(relaunched: $0) }
    for fault in [PagedNumbers.Fault.renames, .losesIdentifiers] {
      do {
        try await conformance(fault, 3).runRestoring { PagedNumbers(relaunched: $0) }
        XCTFail("\(fault) was not found")
      } catch let failure as DataSourceFailure {
        XCTAssertEqual(failure.check, .restoration, "\(fault): \(failure)")
        let place =
          fault == .renames ? "the row is not loaded" : "the row is deleted, and the nearest row is row N of section N"
        let id = fault == .renames ? "N:N" : "N"
        XCTAssertEqual(
          failure.reason.masked,
          "the source was registered before restoring, but the row 'N' (identifier \(id)) was not found: \(place).")
      }
    }
  }

  func testAScreenAtAnAlteredRowIsFound() async throws {
    do {
      try await conformance(.altersRows, 3).runRestoring { PagedNumbers(relaunched: $0) }
      XCTFail("it was not found")
    } catch let failure as DataSourceFailure {
      XCTAssertEqual(failure.check, .restoration)
      XCTAssertEqual(
        failure.reason.masked,
        "the source was registered before restoring, but its screen is at the row 'N' instead of the row 'N' "
          + "(identifier N).")
    }
  }

  func testASourceThatIsLoadedThoughItIsAwayIsFound() async throws {
    do {
      try await conformance(.none, 3).runRestoringAway({ _ in }, { PagedNumbers(relaunched: $0) })
      XCTFail("it was not found")
    } catch let failure as DataSourceFailure {
      XCTAssertEqual(
        failure.reason,
        """
        while the source was unavailable, `ready()` returned, and the load state was loaded. `ready()` must throw, and \
        the load state must be `failed`.
        """)
    }
  }

  func testRowsFarDownAreLoadedPageByPage() async throws {
    let source = PagedNumbers(.none)
    try await source.load(atLeast: 5)
    XCTAssertEqual(source.count, 6, "two pages")
    XCTAssertEqual(source.server.reads, 1, "the first page was there")
    try await source.load(atLeast: 1000)
    XCTAssertFalse(source.canLoadMore)
    XCTAssertEqual(source.count, source.server.numbers.count)
  }
}

/// What a source of pages reads: numbers, three at a time.
@MainActor
private final class PageServer {
  struct Unreachable: Error {}
  var numbers = Array(1...10)
  var isFailing = false
  var reads = 0

  func read(_ range: Range<Int>) async throws -> ArraySlice<Int> {
    reads += 1
    await Task.yield()
    try Task.checkCancellation()
    if isFailing { throw Unreachable() }
    return numbers[range.clamped(to: numbers.indices)]
  }

  func change(_ random: inout some RandomNumberGenerator) {
    // Within the first page, which every refresh reads.
    numbers.insert((numbers.max() ?? 0) + 1, at: Int.random(in: 0..<2, using: &random))
    if numbers.count > 15 { numbers.removeLast(3) }
  }
}

@MainActor
private final class PagedNumbers: @MainActor RefreshableSource, @MainActor PagedSource,
  @MainActor PrefetchingSource
{
  enum Fault: CaseIterable {
    case none, deaf, early, keepsFailure, hidesFailure, separate, endless, losesPage, doublesPage, dropsRows, late
    case renames, losesIdentifiers, dropsWhatIsPrefetched, prefetchesLate, prefetchesForever, noPages, gainsRows
    case altersRows

    /// The reasons for which it may be found, with N for each number: some depend on which task runs first.
    var reasons: [String] {
      switch self {
      case .none: []
      case .deaf: ["the data changed N times, but `refresh()` caused no batch."]
      case .early:
        [
          "`failing` made the data unreadable, but `refresh()` did not throw.",
          "`refresh()` did not read all changes: a second call changed the rows again.",
          "`refresh()` returned before a batch announced its changes.",
        ]
      case .keepsFailure: ["`refresh()` returned, but the load state is not `loaded`."]
      case .hidesFailure: ["`failing` made the data unreadable, but `refresh()` did not throw."]
      case .separate, .late:
        [
          "`failing` made the data unreadable, but `loadMore()` did not throw.",
          "there are still more pages after 10,000 calls of `loadMore()`.",
          "`loadMore()` returned before a batch announced its rows.",
          "`loadMore()` brought rows though `canLoadMore` is false.",
          "`loadMore()` brought a row that an earlier page already had.",
          "calls of `loadMore()` that fail, are cancelled or are concurrent must lead to the same rows as undisturbed "
            + "calls. After the last page, the source has N rows, and should have N. If the numbers are equal, some "
            + "rows differ.",
        ]
      case .endless: ["there are still more pages after 10,000 calls of `loadMore()`."]
      case .noPages: ["a new source has no page to load. Let `makeSource` return a source with several pages."]
      case .losesPage: ["`canLoadMore` is false after `loadMore()` failed."]
      case .doublesPage: ["`loadMore()` brought a row that an earlier page already had."]
      case .dropsRows: ["`loadMore()` removed rows."]
      case .renames:
        ["after a relaunch, the source has the row 'N' (identifier N:N) instead of the row 'N' (identifier N:N)."]
      case .altersRows:
        ["after a relaunch, the source has the row 'N' (identifier N) instead of the row 'N' (identifier N)."]
      case .gainsRows: ["after a relaunch, the source does not have the same rows as before."]
      case .losesIdentifiers: ["after a relaunch, `row(for:)` does not find the row with the identifier N."]
      case .dropsWhatIsPrefetched: ["`prefetch(_:)` removed rows."]
      case .prefetchesLate: ["rows changed after `prefetch(_:)` had returned."]
      case .prefetchesForever:
        [
          "after 200 calls of `prefetch(_:)` with the last row, the source still brings new rows. Its rows must end."
        ]
      }
    }

    var check: DataSourceFailure.Check? {
      switch self {
      case .none: nil
      case .deaf, .early, .keepsFailure, .hidesFailure: .refresh
      case .separate, .endless, .losesPage, .doublesPage, .dropsRows, .late, .noPages: .paging
      case .renames, .losesIdentifiers, .gainsRows, .altersRows: .identity
      case .dropsWhatIsPrefetched, .prefetchesLate, .prefetchesForever: .prefetching
      }
    }
  }

  private static let pageSize = 3
  private let fault: Fault
  let server: PageServer
  private let launch: Int
  private let rowsShown: ArraySource<Int>
  private let refreshing = SingleFlight()
  private let paging = SingleFlight()
  private(set) var loadState = LoadState.loaded
  private(set) var canLoadMore = true

  init(_ fault: Fault) {
    self.fault = fault
    server = PageServer()
    launch = 1
    rowsShown = Self.rows(Array(server.numbers.prefix(Self.pageSize)), fault, 1)
    canLoadMore = fault != .noPages
  }

  init(relaunched other: PagedNumbers) {
    fault = other.fault
    server = other.server
    launch = other.launch + 1
    let rows: [Int] = other.rowsShown.rows.map { other.fault == .altersRows ? $0 + 10_000 : $0 }
    rowsShown = Self.rows(rows + (other.fault == .gainsRows ? [99] : []), other.fault, 2)
  }

  private static func rows(_ numbers: [Int], _ fault: Fault, _ launch: Int) -> ArraySource<Int> {
    ArraySource(numbers) { ModelIdentifier(fault == .renames ? "\(launch):\($0)" : "\($0 % 10_000)") }
  }

  func changeNow(_ random: inout some RandomNumberGenerator) {
    server.change(&random)
    rowsShown.setElements(Array(server.numbers.prefix(rowsShown.count)))
  }

  @MainActor func refresh() async throws {
    if fault == .early {
      Task { try? await load(0..<max(Self.pageSize, rowsShown.count), over: []) }
      return
    }
    try await refreshing.run { try await self.loadAgain() }
  }

  @MainActor func loadMore() async throws {
    if fault == .separate { return try await loadPage() }
    if fault == .late {
      Task { try await loadPage() }
      return
    }
    try await paging.run { try await self.loadPage() }
  }

  @MainActor func prefetch(_ rows: [RowPath]) async {
    guard rows.contains(where: { $0 == RowPath(item: rowsShown.count - 1) }) else { return }
    switch fault {
    case .dropsWhatIsPrefetched: rowsShown.setElements([])
    case .prefetchesLate: Task { try? await loadMore() }
    case .prefetchesForever: rowsShown.setElements(shown + [1_000 + rowsShown.count])
    default: try? await loadMore()
    }
  }

  private func loadAgain() async throws { try await load(0..<max(Self.pageSize, rowsShown.count), over: []) }

  private func loadPage() async throws {
    guard canLoadMore else { return }
    if fault == .losesPage, server.isFailing { canLoadMore = false }
    try await load(rowsShown.count..<rowsShown.count + Self.pageSize, over: shown)
  }

  private var shown: [Int] { rowsShown.rows.map(\.self) }

  private func load(_ range: Range<Int>, over before: [Int]) async throws {
    do {
      var rows = Array(try await server.read(range))
      let before = fault == .separate && !before.isEmpty ? shown : before
      if fault == .deaf { rows = shown }
      if fault == .keepsFailure, !loadState.isLoaded { return }
      loadState = .loaded
      canLoadMore = fault == .endless || range.upperBound < server.numbers.count
      if fault == .doublesPage, !before.isEmpty { rows += rows }
      rowsShown.setElements(fault == .dropsRows && before.count > 3 ? Array(before.dropFirst()) + rows : before + rows)
    } catch  where !(error is CancellationError) {
      loadState = .failed(error)
      if fault == .hidesFailure { return }
      throw error
    }
  }

  func rowCount(inSection section: Int) -> Int { rowsShown.rowCount(inSection: section) }
  func element(at path: RowPath) -> Int { rowsShown.element(at: path) }
  func modelIdentifier(at path: RowPath) -> ModelIdentifier? { rowsShown.modelIdentifier(at: path) }
  func row(for identifier: ModelIdentifier) -> RowLookup {
    if fault == .losesIdentifiers, launch > 1 { return .deleted }
    let found = rowsShown.row(for: identifier)
    return found == .deleted && canLoadMore ? .notLoaded : found
  }
  func observe(_ body: @escaping (ListBatch) -> Void) -> ListObservation { rowsShown.observe(body) }
}
