import Browser
import Foundation
import Inspected
import RepriseCore
import XCTest

/// A reader with a keyboard loses the place in the page.
@MainActor
final class FocusTests: XCTestCase {
  private var notes: Notes!
  private let focused = "document.activeElement"

  override func setUp() async throws {
    notes = try await Notes()
    try await notes.save("Add") { context in
      for number in 1...300 { _ = context.insert(Note("Note \(1_000 + number)", stars: number % 7)) }
    }
  }

  override func tearDown() async throws {
    try await notes.store.close()
    notes = nil
  }

  /// The element that the keys of the grid have chosen, as "h-COLUMN" or "c-ROW-COLUMN".
  private func active(_ page: BrowserPage) async throws -> String {
    try await page.value("document.querySelector('#grid').getAttribute('aria-activedescendant')") as? String ?? ""
  }

  private func press(_ page: BrowserPage, _ keys: String..., leadsTo cell: String, line: UInt = #line) async throws {
    for key in keys { try await page.press(key) }
    try await page.rest()
    let now = try await active(page)
    XCTAssertEqual(now, cell, "after \(keys)", line: line)
  }

  func testAKeyOfTheGridLeadsElsewhere() async throws {
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "fetch=Note%20order%20by%20title")
    try await page.wait(for: "300 objects", in: "#total")
    _ = try await page.value("document.querySelector('#grid').focus()")
    try await press(page, "ArrowDown", "ArrowRight", leadsTo: "c-1-1")
    try await press(page, "End", leadsTo: "c-299-1")
    let last = try await page.text("#c-299-1")
    XCTAssertEqual(last, "Note 1300")
    try await press(page, "ArrowDown", leadsTo: "c-299-1")
    try await press(page, "ArrowUp", "ArrowLeft", leadsTo: "c-298-0")
    try await press(page, "ArrowLeft", leadsTo: "c-298-0")
    try await press(page, "Home", leadsTo: "c-0-0")
    try await press(page, "Control+ArrowRight", leadsTo: "c-0-4")
    try await press(page, "ArrowRight", leadsTo: "c-0-4")
    try await press(page, "Control+ArrowLeft", leadsTo: "c-0-0")
    try await press(page, "Control+ArrowDown", leadsTo: "c-299-0")
    try await press(page, "Control+ArrowUp", leadsTo: "c-0-0")
    let screen = try await page.number("document.querySelectorAll('#grid [data-row]').length") ?? 0
    try await page.press("PageDown")
    try await page.rest()
    let cell = try await active(page)
    let row = Double(cell.split(separator: "-")[1]) ?? 0
    XCTAssertTrue((screen - 4...screen).contains(row), "\(cell) of \(screen) rows")
    let isVisible = try await page.value(
      """
      (() => {
        const grid = document.querySelector("#grid").getBoundingClientRect();
        const cell = document.getElementById("\(cell)").getBoundingClientRect();
        return cell.top >= grid.top && cell.bottom <= grid.bottom + 1;
      })()
      """)
    XCTAssertEqual(isVisible as? Bool, true)
    try await press(page, "PageUp", leadsTo: "c-0-0")
    try await press(page, "ArrowUp", leadsTo: "h-0")
    try await page.close()
  }

  func testAHeadingLosesThePlaceAfterSorting() async throws {
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "fetch=Note%20order%20by%20title")
    try await page.wait(for: "300 objects", in: "#total")
    _ = try await page.value("document.querySelector('#grid').focus()")
    try await press(page, "ArrowUp", "ArrowRight", "ArrowRight", "ArrowRight", leadsTo: "h-3")
    for (order, first) in [("ascending", "0"), ("descending", "6")] {
      try await page.press("Enter")
      try await page.wait("it sorts", "document.querySelector('[data-heading=stars]').ariaSort === '\(order)'")
      try await page.rest()
      let cell = try await active(page)
      XCTAssertEqual(cell, "h-3", order)
      let stars = try await page.text("#c-0-3")
      XCTAssertEqual(stars, first)
      let hasFocus = try await page.value("\(focused).id === 'grid'") as? Bool
      XCTAssertEqual(hasFocus, true)
    }
    let marked = try await page.number("document.querySelectorAll('#grid .active').length")
    XCTAssertEqual(marked, 1)
    try await press(page, "ArrowDown", leadsTo: "c-0-3")
    try await page.close()
  }

  func testTabReachesNoView() async throws {
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "fetch=Note%20order%20by%20title")
    try await page.wait(for: "300 objects", in: "#total")
    func order(_ key: String, from start: String, count: Int) async throws -> [String] {
      _ = try await page.value("document.querySelector('\(start)').focus()")
      var names: [String] = []
      for _ in 0..<count {
        try await page.press(key)
        names.append(
          try await page.value("\(focused).id || \(focused).dataset.entity || \(focused).localName") as? String ?? "")
      }
      return names
    }
    let forwards = try await order("Tab", from: "#skip", count: 15)
    XCTAssertEqual(
      forwards,
      [
        "tab-grid", "help-button", "theme", "now", "first", "back", "play", "speed", "slider", "moment",
        Hostile.script, "Folder", "Note", "Picture", "filter",
      ])
    let backwards = try await order("Shift+Tab", from: "#row", count: 2)
    XCTAssertEqual(backwards, ["grid", "button"])
    try await page.press("4")
    try await page.wait("the plans are shown", "!document.querySelector('#panel-plans').hidden")
    _ = try await page.value("document.querySelector('#tab-plans').focus()")
    try await page.press("ArrowLeft")
    try await page.wait("the tab before has the focus", "\(focused).id === 'tab-drafts'")
    try await page.press("Home")
    try await page.wait("the first tab has the focus", "\(focused).id === 'tab-grid'")
    try await page.close()
  }

  func testEscapeLeavesADialogOpen() async throws {
    let saved = try await notes.save("Rename") { try self.notes.note("Note 1001", in: $0).title = "Note 1" }
    let inspector = try InspectCommand(notes.path, ["--edit"])
    let page = try await BrowserPage(inspector.url, "tab=log&fetch=Note")
    try await page.press("?")
    try await page.wait("the list of keys is open", "document.querySelector('#help').open")
    try await page.press("Escape")
    try await page.wait("the list of keys is closed", "!document.querySelector('#help').open")
    let revert = "document.querySelector('[data-position=\"\(saved)\"] button.revert')"
    _ = try await page.value("\(revert).focus()")
    try await page.press("Enter")
    try await page.wait("the revert can be saved", "!document.querySelector('#revert-save').disabled")
    try await page.press("Escape")
    try await page.wait("the dialog is closed", "!document.querySelector('#revert').open")
    try await page.wait("the button has the focus again", "\(focused) === \(revert)")
    let head = try await page.number("fetch('api/store').then(a => a.json()).then(s => s.head.position)")
    XCTAssertEqual(head, Double(saved), "Escape saves nothing")
    try await page.close()
  }

  func testAVanishedButtonTakesTheFocus() async throws {
    let long = (0..<2_000).map { "word\($0)" }.joined(separator: " ")
    let saved = try await notes.save("Write") { try self.notes.note("Note 1001", in: $0).body = long }
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "fetch=Note%20where%20title%20==%20%22Note%201001%22")
    try await page.click("[data-row='0'] [role=gridcell]:nth-child(2)")
    let body = "#detail [data-property=body]"
    try await page.wait(for: "word1", in: body)
    _ = try await page.value("document.querySelector('\(body) .buttons button').focus()")
    try await page.press("Enter")
    try await page.wait(for: "word1999", in: body)
    try await page.rest()
    try await page.wait("the focus stays in the row", "document.querySelector('\(body)').contains(\(focused))")
    // At the first transaction, the button becomes disabled.
    _ = try await page.value("document.querySelector('#back').focus()")
    for _ in 0..<2 {
      try await page.press("Enter")
      try await page.rest()
    }
    try await page.wait("the page shows the past", "document.querySelector('#back').disabled")
    try await page.wait("a neighbour has the focus", "\(focused).closest('.time') && !\(focused).disabled")
    try await page.go("tab=log&entry=\(saved)")
    _ = try await page.value("document.querySelector('#panel-log > .notice button').focus()")
    try await page.press("Enter")
    try await page.wait("the notice is gone", "document.querySelector('#panel-log > .notice').hidden")
    try await page.wait("the focus stays in the view", "\(focused).closest('#panel-log')")
    try await page.close()
  }
}
