import Browser
import Foundation
import Inspected
import RepriseCore
import XCTest

/// A resumed draft loses edits, or the page shows other ones.
@MainActor
final class ResumeTests: XCTestCase {
  private var notes: Notes!
  private let title = "#grid [data-row='0'] [data-property=title]"

  override func setUp() async throws {
    notes = try await Notes()
    try await notes.save("Add") { _ = $0.insert(Note("Tea", stars: 3)) }
  }

  override func tearDown() async throws {
    try await notes.store.close()
    notes = nil
  }

  private func note() throws -> Note { try RootContext(notes.store).fetch(Fetch<Note>())[0] }

  /// Leaves the draft of a killed program.
  private func leaveDraft(_ id: String = "letter") throws {
    try TypistProcess(notes.path, draft: id, text: "Typed, and never saved").end()
  }

  private func resumed(_ inspector: InspectCommand, _ draft: String = "letter") async throws -> BrowserPage {
    let page = try await BrowserPage(inspector.url, "draft=\(draft)&fetch=Note")
    try await page.wait(for: "Draft \(draft)", in: "#draft-bar")
    return page
  }

  /// Leaves a field with Tab, after typing.
  private func type(_ text: String, in field: String, of page: BrowserPage) async throws {
    try await page.wait("\(field) is there", "document.querySelector('\(field)')")
    _ = try await page.value("(e => { e.focus(); e.select() })(document.querySelector('\(field)'))")
    try await page.write(text)
    try await page.press("Tab")
    try await page.rest()
  }

  private func confirm(_ selector: String, on page: BrowserPage) async throws {
    try await page.click(selector)
    try await page.wait("the page asks", "document.querySelector('#confirm[open]')")
    try await page.click("#confirm-yes")
  }

