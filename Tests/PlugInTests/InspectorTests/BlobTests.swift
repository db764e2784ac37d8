import Browser
import Foundation
import Inspected
import RepriseCore
import XCTest

/// The page loads data that nobody asked for, or downloads other data.
@MainActor
final class BlobTests: XCTestCase {
  private var notes: Notes!

  override func setUp() async throws { notes = try await Notes() }

  override func tearDown() async throws {
    try await notes.store.close()
    notes = nil
  }

  func testABlobLoadsWithoutAClick() async throws {
    let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 * 31 / 7) }
    let blob = try await Blob(bytes, in: notes.store)
    let added = try await notes.save("Add") {
      _ = $0.insert(Picture("Sea", preview: [60, 98, 62, 0, 255], original: blob))
    }
    let changed = try await Blob(Array("another".utf8), in: notes.store)
    try await notes.save("Change") { try $0.fetch(Fetch<Picture>())[0]._storage.set(2, changed) }
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "fetch=Picture&at=\(added)")
    let cell = try await page.text("[data-row='0'] [data-property=original]")
    XCTAssertEqual(cell, "data, 3.0 MB")
    let short = try await page.text("[data-row='0'] [data-property=preview]")
    XCTAssertEqual(short, "3c623e00ff")
    try await page.click("[data-row='0'] [role=gridcell]:nth-child(2)")
    let original = "#detail [data-property=original]"
    try await page.wait(for: "Digest of 3.0 MB of data", in: original)
    try await page.wait(for: "5 bytes", in: "#detail [data-property=preview]")
    try await page.rest()
    let loaded = try await page.number(
      "performance.getEntriesByType('resource').filter(each => each.name.includes('api/value')).length")
    XCTAssertEqual(loaded, 0, "nobody has clicked")
    // The link downloads the bytes of the shown moment.
    func download(_ property: String) async throws -> [String: Any]? {
      try await page.value(
        """
        fetch(document.querySelector("#detail [data-property=\(property)] a.button").href).then(async answer => {
          const bytes = new Uint8Array(await answer.arrayBuffer());
          const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
          return {
            count: bytes.length, digest: [...digest].map(each => each.toString(16).padStart(2, "0")).join(""),
            kind: answer.headers.get("Content-Type"), place: answer.headers.get("Content-Disposition").split(";")[0],
          };
        })
        """) as? [String: Any]
    }
    let whole = try await download("original")
    XCTAssertEqual(whole?["count"] as? Int, bytes.count)
    XCTAssertEqual(whole?["digest"] as? String, blob.sha256)
    XCTAssertEqual(whole?["kind"] as? String, "application/octet-stream")
    XCTAssertEqual(whole?["place"] as? String, "attachment", "the browser must not show hostile data")
    let few = try await download("preview")
    XCTAssertEqual(few?["count"] as? Int, 5)
    try await page.click("#now")
    try await page.wait(for: "Digest of 7 bytes of data", in: original)
    let later = try await download("original")
    XCTAssertEqual(later?["digest"] as? String, changed.sha256)
    try await page.close()
  }
}
