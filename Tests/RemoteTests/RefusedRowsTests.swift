import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseRemote
import RepriseTestModels
import RepriseTesting
import XCTest

/// Rows of the server that the store cannot keep as they are: they are told, and hold up no other.
@MainActor
final class RefusedRowsTests: XCTestCase {
  private typealias Source = RemoteSource<Product, ArticleServer>

  private var server: ArticleServer!
  private var temporary: TemporaryStore!
  private var store: Store!
  private var context: RootContext!
  private var source: Source!

  override func setUp() async throws {
    server = ArticleServer()
    server.configure { $0.hasValidator = false }
    temporary = try await TemporaryStore(for: Schema([Product.self] + RemoteModels.all))
    try open(temporary.store)
  }

  override func tearDown() async throws { (source, context, store, temporary, server) = (nil, nil, nil, nil, nil) }

  private func open(_ store: Store) throws {
    self.store = store
    context = RootContext(store, author: "ada")
    source = try Source(
      "products", Fetch<Product>().sorted { $0.name }, in: context, from: server, mapping: Product.mapping)
  }

  private func relaunch() async throws { try open(try await temporary.relaunch()) }

  private func names() -> [String] { source.rows.map(\.name) }

  private func assertRefused(_ ids: [String?], _ reason: String, line: UInt = #line) throws {
    XCTAssertEqual(try source.refusedRows().map(\.id), ids, line: line)
    for row in try source.refusedRows() { XCTAssertTrue(row.reason.contains(reason), "\(row)", line: line) }
  }

  func testARowThatTheMappingRefusesHoldsUpNoOther() async throws {
    for name in ["a", "odd", "b"] { server.insert(name) }
    try await source.refresh()
    XCTAssertEqual(names(), ["a", "b"])
    XCTAssertTrue(source.loadState.isLoaded)
    try assertRefused(["2"], "Odd")
  }

  func testARowThatBreaksARuleHoldsUpNoOther() async throws {
    for name in ["a", String(repeating: "long", count: 10), "b"] { server.insert(name) }
    try await source.refresh()
    XCTAssertEqual(names(), ["a", "b"])
    try assertRefused(["2"], "length")
  }

  func testARowWithATakenUniqueValueHoldsUpNoOther() async throws {
    let mine = context.insert(Product("taken"))
    try await context.save()
    for name in ["a", "taken", "b"] { server.insert(name) }
    try await source.refresh()
    XCTAssertEqual(names(), ["a", "b", "taken"])
    try assertRefused(["2"], "taken")
    // What refused it is gone here, and nothing changed there.
    server.configure { $0.hasValidator = true }
    try await source.refresh()
    context.delete(mine)
    try await context.save()
    try await source.refresh()
    try await source.refreshAnew()
    XCTAssertEqual(source.rows.map(\.remoteID), ["1", "3", "2"])
    try assertRefused([], "")
  }

  func testTwoRowsOfAPageWithOneUniqueValueHoldUpNoOther() async throws {
    for name in ["a", "same", "same", "b"] { server.insert(name) }
    try await source.refresh()
    XCTAssertEqual(names(), ["a", "b", "same"])
    XCTAssertEqual(try source.refusedRows().count, 1)
  }

  func testARowThatBringsAlongWhatBreaksARuleHoldsUpNoOther() async throws {
    for name in ["a", "b", "c"] { server.insert(name) }
    server.update("2") { $0.body = String(repeating: "long", count: 10) }
    server.update("3") { $0.body = "d" }
    try await source.refresh()
    XCTAssertEqual(names(), ["a", "c", "d"])
    try assertRefused(["2"], "length")
  }

  func testARowThatBringsAlongATakenValueHoldsUpNoOther() async throws {
    context.insert(Product("taken"))
    try await context.save()
    for name in ["a", "b"] { server.insert(name) }
    server.update("1") { $0.body = "taken" }
    try await source.refresh()
    XCTAssertEqual(names(), ["b", "taken"])
    try assertRefused(["1"], "taken")
  }

