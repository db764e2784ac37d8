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
    let inspection = Inspection(store, isEditable: false, live: LiveContexts())
    let live = try await state(inspection)
    let contexts = try XCTUnwrap(live["contexts"])
    XCTAssertEqual(contexts.map { $0["isMain"] as? Bool }, [true, false])
    XCTAssertEqual(contexts.map { $0["updated"] as? Int }, [0, 1])
    XCTAssertEqual(contexts.last?["parent"] as? Int, 1)
    XCTAssertEqual(contexts.last?["undo"] as? [String], ["the last change"])
    let changes = try XCTUnwrap(contexts.last?["changes"] as? [[String: Any]])
    let last = (changes.first?["properties"] as? [[String: Any]])?.first { $0["property"] as? String == "last" }
    XCTAssertEqual(last?["new"] as? String, "Klein")
  }

  func testAnAddedContextIsKeptAlive() async throws {
    let live = LiveContexts()
    let inspection = Inspection(store, isEditable: false, live: live)
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
