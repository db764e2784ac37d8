import Browser
import Foundation
import Inspected
import RepriseCore
import XCTest

/// The page keeps the state of its connection for itself, or works while nobody sees it.
@MainActor
final class ConnectionTests: XCTestCase {
  private var notes: Notes!
  private let title = "#grid [data-row='0'] [data-property=title]"

  override func setUp() async throws {
    notes = try await Notes()
    try await notes.save("Add") { _ = $0.insert(Note("Tea")) }
  }

  override func tearDown() async throws {
    try await notes.store.close()
    notes = nil
  }

  func testALostConnectionHasNoReason() async throws {
    var inspector: InspectCommand? = try InspectCommand(notes.path)
    let port = inspector!.port
    let page = try await BrowserPage(inspector!.url, "fetch=Note")
    try await page.wait(for: "Tea", in: title)
    inspector = nil
    try await page.wait(for: "tries again every two seconds", in: "#lost")
    inspector = try InspectCommand(notes.path, ["--port", "\(port)"])
    try await page.wait(for: "Another inspector answers at this address", in: "#lost")
    // The next failed stream of events must not hide the reason.
    try await Task.sleep(for: .seconds(3))
    let reason = try await page.text("#lost")
    XCTAssertEqual(
      reason,
      "Another inspector answers at this address, and each inspector has a new token. The page shows the last data "
        + "that it received. Open the address that the new inspector has printed.")
    inspector = nil
    try await page.wait(for: "tries again every two seconds", in: "#lost")
    let shown = try await page.text(title)
    XCTAssertEqual(shown, "Tea")
    try await page.close(expecting: "Failed to load resource")
  }

  func testAnotherProgramCountsAsTheInspector() async throws {
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "fetch=Note")
    try await page.wait(for: "Tea", in: title)
    // A program that answers to all requests with its own page.
    _ = try await page.value(
      "window.fetch = async () => new Response('<p>Hello', { headers: { 'Content-Type': 'text/html' } })")
    try await notes.save("Rename") { try $0.fetch(Fetch<Note>())[0].title = "Green tea" }
    try await page.wait(for: "Another program answers at this address", in: "#lost")
    let shown = try await page.text(title)
    XCTAssertEqual(shown, "Tea")
    try await page.close()
  }

  func testAHiddenTabReadsEachSave() async throws {
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "fetch=Note")
    try await page.wait(for: "Tea", in: title)
    try await page.rest()
    _ = try await page.value(
      """
      (() => {
        const real = window.fetch;
        window.requests = [];
        window.fetch = (address, options) => {
          window.requests.push(address);
          return real(address, options);
        };
        window.show = isShown => {
          Object.defineProperty(document, "hidden", { configurable: true, get: () => !isShown });
          document.dispatchEvent(new Event("visibilitychange"));
        };
        window.show(false);
        new EventSource("api/events").addEventListener("head", event => { window.head = JSON.parse(event.data); });
      })()
      """)
    for name in ["Green tea", "Cold tea", "Iced tea"] {
      let saved = try await notes.save("Rename") { try $0.fetch(Fetch<Note>())[0].title = name }
      try await page.wait("the browser has the event", "window.head?.position === \(saved)")
    }
    try await page.rest()
    let requests = try await page.value("window.requests") as? [String]
    XCTAssertEqual(requests, [])
    _ = try await page.value("window.show(true)")
    try await page.wait(for: "Iced tea", in: title)
    try await page.rest()
    let rows = try await page.number("window.requests.filter(each => each.startsWith('api/rows')).length")
    XCTAssertEqual(rows, 1, "three saves need one read")
    try await page.close()
  }
}
