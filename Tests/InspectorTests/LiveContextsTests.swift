import Foundation
import RepriseCore
import RepriseDynamic
import RepriseInspector
import RepriseTestModels
import RepriseTestTool
import XCTest

/// The page shows another state of the program that serves it.
@MainActor
final class LiveContextsTests: XCTestCase {
  private var test: ToolStore!
  private var store: Store!

  override func setUp() async throws {
    test = try await ToolStore()
    try await test.store.close()
    store = try await Store.open(test.path, for: Guest.self, Hotel.self)
  }

  override func tearDown() async throws { try await store.close() }

  private func state(_ inspection: Inspection) async throws -> [String: [[String: Any]]] {
    let answer = await inspection.answer(PageRequest(.get, "api/live"))
    guard case .bytes(let bytes) = answer.body else { return [:] }
    return try XCTUnwrap(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: [[String: Any]]])
  }

  func testAnUnsavedChangeIsNotShown() async throws {
    let context = store.mainContext
    let eve = try XCTUnwrap(context.fetch(Fetch<Guest>()).first)
    let child = context.makeChild()
    try child.object(eve.id).last = "Klein"
    let inspection = Inspection(store, isEditable: false, author: "inspector", live: LiveContexts())
    let live = try await state(inspection)
    let contexts = try XCTUnwrap(live["contexts"])
    XCTAssertEqual(contexts.map { $0["isMain"] as? Bool }, [true, false])
    XCTAssertEqual(contexts.map { $0["updated"] as? Int }, [0, 1])
    XCTAssertEqual(contexts.last?["parent"] as? Int, 1)
    XCTAssertEqual(contexts.last?["undo"] as? [String], ["a change without a name"])
    let changes = try XCTUnwrap(contexts.last?["changes"] as? [[String: Any]])
    let last = (changes.first?["properties"] as? [[String: Any]])?.first { $0["property"] as? String == "last" }
    XCTAssertEqual(last?["new"] as? String, "Klein")
  }

  func testAStepToUndoIsNotShown() async throws {
    let context = store.mainContext
    let eve = try XCTUnwrap(context.fetch(Fetch<Guest>()).first)
    for name in ["Rename", "Move", "Merge"] { context.group(name) { eve.last += name } }
    context.undo()
    let list = try FetchedList(Fetch<Guest>(), in: context)
    let inspection = Inspection(store, isEditable: false, author: "inspector", live: LiveContexts())
    let shown = try await state(inspection)["contexts"]?.first
    XCTAssertEqual(shown?["undo"] as? [String], ["Move", "Rename"])
    XCTAssertEqual(shown?["redo"] as? [String], ["Merge"])
    let observers = try XCTUnwrap(shown?["observers"] as? [[String: Any]])
    XCTAssertEqual(observers.map { $0["type"] as? String }, ["FetchedList<Guest>"])
    XCTAssertEqual(observers.map { $0["count"] as? Int }, [1])
    withExtendedLifetime(list) {}
  }

  func testAFetchOfTheProgramIsNotShown() async throws {
    let live = LiveContexts()
    let inspection = Inspection(store, isEditable: false, author: "inspector", live: live)
    store.add(live.fetches)
    let context = store.mainContext
    let fetch = Fetch<Guest> { $0.last == "Nobody" }
    for _ in 0..<3 { XCTAssertEqual(try context.fetch(fetch).count, 0) }
    XCTAssertEqual(try context.count(Fetch<Guest>()), 1)
    XCTAssertFalse(try context.exists(fetch))
    XCTAssertEqual(try context.fetchIDs(Fetch<Guest>().limit(1)).count, 1)
    let list = try FetchedList(Fetch<Hotel>(), in: context)
    // The page's fetches are not the program's.
    _ = await inspection.answer(PageRequest(.get, "api/rows", query: ["fetch": "Guest"]))
    let answer = try await state(inspection)
    let fetches = try XCTUnwrap(answer["fetches"])
    XCTAssertEqual(fetches.map { $0["method"] as? String }, ["list", "fetchIDs", "exists", "count", "fetch"])
    XCTAssertEqual(fetches.map { $0["count"] as? Int }, [list.count, 1, 0, 1, 0])
    XCTAssertEqual(fetches.map { $0["runs"] as? Int }, [1, 1, 1, 1, 3])
    XCTAssertEqual(fetches.last?["text"] as? String, "Guest where last == \"Nobody\"")
    XCTAssertEqual(
      fetches.last?["plan"] as? String,
      "By a scan of all objects, already sorted: 1 objects visited (1 expected), at most 0 rows in memory at once.")
    XCTAssertEqual(
      fetches[3]["plan"] as? String, "By an index or a counter of the store alone, without a visit to an object.")
    for fetched in fetches {
      let (last, slowest) = (fetched["milliseconds"] as? Double, fetched["slowest"] as? Double)
      XCTAssertGreaterThan(try XCTUnwrap(last), 0)
      XCTAssertGreaterThanOrEqual(try XCTUnwrap(slowest), try XCTUnwrap(last))
    }
    store.remove(live.fetches)
    _ = try context.count(fetch)
    let count = try await state(inspection)["fetches"]?.count
    XCTAssertEqual(count, 5)
  }

  func testAnAddedContextIsKeptAlive() async throws {
    let live = LiveContexts()
    let inspection = Inspection(store, isEditable: false, author: "inspector", live: live)
    var context: RootContext? = RootContext(store, name: "import")
    weak var weakContext = context
    live.add(try XCTUnwrap(context))
    let shown = try await state(inspection)["contexts"]?.compactMap { $0["name"] as? String }
    XCTAssertEqual(shown, ["import"])
    context = nil
    XCTAssertNil(weakContext)
    let left = try await state(inspection)["contexts"]?.count
    XCTAssertEqual(left, 0)
  }
}