  func testAKillLosesAnEditOfThePage() async throws {
    try leaveDraft()
    var inspector: InspectCommand? = try InspectCommand(notes.path, ["--edit"])
    var page = try await BrowserPage(XCTUnwrap(inspector).url, "tab=drafts&fetch=Note")
    try await page.wait(for: "No program has it open", in: "[data-draft=letter]")
    try await page.click("[data-draft=letter] .buttons button")
    try await page.wait(for: "Typed, and never saved", in: title)
    try await page.wait("the title has a mark", "document.querySelector(\"\(title)\").classList.contains('unsaved')")
    try await page.wait(for: "Draft letter · 1 object changed", in: "#draft-bar")
    try await page.click(title)
    try await type("Two lumps\nof sugar", in: "#edit-body", of: page)
    try await page.wait(for: "Unsaved In the store: \"\"", in: "#detail [data-property=body]")
    inspector = nil
    let left = try XCTUnwrap(notes.store.drafts.all().first)
    let changes = left.preview.flatMap(\.properties).map { "\($0.name): \($0.new ?? .null)" }
    XCTAssertEqual(changes, [#"title: "Typed, and never saved""#, "body: \"Two lumps\nof sugar\""])
    try await page.close(expecting: "ERR_")
    inspector = try InspectCommand(notes.path, ["--edit"])
    page = try await resumed(XCTUnwrap(inspector))
    try await page.wait(for: "Typed, and never saved", in: title)
    XCTAssertEqual(try note().title, "Tea")
    try await confirm("#draft-save", on: page)
    try await page.wait("the bar is closed", "document.querySelector('#draft-bar').hidden")
    XCTAssertEqual(try note().title, "Typed, and never saved")
    XCTAssertEqual(try note().body, "Two lumps\nof sugar")
    XCTAssertEqual(try notes.store.drafts.all().count, 0)
    let saved = "#log [data-position='\(notes.store.log.head)']"
    try await page.click("#tab-log")
    try await page.wait(for: "Save a draft in the inspector", in: saved)
    try await page.wait(for: NSUserName(), in: "\(saved) .by")
    try await page.close()
  }

  func testAWrongValueIsTaken() async throws {
    try leaveDraft()
    let inspector = try InspectCommand(notes.path, ["--edit"])
    let page = try await resumed(inspector)
    try await page.click(title)
    try await page.enter("many", in: "#edit-stars")
    let message = "'many' is no value for 'stars'. Nothing was changed. Write a whole number, such as -42."
    try await page.wait(for: message, in: "#edit-stars-note")
    try await page.click("#draft-save")
    try await page.wait(for: "The draft lacks a value that you typed for stars of Note", in: "#draft-bar [role=alert]")
    let isAsked = try await page.value("Boolean(document.querySelector('#confirm[open]'))") as? Bool
    XCTAssertEqual(isAsked, false)
    let kept = try await page.value("document.querySelector('#edit-stars').value") as? String
    XCTAssertEqual(kept, "many")
    try await page.enter("", in: "#edit-stars")
    try await page.wait(for: "'stars' cannot be nil. Nothing was changed.", in: "#edit-stars-note")
    try await page.enter("5", in: "#edit-stars")
    try await page.wait(for: "In the store: 3", in: "#detail [data-property=stars]")
    let stars = "#grid [data-row='0'] [data-property=stars]"
    try await page.wait(for: "5", in: stars)
    for (name, value) in [("Undo", "3"), ("Redo", "5")] {
      let button = "[...document.querySelectorAll('#draft-bar button')].find(e => e.innerText === '\(name)')"
      try await page.wait("\(name) names the step", "\(button).title === '\(name): Edit stars'")
      _ = try await page.value("\(button).click()")
      try await page.wait(for: value, in: stars)
    }
    _ = try await page.value("document.querySelector('#edit-stars').focus()")
    try await page.write("x")
    try await page.press("Escape")
    try await page.wait("Escape takes the text back", "document.querySelector('#edit-stars').value === '5'")
    try await confirm("#draft-save", on: page)
    try await page.wait("the bar is closed", "document.querySelector('#draft-bar').hidden")
    XCTAssertEqual(try note().stars, 5)
    try await page.close(expecting: "status of 400")
  }

  func testADraftInUseIsTaken() async throws {
    let typist = try TypistProcess(notes.path, draft: "letter", text: "Typed, and never saved")
    let inspector = try InspectCommand(notes.path, ["--edit"])
    let page = try await BrowserPage(inspector.url, "tab=drafts&fetch=Note")
    let card = "[data-draft=letter]"
    try await page.wait(for: "Process \(typist.identifier) has the draft open. Close it there first.", in: card)
    try await page.wait("Resume is off", "document.querySelector('\(card) button').disabled")
    // The program may have opened the draft after the page was drawn.
    try await page.go("draft=letter&fetch=Note")
    let message =
      "The draft 'letter' is in use by process \(typist.identifier). Close it there first, and resume it here then."
    try await page.wait(for: message, in: "#draft-bar [role=alert]")
    typist.end()
    _ = try await page.value("document.querySelector('#draft-bar button').click()")
    try await page.wait(for: "Typed, and never saved", in: title)
    XCTAssertThrowsError(try RootContext(notes.store, draft: "letter")) {
      guard case DraftError.inUse("letter") = $0 else { return XCTFail("\($0)") }
    }
    try await page.click("#draft-close")
    try await page.wait(for: "No program has it open", in: card)
    XCTAssertEqual(
      try RootContext(notes.store, draft: "letter").fetch(Fetch<Note>())[0].title, "Typed, and never saved")
    XCTAssertEqual(try note().title, "Tea")
    try await page.close(expecting: "status of 409")
  }

  func testAnotherPageShowsAnOlderDraft() async throws {
    do {
      let context = try RootContext(notes.store, author: "ben", draft: "plan")
      context.group("Brew") { _ = context.insert(Note("Coffee")) }
      context.group("Pour away") { context.delete(try! notes.note("Tea", in: context)) }
      try await notes.store.flush()
    }
    let inspector = try InspectCommand(notes.path, ["--edit"])
    let first = try await resumed(inspector, "plan")
    try await first.wait(for: "1 object new, 1 object deleted", in: "#draft-bar")
    try await first.wait(for: "1 object", in: "#total")
    try await first.wait(for: "Coffee", in: title)
    let second = try await resumed(inspector, "plan")
    try await second.wait(for: "Coffee", in: title)
    try await second.wait("the row has a mark", "document.querySelector('#grid .row.unsaved')")
    try await second.click(title)
    try await second.wait(for: "The draft inserts this object.", in: "#detail")
    try await type("Black coffee", in: "#edit-title", of: first.clicking(title))
    try await second.wait(for: "Black coffee", in: title)
    try await second.wait("the editor is new", "document.querySelector('#edit-title').value === 'Black coffee'")
    try await confirm("#draft-discard", on: first)
    try await second.wait(for: "The draft 'plan' is not open here", in: "#draft-bar [role=alert]")
    _ = try await second.value("document.querySelector('#draft-bar button').click()")
    try await second.wait(for: "The store has no draft 'plan'. It has: none.", in: "#draft-bar [role=alert]")
    XCTAssertEqual(try note().title, "Tea")
    try await first.close()
    try await second.close(expecting: "status of 40")
  }

  func testAConflictOfAResumedDraftIsDecided() async throws {
    try leaveDraft()
    try await notes.save("Rename") { try $0.fetch(Fetch<Note>())[0].title = "Green tea" }
    let inspector = try InspectCommand(notes.path, ["--edit"])
    let page = try await resumed(inspector)
    try await page.wait(for: "1 conflict with later saves", in: "#draft-bar")
    try await confirm("#draft-save", on: page)
    try await page.wait(for: "Later saves changed 1 value or object of this draft", in: "#draft-bar")
    XCTAssertEqual(try note().title, "Green tea")
    // The page still has the draft.
    try await page.wait(for: "Typed, and never saved", in: title)
    let mine = "[...document.querySelectorAll('#draft-bar button')].find(e => e.innerText === 'Save mine…')"
    _ = try await page.value("\(mine).click()")
    try await page.click("#confirm-yes")
    try await page.wait("the bar is closed", "document.querySelector('#draft-bar').hidden")
    XCTAssertEqual(try note().title, "Typed, and never saved")
    try await page.close(expecting: "status of 409")
  }

  func testAReaderEdits() async throws {
    try leaveDraft()
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "draft=letter&fetch=Note")
    let message = "This inspector only reads. Start it for editing, with 'reprise inspect --edit'."
    try await page.wait(for: message, in: "#draft-bar [role=alert]")
    let leave = "[...document.querySelectorAll('#draft-bar button')].find(e => e.innerText === 'Leave the draft')"
    _ = try await page.value("\(leave).click()")
    try await page.wait(for: "Tea", in: title)
    try await page.click("#tab-drafts")
    try await page.wait(for: "Start the inspector with --edit to resume, save or discard drafts.", in: "[data-draft]")
    try await page.close(expecting: "status of 40")
  }

  func testAnEditCutsALongText() async throws {
    let long = String(repeating: "Sugar and milk. ", count: 40)
    try await notes.save("Write") { try $0.fetch(Fetch<Note>())[0].body = long }
    try leaveDraft()
    let inspector = try InspectCommand(notes.path, ["--edit"])
    let page = try await resumed(inspector)
    try await page.click(title)
    try await page.wait("the title has an editor", "document.querySelector('#edit-title')")
    let edit = "[...document.querySelectorAll('#detail [data-property=body] button')].find(e => e.innerText === 'Edit')"
    _ = try await page.value("\(edit).click()")
    try await page.wait("the whole text is there", "document.querySelector('#edit-body')?.value.length === 640")
    _ = try await page.value(
      "(e => { e.focus(); e.setSelectionRange(640, 640) })(document.querySelector('#edit-body'))")
    try await page.write("The end")
    try await page.press("Control+Enter")
    try await page.wait(for: "Unsaved", in: "#detail [data-property=body] .blame")
    try await confirm("#draft-save", on: page)
    try await page.wait("the bar is closed", "document.querySelector('#draft-bar').hidden")
    XCTAssertEqual(try note().body, long + "The end")
    try await page.close()
  }

  func testThePastHasTheEdits() async throws {
    let renamed = try await notes.save("Rename") { try $0.fetch(Fetch<Note>())[0].title = "Green tea" }
    try leaveDraft()
    let inspector = try InspectCommand(notes.path, ["--edit"])
    let page = try await resumed(inspector)
    try await page.wait(for: "Typed, and never saved", in: title)
    try await page.click("#back")
    let note = "The page shows the time of @\(renamed - 1), without the edits of the draft."
    try await page.wait(for: note, in: "#draft-bar")
    try await page.wait("the past is there", "document.querySelector(\"\(title)\")?.innerText.startsWith('Tea')")
    try await page.click(title)
    try await page.wait(for: "Tea", in: "#detail [data-property=title]")
    let editors = try await page.number("document.querySelectorAll('#detail .editor').length")
    XCTAssertEqual(editors, 0)
    try await page.click("#now")
    try await page.wait(for: "Typed, and never saved", in: title)
    try await page.close()
  }
}

extension BrowserPage {
  fileprivate func clicking(_ selector: String) async throws -> BrowserPage {
    try await click(selector)
    return self
  }
}
