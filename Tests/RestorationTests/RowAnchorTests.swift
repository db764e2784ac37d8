import RepriseCore
import RepriseTestModels
import RepriseTesting
import XCTest

/// Scroll position and selection, from one run to the next.
@MainActor final class RowAnchorTests: XCTestCase {
  private func list(_ store: Store) throws -> FetchedList<Item> {
    try FetchedList(Fetch<Item>().sorted { $0.name.ascending }, in: store.mainContext)
  }

  private func insert(_ names: [String], _ store: Store) async throws {
    for name in names { store.mainContext.insert(Item(name: name)) }
    try await store.mainContext.save()
  }

  private func item(_ name: String, _ store: Store) throws -> Item {
    try XCTUnwrap(try store.mainContext.fetch(Fetch<Item> { $0.name == name }).first)
  }

  /// Saves an anchor at `name` as the state of a screen, and gives it back from the next run.
  private func anchor(at name: String, _ temporary: TemporaryStore) async throws -> (Store, RowAnchor) {
    final class Screen {
      let node: RestorationNode<RowAnchor>
      init(_ node: RestorationNode<RowAnchor>) { self.node = node }
    }
    let kind = NodeKind<RowAnchor, Screen>("list")
    let first = Restoration(temporary.store)
    try first.define(kind) { Screen($0) }
    try await first.restore()
    let source = try list(temporary.store)
    let path = try XCTUnwrap(source.row(for: try item(name, temporary.store).id).path)
    _ = try first.open(kind, id: "list", state: RowAnchor(path, in: source))
    let store = try await temporary.relaunch()
    let run = Restoration(store)
    try run.define(kind) { Screen($0) }
    try await run.restore()
    return (store, try XCTUnwrap(try run.screen(kind, at: .of("list"))).node.state)
  }

