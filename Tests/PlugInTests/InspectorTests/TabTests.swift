import Browser
import Foundation
import Inspected
import RepriseCore
import RepriseInspector
import XCTest

/// Several tabs, or requests that are no longer needed, keep the page from its connections.
@MainActor
final class TabTests: XCTestCase {
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

  func testAnEighthTabStaysEmpty() async throws {
    let inspector = try InspectCommand(notes.path)
    var tabs: [BrowserPage] = []
    for _ in 0..<8 {
      let tab = try await BrowserPage(inspector.url, "fetch=Note")
      try await tab.wait(for: "Tea", in: title)
      tabs.append(tab)
    }
    try await notes.save("Rename") { try $0.fetch(Fetch<Note>())[0].title = "Green tea" }
    for tab in tabs {
      // A hidden tab waits with its requests.
      try await tab.send("Page.bringToFront")
      try await tab.wait(for: "Green tea", in: title)
    }
    // The first tab keeps the stream alive for the last one.
    try await tabs.removeFirst().close()
    try await notes.save("Rename") { try $0.fetch(Fetch<Note>())[0].title = "Cold tea" }
    for tab in tabs {
      try await tab.send("Page.bringToFront")
      try await tab.wait(for: "Cold tea", in: title)
      try await tab.close()
    }
  }

  func testASlowFetchHoldsUpTheNextOne() async throws {
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "fetch=Note")
    // The server never answers the slow fetch.
    _ = try await page.value(
      """
      (() => {
        const real = window.fetch;
        window.signals = [];
        window.fetch = (address, options) => {
          if (!address.includes("slow")) return real(address, options);
          window.signals.push(options.signal);
          return new Promise((_, fail) => options.signal?.addEventListener("abort",
            () => fail(new DOMException("cancelled", "AbortError"))));
        };
        const field = document.querySelector("#filter");
        field.focus();
        field.select();
      })()
      """)
    try await page.write("Note where title != \"slow\"")
    try await page.wait("the slow fetch runs", "window.signals.length === 1")
    _ = try await page.value("document.querySelector('#filter').select()")
    try await page.write("Note where title != \"quick\"")
    try await page.wait("the slow fetch is cancelled", "window.signals[0].aborted")
    try await page.rest()
    try await page.wait("the address has the quick fetch", "location.hash.includes('quick')")
    try await page.wait(for: "Tea", in: title)
    try await page.close()
  }

  func testTheServerOutlivesItsStore() async throws {
    let inspector = try await Inspector.serve(notes.store)
    let page = try await BrowserPage(inspector.url, "fetch=Note")
    try await page.wait(for: "Tea", in: title)
    try await notes.store.close()
    try await page.wait("the page has noticed", "!document.querySelector('#lost').hidden")
    // Nobody calls stop().
    while try await page.value("fetch('api/store').then(() => true, () => false)") as? Bool == true {
      try await Task.sleep(for: .milliseconds(10))
    }
    try await page.close(expecting: "Failed to load resource")
  }
}
