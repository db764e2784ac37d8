import Browser
import Foundation
import Inspected
import XCTest

/// The inspector holds the store in memory. `.ci/bench inspector` names the store, and reads the rows that this test
/// prints.
@MainActor
final class PageMemoryTests: XCTestCase {
  /// Prints a row as `InspectorRow(printed:)` reads it.
  private func row(_ name: String, _ meaning: String, target: Double?, _ megabytes: Double?) {
    let text = megabytes.map { String(format: "%.1f", $0) } ?? ""
    print("row \(name)|\(meaning)|MB|\(target.map { "\($0)" } ?? "")|\(text)")
  }

  func testTheInspectorHoldsTheStore() async throws {
    guard let store = ProcessInfo.processInfo.environment["REPRISE_MOST_OBJECTS"] else {
      throw XCTSkip("Only .ci/bench inspector has the store.")
    }
    let inspector = try InspectCommand(store)
    let page = try await BrowserPage(inspector.url, "fetch=Item%20order%20by%20name")
    for share in 1...9 {
      _ = try await page.value(
        "(g => { g.scrollTop = (g.scrollHeight - g.clientHeight) * \(share) / 10 })(document.querySelector('#grid'))")
      try await page.rest()
    }
    for tab in ["log", "drafts", "plans"] { try await page.click("#tab-\(tab)") }
    row(
      "page.memory", "memory of inspect after ten places of the grid, without the pages of the store", target: 80,
      inspector.memory("RssAnon"))
    row(
      "page.memory.all", "the largest amount that it had, with these pages", target: nil, inspector.memory("VmHWM"))
    try await page.close()
  }
}
