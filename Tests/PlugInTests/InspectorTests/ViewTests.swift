import Browser
import Foundation
import Inspected
import RepriseCore
import XCTest

/// A view of the page shows something else than the store has, or cannot be used.
@MainActor
final class ViewTests: XCTestCase {
  private var notes: Notes!

  override func setUp() async throws {
    notes = try await Notes()
    try await notes.save("Add") { context in
      let home = Folder("Home")
      for (title, stars) in [("Tea", 2), ("Coffee", 3), ("Juice", 1)] {
        let note = context.insert(Note(title, stars: stars))
        if title == "Tea" { note.folder = home }
      }
    }
  }

  override func tearDown() async throws {
    try await notes.store.close()
    notes = nil
  }

  private func page(_ fragment: String, isDark: Bool = false) async throws -> (InspectCommand, BrowserPage) {
    let inspector = try InspectCommand(notes.path)
    return (inspector, try await BrowserPage(inspector.url, fragment, isDark: isDark))
  }

  private func titles(_ page: BrowserPage) async throws -> [String] {
    try await page.value(
      "[0, 1, 2].map(row => document.querySelector(`[data-row='${row}'] [data-property=title]`)?.innerText ?? '')")
      as? [String] ?? []
  }

  private func wait(_ page: BrowserPage, for titles: [String]) async throws {
    let list = titles.map(BrowserPage.quoted).joined(separator: ", ")
    try await page.wait(
      "the titles are \(titles)",
      "[\(list)].every((text, row) => document.querySelector(`[data-row='${row}'] [data-property=title]`)?.innerText"
        + " === text)")
  }

  func testAClickSortsWrongly() async throws {
    let (inspector, page) = try await page("fetch=Note")
    try await page.wait(for: "3 objects", in: "#total")
    try await page.click("[data-heading=stars]")
    try await wait(page, for: ["Juice", "Tea", "Coffee"])
    let ascending = try await page.value("document.querySelector('[data-heading=stars]').ariaSort") as? String
    XCTAssertEqual(ascending, "ascending")
    try await page.click("[data-heading=stars]")
    try await wait(page, for: ["Coffee", "Tea", "Juice"])
    try await page.click("[data-heading=title]")
    try await wait(page, for: ["Coffee", "Juice", "Tea"])
    try await page.close()
    withExtendedLifetime(inspector) {}
  }

  func testALinkLeadsToAnotherObject() async throws {
    let (inspector, page) = try await page("fetch=Note%20where%20title%20==%20%22Tea%22")
    try await page.click("[data-row='0'] [data-property=folder] a")
    try await page.wait(for: "Home", in: "#detail h2")
    try await page.click("#detail [data-property=notes] button, #detail [data-property=notes] summary")
    try await page.click("#detail [data-property=notes] a.link")
    try await page.wait(for: "Tea", in: "#detail h2")
    _ = try await page.value("history.back()")
    try await page.wait(for: "Home", in: "#detail h2")
    try await page.close()
    withExtendedLifetime(inspector) {}
  }

  func testALongTextStaysCut() async throws {
    let text = (0..<5_000).map { "word\($0)" }.joined(separator: " ") + " <b>end</b>"
    try await notes.save("Write") { try self.notes.note("Tea", in: $0).body = text }
    try await notes.save("Write") {
      try self.notes.note("Tea", in: $0).body = text.replacing("word2500 ", with: "a changed word ")
    }
    let (inspector, page) = try await page("fetch=Note%20where%20title%20==%20%22Tea%22")
    try await page.click("[data-row='0'] [role=gridcell]:nth-child(2)")
    let body = "#detail [data-property=body]"
    try await page.wait("the text is cut", "!document.querySelector('\(body)')?.innerText.includes('<b>end</b>')")
    try await page.click("\(body) .buttons button")
    try await page.wait(for: "word4999 <b>end</b>", in: body)
    try await page.click("#tab-log")
    let entry = "#log [data-position]"
    try await page.wait(for: "a changed word", in: "\(entry) ins")
    let removed = try await page.text("\(entry) del")
    XCTAssertEqual(removed.trimmingCharacters(in: .whitespaces), "word2500")
    let whole = try await page.number("document.querySelector('\(entry) .diff').innerText.length") ?? 0
    XCTAssertLessThan(whole, 400, "words far from the change are not shown")
    try await page.close()
    withExtendedLifetime(inspector) {}
  }

  func testAMemberIsShownTwice() async throws {
    try await notes.save("Fill") { context in
      let folder = Folder("Large")
      for number in 1...120 { context.insert(Note("Member \(number)")).folder = folder }
    }
    let (inspector, page) = try await page("fetch=Folder%20where%20name%20==%20%22Large%22")
    try await page.click("[data-row='0'] [role=gridcell]:nth-child(2)")
    let members = "#detail [data-property=notes]"
    try await page.wait(for: "Show 120 members", in: members)
    for (label, count) in [("Show more (70 left)", 50), ("Show more (20 left)", 100), ("Show more (0 left)", 120)] {
      try await page.click("\(members) button")
      try await page.wait(
        "\(count) members are shown", "document.querySelectorAll('\(members) li').length === \(count)")
      try await page.rest()
      let text = try await page.text("\(members) button")
      XCTAssertEqual(text, label)
    }
    let names =
      try await page.value(
        "[...document.querySelectorAll('\(members) li')].map(each => each.innerText)") as? [String]
    XCTAssertEqual(Set(names ?? []), Set((1...120).map { "Member \($0)" }))
    try await page.close()
    withExtendedLifetime(inspector) {}
  }

