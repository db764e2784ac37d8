import Foundation
import RepriseCore
import RepriseDynamic
import RepriseInspector
import XCTest

/// The store of the manual's pictures differs between two runs. `.ci/screenshots` keeps it, in `REPRISE_PICTURE_STORE`.
@MainActor
final class PictureStoreTests: XCTestCase {
  func testPicturesHaveOtherTimes() async throws {
    let kept = ProcessInfo.processInfo.environment["REPRISE_PICTURE_STORE"]
    let path = kept ?? NSTemporaryDirectory() + "reprise-pictures-\(UUID().uuidString)"
    defer { if kept == nil { try? FileManager.default.removeItem(atPath: path) } }
    try await PictureStore.make(at: path)
    let store = try await Store.open(inspecting: path)
    let inspection = Inspection(store, isEditable: false, author: "inspector", live: nil)
    func answer(_ path: String) async throws -> [String: Any] {
      guard case .bytes(let bytes) = await inspection.answer(PageRequest(.get, path)).body else { return [:] }
      return try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] ?? [:]
    }
    let head = try await answer("api/store")["head"] as? [String: Any]
    XCTAssertEqual(head?["time"] as? String, "2026-10-09 21:39:29")
    let drafts = try await answer("api/drafts")["drafts"] as? [[String: Any]]
    XCTAssertEqual(drafts?.map { $0["time"] as? String }, ["2026-10-16 16:40:00", "2026-10-16 16:40:00"])
    let scenes = try await answer("api/scenes")["scenes"] as? [[String: Any]]
    XCTAssertEqual(scenes?.map { ($0["nodes"] as? [Any])?.count }, [2])
    try await store.close()
  }
}
