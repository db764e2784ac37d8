import Browser
import Foundation
import Inspected
import RepriseCore
import XCTest

/// The page shows something else than the store has.
@MainActor
final class PageTests: XCTestCase {
  private var notes: Notes!

  override func setUp() async throws { notes = try await Notes() }

  override func tearDown() async throws {
    try await notes.store.close()
    notes = nil
  }

  func testARowFarDownIsAnother() async throws {
    let count = 100_000
    try await notes.save("Import") { context in
      // The order of insertion differs from the order of the titles.
      for number in 0..<count { context.insert(Note("Note \(number * 7_919 % count)", stars: number % 6)) }
    }
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "fetch=Note%20order%20by%20title")
    try await page.wait(for: "100,000 objects", in: "#total")
    let context = RootContext(notes.store)
    for index in [90_000, count - 1, 4] {
      let expected = try context.fetch(Fetch<Note>().sorted { $0.title }.limit(1, offset: index))[0]
      _ = try await page.value(
        "(g => { g.scrollTop = \(index) * parseFloat(g.style.getPropertyValue('--row')) })"
          + "(document.querySelector('#grid'))")
      let row = "[data-row='\(index)'][data-id]"
      try await page.wait("row \(index) is there", "document.querySelector(\"\(row)\")")
      let title = try await page.text("\(row) [data-property=title]")
      XCTAssertEqual(title, expected.title)
      let stars = try await page.text("\(row) [data-property=stars]")
      XCTAssertEqual(stars, "\(expected.stars)")
    }
    try await page.close()
  }

  func testAnOldValueIsTheNewOne() async throws {
    let added = try await notes.save("Add") { _ = $0.insert(Note("Tea")) }
    let renamed = try await notes.save("Rename", by: "ben") { try self.notes.note("Tea", in: $0).title = "Green tea" }
    // The page writes times in seconds, so the last transaction is from another one.
    try await Task.sleep(for: .milliseconds(1_100))
    try await notes.save("Rename") { try self.notes.note("Green tea", in: $0).title = "Cold tea" }
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "fetch=Note")
    let title = "#grid [data-row='0'] [data-property=title]"
    try await page.wait(for: "Cold tea", in: title)
    _ = try await page.value(
      "(s => { s.value = '\(added)'; s.dispatchEvent(new Event('input')) })(document.querySelector('#slider'))")
    try await page.wait(
      "the title is the first one", "document.querySelector(\"\(title)\").innerText.startsWith('Tea')")
    let time = try await page.value(
      "fetch('api/moment?position=\(renamed)').then(a => a.json()).then(m => m.time)")
    try await page.enter("\(time ?? "")", in: "#moment")
    try await page.wait(for: "Green tea", in: title)
    try await page.wait(for: "ben", in: "#moment-text")
    try await page.enter("@1", in: "#moment")
    try await page.wait(for: "0 objects", in: "#total")
    try await page.click("#now")
    try await page.wait(for: "Cold tea", in: title)
    try await page.close()
  }

  func testAHostileValueRuns() async throws {
    let values = [
      Hostile.script, "<script>window.wasExecuted = 3</script>", "\"' onmouseover='window.wasExecuted = 4' x=\"",
      "javascript:window.wasExecuted = 5", "${window.wasExecuted = 6}", "\u{202E}abc\u{2066}", "a\u{0}b\n\u{1B}[31m",
      String(repeating: "<b>long</b>", count: 30_000),
    ]
    try await notes.save(Hostile.script, by: "<svg onload='window.wasExecuted = 7'>") { context in
      for value in values {
        _ = context.insert(Hostile(value))
        _ = context.insert(Note(value, body: value))
        _ = context.insert(Folder(value))
      }
    }
    try await notes.save("Change") { context in
      for note in try context.fetch(Fetch<Note>()) { note.body += "<img src=x onerror='window.wasExecuted = 8'>" }
    }
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url)
    let entities = try await page.number("document.querySelectorAll('[data-entity]').length")
    XCTAssertEqual(entities, 4)
    for index in 0..<3 {
      _ = try await page.value("document.querySelectorAll('[data-entity]')[\(index)].click()")
      try await page.wait(for: "8 objects", in: "#total")
      try await page.rest()
      for row in 0..<8 {
        try await page.click("[data-row='\(row)'] [role=gridcell]:nth-child(2)")
        try await page.wait("the object is shown", "document.querySelector('#detail').dataset.id")
      }
    }
    for tab in ["log", "drafts", "plans", "grid"] { try await page.click("#tab-\(tab)") }
    try await page.go("tab=log&author=\("<img src=x onerror='window.wasExecuted = 9'>".urlEncoded)&fetch=Note")
    let ran = try await page.value("String(window.wasExecuted)") as? String
    XCTAssertEqual(ran, "undefined")
    let planted = try await page.number("document.querySelectorAll('main img, main svg, main script, main b').length")
    XCTAssertEqual(planted, 0)
    try await page.close()
  }

  func testAMistakeHasNoPlace() async throws {
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "fetch=Note")
    try await page.enter("Note where titel == 1", in: "#filter")
    try await page.wait(for: "Column 12: titel", in: "#filter-error")
    try await page.wait(for: "Note has no property 'titel'. Did you mean 'title'?", in: "#filter-error")
    let marked = try await page.text(".mirror mark")
    XCTAssertEqual(marked, "titel")
    try await page.enter("Note where stars ==", in: "#filter")
    try await page.wait(for: "Column 20", in: "#filter-error")
    try await page.close(expecting: "status of 400")
  }

  func testKeysReachNoDetail() async throws {
    try await notes.save("Add") { context in
      for title in ["Tea", "Coffee", "Juice"] { _ = context.insert(Note(title)) }
    }
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url)
    try await page.press("/")
    try await page.wait("the filter has the focus", "document.activeElement.id === 'filter'")
    _ = try await page.value("document.activeElement.select()")
    try await page.write("Note order by title")
    try await page.press("Enter")
    try await page.wait(for: "3 objects", in: "#total")
    try await page.press("Escape")
    try await page.wait("the grid has the focus", "document.activeElement.id === 'grid'")
    for key in ["ArrowDown", "Enter"] { try await page.press(key) }
    try await page.wait(for: "Juice", in: "#detail h2")
    try await page.wait("the detail has the focus", "document.activeElement.id === 'detail'")
    try await page.press("Escape")
    try await page.wait("the detail is closed", "document.querySelector('#detail').hidden")
    try await page.close()
  }
}

extension String {
  fileprivate var urlEncoded: String { addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" }
}
