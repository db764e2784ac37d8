import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestOpening
import XCTest

/// Lists that are made before their store is open.
@MainActor final class PendingListTests: XCTestCase {
  private let path = NSTemporaryDirectory() + "reprise-\(UUID().uuidString)"

  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private var everything: Fetch<Item> { Fetch<Item>().sorted { $0.name.ascending } }

  private func chair() async throws {
    let store = try await Store.open(path, for: Item.self, Person.self)
    store.mainContext.insert(Item(name: "Chair"))
    try await store.mainContext.save()
    try await store.close()
  }

  func testAListIsPendingUntilItsStoreIsOpenAndThenDeliversOneBatch() async throws {
    try await chair()
    let hold = OpeningHold(path)
    let store = Store.opening(path, for: Item.self, Person.self)
    let (list, unobserved) = (
      try FetchedList(everything, in: store.mainContext), try FetchedList(everything, in: store.mainContext)
    )
    guard case .loading = list.loadState else { return XCTFail("\(list.loadState)") }
    XCTAssertEqual(list.count, 0)
    XCTAssertEqual(list.row(for: ModelIdentifier("reprise://whatever")), .notLoaded)
    XCTAssertThrowsError(try list.setFetch(everything.limit(1)))
    var batches: [ListBatch] = []
    let observation = list.observe { batches.append($0) }
    store.mainContext.insert(Item(name: "Table"))
    for _ in 0..<10 { await Task.yield() }
    XCTAssertEqual(batches.count, 0)
    hold.release()
    try await store.mainContext.ready()
    await list.delivered()
    XCTAssertEqual(batches.map(\.after.count), [2])
    XCTAssertTrue(list.loadState.isLoaded)
    XCTAssertEqual(list.names, ["Chair", "Table"])
    XCTAssertEqual(unobserved.names, ["Chair", "Table"])
    _ = observation
    try await store.close()
  }

  func testAListWhoseStoreCannotBeOpenedSaysSoInABatchAndHasItsRowsWhenItCan() async throws {
    let store = Store.opening(path + "/store", for: Item.self, Person.self)
    // It may have failed already: then there is nothing to wait for.
    guard let list = try? FetchedList(everything, in: store.mainContext) else { return }
    var batches: [ListBatch] = []
    let observation = list.observe { batches.append($0) }
    _ = try? await store.ready()
    while batches.isEmpty { await Task.yield() }
    guard case .failed(let error) = list.loadState else { return XCTFail("\(list.loadState)") }
    XCTAssert("\(error)".contains("There is no"), "\(error)")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    store.retryOpening()
    try await store.mainContext.ready()
    await list.delivered()
    XCTAssertTrue(list.loadState.isLoaded)
    _ = observation
    try await store.close()
  }
}
