import Browser
import Foundation
import Inspected
import RepriseCore
import XCTest

/// A button ends a draft in another way than its words say.
@MainActor
final class DraftEndTests: XCTestCase {
  private var notes: Notes!

  override func setUp() async throws {
    notes = try await Notes()
    try await notes.save("Add") { _ = $0.insert(Note("Tea")) }
    try TypistProcess(notes.path, draft: "letter", text: "Typed, and never saved").end()
  }

  override func tearDown() async throws {
    try await notes.store.close()
    notes = nil
  }

  private func title() throws -> String { try RootContext(notes.store).fetch(Fetch<Note>())[0].title }

  private func page(_ inspector: InspectCommand) async throws -> BrowserPage {
    let page = try await BrowserPage(inspector.url, "tab=drafts&fetch=Note")
    try await page.wait(for: "Typed, and never saved", in: "[data-draft=letter]")
    return page
  }

  private func press(_ label: String, on page: BrowserPage) async throws {
    let button = "[...document.querySelectorAll('[data-draft=letter] button')].find(e => e.innerText === '\(label)')"
    try await page.wait("there is a button \(label)", button)
    _ = try await page.value("\(button).click()")
    try await page.wait("the page asks", "document.querySelector('#confirm[open]')")
  }

  func testSaveLosesADraft() async throws {
    let inspector = try InspectCommand(notes.path, ["--edit", "--author", "kim"])
    let page = try await page(inspector)
    try await press("Save…", on: page)
    try await page.wait(for: "Save the edits of the draft “letter” as a new transaction?", in: "#confirm")
    try await page.press("Escape")
    try await page.rest()
    XCTAssertEqual(try title(), "Tea")
    try await press("Save…", on: page)
    try await page.click("#confirm-yes")
    try await page.wait(for: "No draft has unsaved edits.", in: "#panel-drafts")
    XCTAssertEqual(try title(), "Typed, and never saved")
    let saved = try XCTUnwrap(notes.store.log.transaction(at: notes.store.log.head))
    try await page.wait(for: "The draft is saved as transaction @\(saved.position).", in: "#status")
    XCTAssertEqual(saved.name, "Save a draft in the inspector")
    XCTAssertEqual(saved.author, "kim", "the draft has no author")
    try await page.close()
  }

  func testDiscardSavesADraft() async throws {
    let inspector = try InspectCommand(notes.path, ["--edit"])
    let page = try await page(inspector)
    let head = notes.store.log.head
    try await press("Discard…", on: page)
    try await page.wait(for: "Discard the draft “letter”? Its unsaved edits are then lost.", in: "#confirm")
    try await page.press("Escape")
    try await page.rest()
    XCTAssertEqual(try notes.store.drafts.all().count, 1)
    try await press("Discard…", on: page)
    try await page.click("#confirm-yes")
    try await page.wait(for: "No draft has unsaved edits.", in: "#panel-drafts")
    XCTAssertEqual(try notes.store.drafts.all().count, 0)
    XCTAssertEqual(notes.store.log.head, head)
    XCTAssertEqual(try title(), "Tea")
    try await page.close()
  }

  func testAnExportLacksAnEdit() async throws {
    // A reader can export, too.
    let inspector = try InspectCommand(notes.path)
    let page = try await page(inspector)
    let file =
      try await page.value(
        """
        fetch(document.querySelector("[data-draft=letter] a.button").href).then(async answer => ({
          text: await answer.text(), name: answer.headers.get("Content-Disposition"),
        }))
        """) as? [String: Any]
    XCTAssertEqual(file?["name"] as? String, "attachment; filename=\"draft-letter.jsonl\"")
    let lines = (file?["text"] as? String ?? "").split(separator: "\n")
    XCTAssertEqual(lines.count, 3, "the last line is the end")
    XCTAssertTrue(lines[0].hasPrefix(#"{"reprise-draft":1,"draft":"letter","#), String(lines[0]))
    let edit = #""change":"updated","old":{"title":"Tea"},"values":{"title":"Typed, and never saved"}}"#
    XCTAssertTrue(lines[1].hasSuffix(edit), String(lines[1]))
    XCTAssertEqual(try notes.store.drafts.all().count, 1)
    try await page.close()
  }
}
