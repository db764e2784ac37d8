import Browser
import Foundation
import Inspected
import RepriseCore
import XCTest

/// The screens and drafts of a program appear with another state, or as a part of the page.
@MainActor
final class ScreenTests: XCTestCase {
  private var notes: Notes!

  override func setUp() async throws {
    notes = try await Notes()
    try await notes.save("Add") { _ = $0.insert(Note("Tea")) }
  }

  override func tearDown() async throws {
    try await notes.store.close()
    notes = nil
  }

  func testAScreenHasAnotherState() async throws {
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "tab=drafts&fetch=Note")
    try await page.wait(for: "No program stored the state of its screens.", in: "#panel-drafts")
    let typist = try TypistProcess(notes.path, draft: "letter", text: "A letter")
    let scene = "#panel-drafts article:has(.tree)"
    try await page.wait(for: "In use by process \(typist.identifier)", in: scene)
    try await page.wait(for: "version A letter", in: scene)
    let title = try await page.text("\(scene) h3")
    XCTAssertEqual(title, "Scene main")
    let names = try await page.value("[...document.querySelectorAll('\(scene) .tree > li > details > summary')].length")
    XCTAssertEqual(names as? Int, 1, "the editor is below the list")
    let list = "\(scene) .tree > li > details"
    let child = "\(scene) .tree > li > ul > li > details"
    let first = try await page.text("\(list) summary")
    XCTAssertTrue(first.hasPrefix("notes NoteList version 1"), first)
    let second = try await page.text("\(child) summary")
    XCTAssertTrue(second.hasPrefix("editor NoteEditor version 1"), second)
    let isClosed = try await page.value("!document.querySelector('\(child)').open") as? Bool
    XCTAssertEqual(isClosed, true)
    try await page.click("\(child) summary")
    let state = try await page.text("\(child) pre")
    XCTAssertEqual(state.filter { !$0.isWhitespace }, #"{"line":8,"text":"Aletter"}"#)
    typist.end()
    try await page.wait(for: "Left by process \(typist.identifier), which no longer runs", in: scene)
    let isOpen = try await page.value("document.querySelector('\(child)').open") as? Bool
    XCTAssertEqual(isOpen, true, "an update closes the state that the reader has opened")
    try await page.close()
  }

  func testAHostileDraftRuns() async throws {
    let text = "<img src=x onerror=\"window.wasExecuted = 1\">\u{1B}[31mred\u{1B}]0;title\u{7}\u{202E}abc"
    let typist = try TypistProcess(notes.path, draft: "<b>letter</b>", text: text)
    let inspector = try InspectCommand(notes.path, ["--edit"])
    let page = try await BrowserPage(inspector.url, "tab=drafts&fetch=Note")
    typist.end()
    try await page.wait(for: "NoteEditor", in: "#panel-drafts")
    try await page.wait(for: "No program has it open", in: "[data-draft]")
    try await page.wait(for: "<b>letter</b>", in: "#panel-drafts article h3")
    _ = try await page.value("document.querySelectorAll('details').forEach(each => { each.open = true })")
    try await page.rest()
    let places = ["[data-draft] ins", "#panel-drafts pre", "#panel-drafts article:has(.tree) .by"]
    for place in places {
      let shown = try await page.text(place)
      XCTAssertTrue(shown.contains("<img src=x onerror="), "\(place): \(shown)")
      XCTAssertTrue(shown.contains("\\u{202e}abc") || shown.contains("\\\\u{202e}abc"), "\(place): \(shown)")
    }
    let signs = try await page.value(
      "[...document.body.textContent].some(each => each === '\\u202e' || each === '\\u001b' || each === '\\u0007')")
    XCTAssertEqual(signs as? Bool, false, "a sign that controls a terminal or the direction of a text")
    try await page.click("[data-draft] button.danger")
    try await page.wait(for: "<b>letter</b>", in: "#confirm")
    try await page.press("Escape")
    let ran = try await page.value("String(window.wasExecuted)") as? String
    XCTAssertEqual(ran, "undefined")
    let planted = try await page.number("document.querySelectorAll('main img, main b, dialog b, dialog img').length")
    XCTAssertEqual(planted, 0)
    try await page.close()
  }

  func testAPastMomentHidesADraft() async throws {
    for name in ["Black tea", "Green tea"] {
      try await notes.save("Rename") { try $0.fetch(Fetch<Note>())[0].title = name }
    }
    let typist = try TypistProcess(notes.path, draft: "letter", text: "A letter")
    typist.end()
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "tab=drafts&fetch=Note")
    try await page.wait(for: "A letter", in: "[data-draft=letter] ins")
    try await page.wait(for: "NoteEditor", in: "#panel-drafts")
    // Drafts and screens have no past, so each moment of the slider shows the present ones.
    for _ in 0..<2 {
      try await page.click("#back")
      try await page.rest()
      let draft = try await page.text("[data-draft=letter] ins")
      XCTAssertEqual(draft, "A letter")
      let old = try await page.text("[data-draft=letter] del")
      XCTAssertEqual(old, "Green tea")
    }
    let note = try await page.text("#panel-drafts .intro")
    XCTAssertTrue(note.contains("always shows their present state"), note)
    try await page.click("#tab-grid")
    try await page.wait(for: "Tea", in: "#grid [data-row='0'] [data-property=title]")
    let isGreen = try await page.text("#grid [data-row='0'] [data-property=title]")
    XCTAssertFalse(isGreen.contains("Green"), isGreen)
    try await page.close()
  }
}