  func testTwoRowsThatBringAlongOneValueHoldUpNoOther() async throws {
    for name in ["a", "b", "c"] { server.insert(name) }
    for id in ["1", "2"] { server.update(id) { $0.body = "same" } }
    try await source.refresh()
    XCTAssertEqual(names(), ["a", "c", "same"])
    try assertRefused(["2"], "same")
  }

  func testAnObjectStaysAsItWasIfItsRowIsRefused() async throws {
    let id = server.insert("a")
    try await source.refresh()
    server.update(id) { $0.title = "odd" }
    try await source.refresh()
    XCTAssertEqual(names(), ["a"])
    try assertRefused([id], "Odd")
    server.delete(id)
    try await source.refresh()
    XCTAssertEqual(names(), [])
    try assertRefused([], "")
  }

  func testWhatIsRefusedIsToldOnce() async throws {
    var problems: [String] = []
    source.onProblem = { problems.append("\($0)") }
    for name in ["odd", "odd", "a"] { server.insert(name) }
    try await source.refresh()
    let head = store.log.head
    for _ in 0..<3 { try await source.refresh() }
    XCTAssertEqual(store.log.head, head, "a refresh without news writes nothing")
    XCTAssertEqual(problems.count, 1)
    XCTAssertTrue(problems.first?.contains("2 rows of a remote source") ?? false, "\(problems)")
  }

  func testRowsWithoutIdentifiersAreListedAsOne() async throws {
    server.configure { $0.rows = ["x", "a"].map { ArticleRecord(id: $0 == "a" ? "1" : nil, title: $0) } }
    try await source.refresh()
    XCTAssertEqual(names(), ["a"])
    XCTAssertEqual(
      try source.refusedRows().map(\.description),
      ["a row without an identifier: `id` of the RemoteMapping returned nil or a value that 'remoteID' cannot hold"])
    server.configure { $0.rows.removeFirst() }
    try await source.refresh()
    try assertRefused([], "")
  }

  func testACursorAdvancesPastARefusedRow() async throws {
    server.configure { ($0.tellsChanges, $0.pageSize) = (true, 2) }
    server.insert("a")
    try await source.refresh()
    let id = server.insert("odd")
    for name in ["b", "c"] { server.insert(name) }
    try await source.refresh()
    XCTAssertEqual(names(), ["a", "b", "c"])
    let cursor = server.reads.last?.cursor
    try await source.refresh()
    XCTAssertNotEqual(server.reads.last?.cursor, cursor, "it went on")
    try await relaunch()
    try assertRefused([id], "Odd")
    server.update(id) { $0.title = "good" }
    try await source.refresh()
    XCTAssertEqual(names(), ["a", "b", "c", "good"])
    try assertRefused([], "")
  }

  func testPagesAreReadToTheirEndPastRefusedRows() async throws {
    server.configure { $0.pageSize = 2 }
    for name in ["odd", "odd", "a", "odd", "b"] { server.insert(name) }
    try await source.load(atLeast: 100)
    XCTAssertEqual(names(), ["a", "b"])
    try assertRefused(["1", "2", "4"], "Odd")
    server.delete("2")
    try await relaunch()
    try await source.refresh()
    while source.canLoadMore { try await source.loadMore() }
    try assertRefused(["1", "4"], "Odd")
  }

  func testAValueThatALaterPageSetsFreeIsTaken() async throws {
    server.configure { ($0.hasValidator, $0.pageSize) = (true, 2) }
    for name in ["a", "b", "c", "d"] { server.insert(name) }
    try await source.load(atLeast: 100)
    var problems: [String] = []
    source.onProblem = { problems.append("\($0)") }
    // The row that has the value is gone, which is known with the last page.
    server.delete("4")
    server.update("1") { $0.title = "d" }
    try await source.refresh()
    XCTAssertEqual(source.rows.map(\.remoteID), ["2", "3", "1"])
    XCTAssertEqual(names(), ["b", "c", "d"])
    try assertRefused([], "")
    XCTAssertEqual(problems, [])
  }

