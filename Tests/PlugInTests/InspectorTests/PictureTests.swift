import Browser
import Foundation
import Inspected
import XCTest

/// A view of the page fails with a store that people have used. The test also takes the pictures of the manual.
/// `.ci/screenshots` names their folder in `REPRISE_PICTURES`, and the store in `REPRISE_PICTURE_STORE`.
@MainActor
final class PictureTests: XCTestCase {
  private let environment = ProcessInfo.processInfo.environment
  private var page: BrowserPage!

  private func picture(_ name: String) async throws {
    guard let folder = environment["REPRISE_PICTURES"] else { return }
    // A caret would blink, and the live region shows its text for some seconds only.
    _ = try await page.value("document.activeElement?.blur()")
    _ = try await page.value("document.querySelector('#status').textContent = ''")
    try await page.rest()
    try await page.photograph("\(folder)/\(name).png")
  }

  /// The number of the last transaction with a name, by an author.
  private func position(_ name: String, _ author: String) async throws -> Int {
    let found = try await page.number(
      "fetch('api/log?limit=100&author=\(author)').then(a => a.json())"
        + ".then(a => a.transactions.find(t => t.name === '\(name)')?.position)")
    return Int(found ?? 0)
  }

  private func takeGrid(_ name: String) async throws {
    try await page.go("fetch=Note%20order%20by%20rank%2C%20title")
    let note = try await page.value("document.querySelectorAll('[data-row]')[1].dataset.id") as? String ?? ""
    let changed = try await position("Correct the figures", "dora")
    try await page.go("fetch=Note%20order%20by%20rank%2C%20title&at=\(changed - 1)&object=\(note)&property=title")
    // The marks show the steps of the reader.
    for _ in 0..<2 { try await page.click("#forward") }
    try await page.wait(for: "History of title", in: "#detail")
    try await picture(name)
  }

  func testAViewFailsWithAUsedStore() async throws {
    guard let store = environment["REPRISE_PICTURE_STORE"] else {
      throw XCTSkip("Only .ci/screenshots has the store.")
    }
    let inspector = try InspectCommand(store, ["--edit"])
    page = try await BrowserPage(inspector.url)
    try await takeGrid("inspector-objects")
    let corrected = try await position("Correct the figures", "dora")
    try await page.go("tab=log&entry=\(corrected)")
    try await page.wait(for: "Correct the figures", in: "#log")
    try await picture("inspector-log")
    let renamed = try await position("Change the headline", "ben")
    try await page.go("tab=log")
    try await page.click("[data-position='\(renamed)'] button.revert")
    try await page.wait(for: "Choose a value for", in: "#revert")
    try await picture("inspector-revert")
    try await page.go("tab=drafts")
    try await page.wait(for: "letter-to-readers", in: "#panel-drafts")
    _ = try await page.value("document.querySelectorAll('details').forEach(d => { d.open = true })")
    try await picture("inspector-drafts")
    try await page.go("tab=plans")
    for fetch in [
      #"Note where body contains "baker""#, #"Note where notebook.name == "Garden" order by rank"#,
      #"Note where title begins "The" order by title"#,
    ] {
      try await page.enter(fetch, in: "#plan-fetch")
    }
    try await page.wait(for: "begins", in: "#plans")
    try await picture("inspector-plans")
    try await page.close()
    page = try await BrowserPage(inspector.url, isDark: true)
    try await takeGrid("inspector-objects~dark")
    try await page.close()
  }
}
