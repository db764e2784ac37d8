import Foundation
import RepriseEventStore
import RepriseFoundation
import RepriseObjectModel
import XCTest

final class StoreURLTests: XCTestCase {
  func testAStoreIsOpenedAtAFileURLWithSpacesInIt() async throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("reprise \(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: url) }
    let store = try await Store.open(at: url, for: Schema())
    XCTAssertEqual(store.path, url.path)
    try await store.close()
    XCTAssertTrue(FileManager.default.fileExists(atPath: url.path + "/data.mdb"))
  }

  func testAURLOfTheWebIsRefused() async throws {
    let url = try XCTUnwrap(URL(string: "https://example.com/store"))
    do {
      _ = try await Store.open(at: url, for: Schema())
      XCTFail("opened")
    } catch {
      guard case StoreError.notAStore(let path, _) = error else { return XCTFail("\(error)") }
      XCTAssertEqual(path, "https://example.com/store")
    }
  }
}