  func testRowsOnTwoPagesThatSwapAValueAreTaken() async throws {
    server.configure { ($0.tellsChanges, $0.pageSize) = (true, 1) }
    for name in ["a", "b", "c"] { server.insert(name) }
    try await source.load(atLeast: 100)
    try await source.refresh()
    server.update("1") { $0.title = "c" }
    server.update("3") { $0.title = "a" }
    try await source.refresh()
    XCTAssertEqual(source.rows.map(\.remoteID), ["3", "2", "1"])
    try assertRefused([], "")
  }

  func testARowOfAnEarlyPageThatIsRefusedForGoodIsToldOnce() async throws {
    server.configure { ($0.hasValidator, $0.pageSize) = (false, 1) }
    var problems: [String] = []
    source.onProblem = { problems.append("\($0)") }
    server.insert("same")
    try await source.refresh()
    for name in ["a", "same", "odd", "b"] { server.insert(name, at: 0) }
    try await source.refresh()
    try await source.load(atLeast: 100)
    try await source.refresh()
    let head = store.log.head
    problems = []
    for _ in 0..<2 { try await source.refresh() }
    XCTAssertEqual(store.log.head, head, "a refresh without news writes nothing")
    XCTAssertEqual(problems, [])
    XCTAssertEqual(source.rows.map(\.remoteID), ["2", "5", "1"])
    XCTAssertEqual(try source.refusedRows().map(\.id), ["3", "4"])
  }

  func testARefusedRowThatMovesToALaterPageIsTakenAsItIsThere() async throws {
    server.configure { ($0.hasValidator, $0.pageSize) = (true, 1) }
    for name in ["odd", "b", "c"] { server.insert(name) }
    let server = try XCTUnwrap(server)
    server.configure { state in
      state.onItsWay = { number in
        guard number == 1 else { return }
        server.configure { state in
          let first = ArticleRecord(id: "1", title: "good", version: 2)
          state.rows = [state.rows[1], first, state.rows[2]]
        }
      }
    }
    try await source.load(atLeast: 100)
    XCTAssertEqual(source.rows.map(\.name), ["c", "good"])
    try assertRefused([], "")
  }

  func testAnAcceptedRowThatCannotBeKeptIsListed() async throws {
    server.insert("a")
    try await source.refresh()
    let product = try XCTUnwrap(source.rows.first)
    product.name = "b"
    try await context.save()
    // The server makes something else of it.
    server.configure { ($0.checksVersions, $0.changedTitles) = (false, ["b": "odd"]) }
    try await source.send()
    XCTAssertEqual(try source.pendingCount, 0)
    XCTAssertEqual(names(), ["b"])
    try assertRefused(["1"], "Odd")
  }
}

/// A model with rules that its server does not have.
final class Product: TestModel {
  static let entity = Entity(
    Product.self, name: "Product",
    properties: [
      .attribute("remoteID", String?.self),
      .attribute("title", String.self, rules: [.length(0...20)]),
      .unique(["remoteID"]),
      .unique(["title"]),
    ])

  struct Odd: Error {}

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(_ name: String) {
    _storage = ObjectStorage(Product.entity)
    self.name = name
  }

  @Stored(0) var remoteID: String?
  @Stored(1) var name: String

  struct Fields: FieldSet {
    typealias Model = Product
    let path: FieldPath
    init(_ path: FieldPath) { self.path = path }
    var remoteID: Field<Product, String> { Field(path.appending("remoteID")) }
    var name: Field<Product, String> { Field(path.appending("title")) }
  }

  static let mapping = RemoteMapping<Product, ArticleRecord>(
    key: { $0.remoteID }, id: { $0.id },
    apply: { record, product, context in
      product.name = record.title
      if record.title == "odd" { throw Odd() }
      if !record.body.isEmpty { context.insert(Product(record.body)) }
    },
    record: { ArticleRecord(id: $0.remoteID, title: $0.name) })
}