  func testEnterInTheLogWaits() async throws {
    let (inspector, page) = try await page("tab=log&fetch=Note")
    // The page also applies a filter some time after the last letter. Here that never happens.
    _ = try await page.value("window.setTimeout = () => 0")
    _ = try await page.value("document.querySelector('#log-author').focus()")
    try await page.write("nobody")
    try await page.press("Enter")
    try await page.wait(for: "No transaction matches the filter.", in: "#panel-log")
    try await page.close()
    withExtendedLifetime(inspector) {}
  }

  func testACompletionIsAnother() async throws {
    let (inspector, page) = try await page("fetch=Note")
    try await page.press("/")
    _ = try await page.value("document.activeElement.select()")
    try await page.write("Note where ti")
    try await page.wait(for: "title", in: "#filter-list [role=option]")
    try await page.press("ArrowDown")
    try await page.press("Enter")
    try await page.wait("the word is complete", "document.querySelector('#filter').value === 'Note where title '")
    try await page.wait(for: "==", in: "#filter-list")
    try await page.press("Escape")
    try await page.wait("the list is closed", "document.querySelector('#filter-list').hidden")
    try await page.write("== \"Juice\"")
    try await page.press("Enter")
    try await page.wait(for: "1 object", in: "#total")
    let titles = try await titles(page)
    XCTAssertEqual(titles[0], "Juice")
    try await page.close(expecting: "status of 400")
    withExtendedLifetime(inspector) {}
  }

  func testPlaybackSkipsTheEnd() async throws {
    for number in 1...5 {
      try await notes.save("Count") { try self.notes.note("Tea", in: $0).stars = 100 + number }
    }
    let (inspector, page) = try await page("fetch=Note%20where%20title%20==%20%22Tea%22&at=2")
    let stars = "[data-row='0'] [data-property=stars]"
    try await page.wait("the first value is there", "document.querySelector(\"\(stars)\")?.innerText === '2'")
    // Collects each value that the playback paints.
    _ = try await page.value(
      """
      (() => {
        window.seen = [];
        window.marked = 0;
        const look = () => {
          const cell = document.querySelector("\(stars)");
          const text = cell?.textContent.match(/^\\d+/)?.[0];
          if (text && window.seen.at(-1) !== text) window.seen.push(text);
          if (cell?.classList.contains("changed")) window.marked += 1;
          requestAnimationFrame(look);
        };
        look();
        const speed = document.querySelector("#speed");
        speed.value = [...speed.options].map(each => each.value).filter(each => each !== "whole")[0];
      })()
      """)
    try await page.click("#play")
    try await page.wait(
      "the playback is at the end",
      "document.querySelector('#play').ariaLabel === 'Play' && window.seen.at(-1) === '105'")
    let seen = try await page.value("window.seen") as? [String]
    XCTAssertEqual(seen, ["2", "101", "102", "103", "104", "105"])
    let marked = try await page.number("window.marked") ?? 0
    XCTAssertGreaterThan(marked, 0)
    try await page.close()
    withExtendedLifetime(inspector) {}
  }

  func testAPlanIsOfAnotherFetch() async throws {
    let (inspector, page) = try await page("tab=plans")
    try await page.enter("Note where title == \"Tea\"", in: "#plan-fetch")
    try await page.wait(for: "1 object", in: "#plans .plan")
    let indexed = try await page.text("#plans .plan .plan-text")
    XCTAssertTrue(indexed.contains("index"), indexed)
    try await page.enter("Note where stars >= 2", in: "#plan-fetch")
    try await page.wait(for: "2 objects", in: "#plans .plan")
    let read = try await page.text("#plans .plan .plan-text")
    XCTAssertNotEqual(read, indexed)
    try await page.enter("Note where star >= 2", in: "#plan-fetch")
    try await page.wait(for: "Did you mean 'stars'?", in: "#plan-fetch-error")
    let place = try await page.text("#plan-fetch-error .place")
    XCTAssertEqual(place, "Column 12: star")
    try await page.close(expecting: "status of 400")
    withExtendedLifetime(inspector) {}
  }

  func testASmallWindowHidesAView() async throws {
    let (inspector, page) = try await page("fetch=Note", isDark: true)
    func background() async throws -> String {
      try await page.value("getComputedStyle(document.documentElement).backgroundColor") as? String ?? ""
    }
    let dark = try await background()
    try await page.click("#theme")
    let light = try await background()
    XCTAssertNotEqual(dark, light)
    // As wide as a window of 1,280 pixels at 400 %.
    let metrics: [String: Any] = ["width": 320, "height": 256, "deviceScaleFactor": 4, "mobile": false]
    try await page.send("Emulation.setDeviceMetricsOverride", metrics)
    for tab in ["log", "drafts", "plans", "grid"] {
      try await page.click("#tab-\(tab)")
      let excess = try await page.number("document.documentElement.scrollWidth - innerWidth") ?? -1
      XCTAssertLessThanOrEqual(excess, 0, tab)
    }
    try await page.click("[data-row='0'] [role=gridcell]:nth-child(2)")
    try await page.wait("the object has the focus", "document.activeElement.id === 'detail'")
    try await page.press("Escape")
    try await page.wait("the object is closed", "document.querySelector('#detail').hidden")
    _ = try await page.value("localStorage.removeItem('reprise-theme')")
    try await page.close()
    withExtendedLifetime(inspector) {}
  }
}
