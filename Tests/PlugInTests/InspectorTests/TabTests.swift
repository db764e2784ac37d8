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
