import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// A store in a folder of its own, gone with the test. No flushes: tests of lists do not cut the power.
final class TestStore {
  let path: String
  let store: Store

  /// - Parameter windowBudget: How many bytes of recent changes memory keeps.
  init(_ schema: Schema = Schema(Item.self, Person.self), windowBudget: Int? = nil) throws {
    path = NSTemporaryDirectory() + "reprise-lists-\(UUID().uuidString)"
    var options = StoreOptions()
    if let windowBudget { options.windowBudget = windowBudget }
    options.isUnflushed = true
    store = try Store.openNow(path, for: schema, options)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A test with a store, and a context in no isolation.
class ListsTestCase: XCTestCase {
  private(set) var test: TestStore!
  private(set) var context: RootContext!

  override func setUpWithError() throws {
    test = try TestStore()
    context = RootContext(test.store)
  }

  override func tearDown() {
    context = nil
    test = nil
  }
}

/// The seeds of a random test's rounds, each with so many changes: as many as make up `REPRISE_CHANGES`. Each round has
/// a store of its own, so that a long run does not slow down.
func seedsOfRounds(_ usual: Int, changes: Int, test: String = #function) -> [UInt64] {
  let wanted = ProcessInfo.processInfo.environment["REPRISE_CHANGES"].flatMap { Int($0) }
  return testSeeds(wanted.map { max(1, ($0 + changes - 1) / changes) } ?? usual, test: test)
}

extension FetchedList {
  /// All elements, in order.
  var elements: [Element] {
    (0..<sectionCount).flatMap { section in
      (0..<rowCount(inSection: section)).map { element(at: RowPath(section: section, item: $0)) }
    }
  }
}

extension FetchedList<Item> {
  var names: [String] { elements.map(\.name) }

  /// Sections as `A: apple, ant`.
  var outline: [String] {
    (0..<sectionCount).map { section in
      let names = (0..<rowCount(inSection: section)).map { element(at: RowPath(section: section, item: $0)).name }
      return (sectionName(section) ?? "-") + ": " + names.joined(separator: ", ")
    }
  }
}

/// Keeps what a list delivered, and checks that the batches join up.
final class Recorder {
  private(set) var batches: [ListBatch] = []
  private(set) var shown: ListSnapshot
  private var observation: ListObservation?

  init(_ list: some DataSource, file: StaticString = #filePath, line: UInt = #line) {
    shown = list.snapshot
    observation = list.observe { [unowned self, unowned list] batch in
      XCTAssertEqual(batch.before, shown, "a batch does not begin where the last one ended", file: file, line: line)
      XCTAssertEqual(list.snapshot, batch.after, "the list is not what its batch says", file: file, line: line)
      shown = batch.after
      batches.append(batch)
    }
  }

  func cancel() { observation?.cancel() }
}