  func testTheSelectionFollowsTheObjectAndNotTheIndex() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    try await insert(["b", "d", "f"], temporary.store)
    let (store, anchor) = try await anchor(at: "d", temporary)
    try await insert(["a", "c", "e"], store)
    XCTAssertEqual(anchor.place(in: try list(store)), .row(RowPath(item: 3)))
    try item("d", store).name = "z"
    XCTAssertEqual(anchor.place(in: try list(store)), .row(RowPath(item: 5)))
  }

  func testADeletedObjectLeadsToItsNeighbour() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    try await insert(["b", "d", "f"], temporary.store)
    let (store, anchor) = try await anchor(at: "d", temporary)
    store.mainContext.delete(try item("d", store))
    try await store.mainContext.save()
    XCTAssertEqual(anchor.place(in: try list(store)), .near(RowPath(item: 1), .deleted))
    store.mainContext.delete(try item("f", store))
    try await store.mainContext.save()
    XCTAssertEqual(anchor.place(in: try list(store)), .near(RowPath(item: 0), .deleted))
    try await insert(["x", "y"], store)
    store.mainContext.delete(try item("b", store))
    try await store.mainContext.save()
    XCTAssertEqual(anchor.place(in: try list(store)), .near(RowPath(item: 1), .deleted))
    for item in try store.mainContext.fetch(Fetch<Item>()) { store.mainContext.delete(item) }
    try await store.mainContext.save()
    XCTAssertEqual(anchor.place(in: try list(store)), .nowhere(.deleted))
  }

  func testAnObjectOutsideTheFilterIsToldApartFromADeletedOne() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    try await insert(["b", "d", "f"], temporary.store)
    let (store, anchor) = try await anchor(at: "d", temporary)
    let filtered = try FetchedList(
      Fetch<Item> { $0.name != "d" }.sorted { $0.name.ascending }, in: store.mainContext)
    XCTAssertEqual(anchor.place(in: filtered), .near(RowPath(item: 1), .filteredOut))
    XCTAssertEqual(try item("d", store).state, .live)
  }

  func testAnObjectOfAnotherStoreIsToldAsSuch() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    try await insert(["b"], temporary.store)
    let (_, anchor) = try await anchor(at: "b", temporary)
    let other = try await TemporaryStore(for: Item.self, Person.self)
    try await insert(["x"], other.store)
    XCTAssertEqual(anchor.place(in: try list(other.store)), .near(RowPath(item: 0), .foreignStore))
  }

  func testARowOfAListThatIsNotLoadedIsFoundWhenItIs() {
    let source = LateSource()
    let anchor = RowAnchor(RowPath(item: 1), in: ArraySource(["a", "b", "c"], identifiedBy: ModelIdentifier.init))
    XCTAssertEqual(anchor.place(in: source), .notLoaded)
    var places: [RowAnchor.Place] = []
    let observation = anchor.whenLoaded(in: source) { places.append($0) }
    XCTAssertEqual(places, [])
    source.load(["z", "b"])
    source.load(["b"])
    XCTAssertEqual(places, [.row(RowPath(item: 1))])
    withExtendedLifetime(observation) {}
    XCTAssertNil(anchor.whenLoaded(in: source) { places.append($0) })
    XCTAssertEqual(places, [.row(RowPath(item: 1)), .row(RowPath(item: 0))])
  }

  func testAnAnchorWaitsForAnArrayThatIsNotReady() {
    struct Away: Error {}
    let anchor = RowAnchor(RowPath(item: 1), in: ArraySource(["a", "b", "c"], identifiedBy: ModelIdentifier.init))
    for loadState in [LoadState.loading, .failed(Away())] {
      let source = ArraySource<String>(identifiedBy: ModelIdentifier.init)
      source.loadState = loadState
      var places: [RowAnchor.Place] = []
      let observation = anchor.whenLoaded(in: source) { places.append($0) }
      source.setElements(["a"])
      XCTAssertEqual(places, [], "\(loadState)")
      source.setElements(["c", "b"])
      XCTAssertEqual(places, [.row(RowPath(item: 1))], "\(loadState)")
      source.loadState = .loaded
      XCTAssertEqual(places.count, 1)
      withExtendedLifetime(observation) {}
    }
  }

  func testAnAnchorWaitsThoughTheSourceSaysDeletedTooEarly() {
    let anchor = RowAnchor(RowPath(item: 1), in: ArraySource(["a", "b"], identifiedBy: ModelIdentifier.init))
    let source = HastySource()
    XCTAssertEqual(anchor.place(in: source), .notLoaded)
    source.loadState = .loaded
    XCTAssertEqual(anchor.place(in: source), .nowhere(.deleted))
  }

  func testAnAnchorAtAnImpossiblePlaceLeadsToTheNearestRow() {
    let source = ArraySource(["a", "b"])
    XCTAssertEqual(
      RowAnchor(RowPath(item: .max), in: source).place(in: source), .near(RowPath(item: 1), .deleted))
    XCTAssertEqual(
      RowAnchor(RowPath(section: .max, item: .min), in: source).place(in: source), .near(RowPath(item: 1), .deleted))
  }

  func testAListThatNeverChangesMayGoByIndex() {
    let source = ArraySource(["General", "Sounds", "About"])
    XCTAssertEqual(RowAnchor(index: RowPath(item: 2)).place(in: source), .row(RowPath(item: 2)))
    XCTAssertEqual(RowAnchor(index: RowPath(item: 9)).place(in: source), .near(RowPath(item: 2), .deleted))
    XCTAssertEqual(RowAnchor(index: RowPath(section: -1, item: -9)).place(in: source).path, RowPath(item: 0))
    XCTAssertEqual(RowAnchor(RowPath(item: 1), in: source).place(in: source), .row(RowPath(item: 1)))
  }
}

/// A source that has nothing until it is loaded.
private final class LateSource: DataSource {
  private let rows = ArraySource<String>([], identifiedBy: ModelIdentifier.init)
  private var isLoaded = false

  func load(_ elements: [String]) {
    isLoaded = true
    rows.setElements(elements)
  }

  var loadState: LoadState { isLoaded ? .loaded : .loading }
  var sectionCount: Int { rows.sectionCount }
  func sectionName(_ section: Int) -> String? { nil }
  func rowCount(inSection section: Int) -> Int { rows.rowCount(inSection: section) }
  func element(at path: RowPath) -> String { rows.element(at: path) }
  func modelIdentifier(at path: RowPath) -> ModelIdentifier? { rows.modelIdentifier(at: path) }
  func row(for identifier: ModelIdentifier) -> RowLookup { isLoaded ? rows.row(for: identifier) : .notLoaded }
  func observe(_ body: @escaping (ListBatch) -> Void) -> ListObservation { rows.observe(body) }
}

/// A source that takes each row for deleted, whether it is ready or not.
private final class HastySource: DataSource {
  var loadState = LoadState.loading
  func rowCount(inSection section: Int) -> Int { 0 }
  func element(at path: RowPath) -> String { preconditionFailure("There is no row.") }
  func modelIdentifier(at path: RowPath) -> ModelIdentifier? { nil }
  func row(for identifier: ModelIdentifier) -> RowLookup { .deleted }
  func observe(_ body: @escaping (ListBatch) -> Void) -> ListObservation { ListObservation {} }
}
