import RepriseLists
import RepriseObjectModel
import XCTest

final class ArraySourceTests: XCTestCase {
  private func source(_ elements: [String]) -> ArraySource<String> {
    ArraySource(elements) { $0.isEmpty ? nil : ModelIdentifier("test:" + $0) }
  }

  func testRowsAreFoundByIdentifierAfterTheArrayChanged() {
    let source = source(["a", "b", "c"])
    let identifier = source.modelIdentifier(at: RowPath(item: 1))
    XCTAssertEqual(identifier, ModelIdentifier("test:b"))
    XCTAssertEqual(source.row(for: ModelIdentifier("test:b")), .row(RowPath(item: 1)))
    source.setElements(["c", "", "b"])
    XCTAssertEqual(source.row(for: ModelIdentifier("test:b")), .row(RowPath(item: 2)))
    XCTAssertEqual(source.row(for: ModelIdentifier("test:a")), .deleted)
    XCTAssertNil(source.modelIdentifier(at: RowPath(item: 1)), "what has no name")
    XCTAssertNil(source.modelIdentifier(at: RowPath(item: 3)), "no such row")
    XCTAssertEqual(source.element(at: RowPath(item: 0)), "c")
  }

  func testOfSeveralOfOneNameTheFirstIsFound() {
    XCTAssertEqual(source(["a", "b", "b"]).row(for: ModelIdentifier("test:b")), .row(RowPath(item: 1)))
  }

  func testAChangeByAnObserverWaitsUntilAllObserversKnowTheOneBefore() {
    let source = source([])
    let first = Recorder(source)
    let meddler = source.observe { batch in if batch.after.count == 1 { source.setElements(["a", "b"]) } }
    let last = Recorder(source)
    source.setElements(["a"])
    XCTAssertEqual(first.batches.map(\.after.count), [1, 2])
    XCTAssertEqual(last.batches.map(\.after.count), [1, 2])
    meddler.cancel()
  }

  func testSections() {
    let source = ArraySource(sections: [
      .init(name: "A", elements: ["ant"]), .init(name: "B", elements: []), .init(name: "C", elements: ["cat", "cow"]),
    ]) { ModelIdentifier($0) }
    XCTAssertEqual(source.count, 3)
    XCTAssertEqual(source.sectionCount, 3)
    XCTAssertEqual(source.sectionName(2), "C")
    XCTAssertNil(source.sectionName(3))
    XCTAssertEqual(source.rowCount(inSection: 3), 0)
    XCTAssertEqual(source.row(for: ModelIdentifier("cow")), .row(RowPath(section: 2, item: 1)))
  }

  func testACancelledObserverHearsNothingAndOneThatIsLetGoNeither() {
    let source = source([])
    var heard = 0
    var observation: ListObservation? = source.observe { _ in heard += 1 }
    source.setElements(["a"])
    XCTAssertEqual(heard, 1)
    observation?.cancel()
    observation?.cancel()
    source.setElements([])
    XCTAssertEqual(heard, 1)
    observation = source.observe { _ in heard += 1 }
    observation = nil
    source.setElements(["a"])
    XCTAssertEqual(heard, 1)
  }

  func testObserversLearnThatAnEmptySourceIsNoLongerPending() {
    let source = ArraySource<String>()
    source.loadState = .loading
    var batches: [ListBatch] = []
    let observation = source.observe { batches.append($0) }
    source.setElements([])
    XCTAssertEqual(batches.count, 0)
    source.loadState = .loaded
    XCTAssertEqual(batches, [ListBatch(before: source.snapshot, after: source.snapshot)])
    source.loadState = .loaded
    XCTAssertEqual(batches.count, 1)
    observation.cancel()
  }

  func testARowIsNotDeletedBeforeTheSourceIsReady() {
    struct Away: Error {}
    let source = source(["a"])
    let identifiers = ["a", "b"].map { ModelIdentifier("test:" + $0) }
    for loadState in [LoadState.loading, .failed(Away())] {
      source.loadState = loadState
      XCTAssertEqual(identifiers.map { source.row(for: $0) }, [.row(RowPath(item: 0)), .notLoaded], "\(loadState)")
    }
    source.loadState = .loaded
    XCTAssertEqual(identifiers.map { source.row(for: $0) }, [.row(RowPath(item: 0)), .deleted])
  }
}

/// A source of the main actor, as another module would write one: compiling is the test.
@MainActor private final class DirectorySource: @MainActor DataSource {
  private var names: [String]
  private let observers = ListObservers()
  init(_ names: [String]) { self.names = names }
  var loadState: LoadState { .loaded }
  func rowCount(inSection section: Int) -> Int { names.count }
  func element(at path: RowPath) -> String { names[path.item] }
  func modelIdentifier(at path: RowPath) -> ModelIdentifier? { nil }
  func row(for identifier: ModelIdentifier) -> RowLookup { .notLoaded }
  func observe(_ body: @escaping (ListBatch) -> Void) -> ListObservation { observers.add(body) }
}

@MainActor
final class PlugInTests: XCTestCase {
  func testASourceOfTheMainActorServesAnyDataSource() async {
    let source: any DataSource<String> = DirectorySource(["a", "b"])
    XCTAssertEqual(source.count, 2)
    XCTAssertEqual(source.snapshot, ListSnapshot(rowCount: 2))
  }
}
