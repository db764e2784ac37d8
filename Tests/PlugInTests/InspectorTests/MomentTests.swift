import Browser
import Foundation
import Inspected
import RepriseCore
import XCTest

/// A view shows a value of another moment.
@MainActor
final class MomentTests: XCTestCase {
  private var notes: Notes!
  /// The positions of three transactions, by three authors.
  private var saved: [Int] = []

  override func setUp() async throws {
    notes = try await Notes()
    saved = [try await notes.save("Add", by: "ada") { _ = $0.insert(Note("Tea", stars: 1)) }]
    saved.append(try await notes.save("Rate", by: "ben") { try $0.fetch(Fetch<Note>())[0].stars = 2 })
    saved.append(try await notes.save("Rename", by: "eve") { try $0.fetch(Fetch<Note>())[0].title = "Green tea" })
  }

  override func tearDown() async throws {
    try await notes.store.close()
    notes = nil
  }

  func testTheTimeOfAnotherMomentStays() async throws {
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "fetch=Note")
    try await page.wait(for: "eve · Rename", in: "#moment-text")
    for (key, text) in [("#back", "ben · Rate"), ("#back", "ada · Add"), ("#forward", "ben · Rate")] {
      try await page.click(key)
      try await page.wait(for: text, in: "#moment-text")
    }
    let position = try await page.value("document.querySelector('#moment').value") as? String
    XCTAssertEqual(position, "@\(saved[1])")
    try await page.close()
  }

  func testAStepBackMarksAnotherValue() async throws {
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "fetch=Note")
    func marked() async throws -> [String] {
      try await page.rest()
      return try await page.value(
        "[...document.querySelectorAll('#grid .cell.changed')].map(each => each.dataset.property)") as? [String] ?? []
    }
    // Each step is back over one transaction.
    for property in ["title", "stars"] {
      try await page.click("#back")
      let names = try await marked()
      XCTAssertEqual(names, [property])
    }
    try await page.click("#forward")
    let names = try await marked()
    XCTAssertEqual(names, ["stars"])
    try await page.close()
  }

  func testTheLogBeginsElsewhere() async throws {
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "tab=log&fetch=Note&at=\(saved[1])")
    func positions() async throws -> [Int] {
      try await page.rest()
      return try await page.value(
        "[...document.querySelectorAll('#log > [data-position]')].map(each => Number(each.dataset.position))")
        as? [Int] ?? []
    }
    let past = try await positions()
    XCTAssertEqual(Array(past.prefix(2)), [saved[1], saved[0]])
    try await page.click("#now")
    let all = try await positions()
    XCTAssertEqual(Array(all.prefix(3)), saved.reversed())
    // New transactions go above the list, the newest first.
    for name in ["Iced tea", "Hot tea"] {
      saved.append(try await notes.save("Rename") { try $0.fetch(Fetch<Note>())[0].title = name })
      try await page.wait(
        "the transaction is first",
        "document.querySelector('#log > [data-position]').dataset.position === '\(saved.last ?? 0)'")
    }
    let later = try await positions()
    XCTAssertEqual(Array(later.prefix(5)), saved.reversed())
    try await page.close()
  }

  func testASaveMovesTheRowsOfAReader() async throws {
    try await notes.save("Add") { context in
      for number in 1...200 { _ = context.insert(Note("Note \(1_000 + number)")) }
    }
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "fetch=Note%20order%20by%20title")
    try await page.enter("150", in: "#row")
    let title = try await page.text("#grid .row[aria-selected] [data-property=title]")
    let top = "document.querySelector('#grid .row[aria-selected]').getBoundingClientRect().top"
    let before = try await page.number(top)
    try await notes.save("Add") { context in
      for number in 1...3 { _ = context.insert(Note("A note above \(number)")) }
    }
    try await page.wait(for: "204 objects", in: "#total")
    try await page.rest()
    let later = try await page.text("#grid .row[aria-selected] [data-property=title]")
    XCTAssertEqual(later, title)
    let after = try await page.number(top)
    XCTAssertEqual(after ?? 0, before ?? -1, accuracy: 1)
    try await page.close()
  }
}
