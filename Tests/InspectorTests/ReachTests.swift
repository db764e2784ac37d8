import Foundation
import RepriseCore
import RepriseInspector
import RepriseTestModels
import XCTest

/// The page offers rows that it cannot get, or hides others.
@MainActor
final class ReachTests: XCTestCase {
  private let path = NSTemporaryDirectory() + "reprise-reach-\(UUID().uuidString)"

  override func tearDown() async throws { try? FileManager.default.removeItem(atPath: path) }

  private func answer(_ inspection: Inspection, _ query: [String: String]) async throws -> (Int, [String: Any]) {
    let answer = await inspection.answer(PageRequest(.get, "api/rows", query: query))
    guard case .bytes(let bytes) = answer.body else { return (answer.status, [:]) }
    return (answer.status, try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] ?? [:])
  }

  func testTheReachIsAnother() async throws {
    let store = try await Store.open(path, for: Note.self, Notebook.self)
    let context = RootContext(store)
    for number in 0..<5 { context.insert(Note(title: "Note \(number)", body: "", rank: number)) }
    try await context.save("Add")
    for (most, fetch, reach) in [
      (5, "Note order by body", 5), (2, "Note order by rank", 5), (2, "Note order by rank desc", 5),
      (2, "Note order by body", 2), (2, "Note where rank > 0 order by body limit 4", 2),
    ] {
      var limits = RowOrder.Limits()
      limits.mostRows = most
      limits.mostVisits = most
      let inspection = Inspection(store, isEditable: false, author: "inspector", live: nil, limits: limits)
      let (status, first) = try await answer(inspection, ["fetch": fetch, "limit": "1"])
      XCTAssertEqual(status, 200, fetch)
      XCTAssertEqual(first["reach"] as? Int, reach, fetch)
      let total = try XCTUnwrap(first["total"] as? Int, fetch)
      let (end, last) = try await answer(inspection, ["fetch": fetch, "offset": "\(reach - 1)", "limit": "1"])
      XCTAssertEqual(end, 200, fetch)
      XCTAssertEqual((last["rows"] as? [Any])?.count, 1, fetch)
      if reach == total { continue }
      let (beyond, refusal) = try await answer(inspection, ["fetch": fetch, "offset": "\(reach)", "limit": "1"])
      XCTAssertEqual(beyond, 400, fetch)
      XCTAssertEqual(
        refusal["message"] as? String,
        "The store has no index in this order, so the page has only its first 2 rows. Add a condition, or sort by an "
          + "indexed property.")
    }
    try await store.close()
  }
}
