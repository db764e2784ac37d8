import Browser
import Foundation
import Inspected
import RepriseCore
import RepriseInspector
import XCTest

/// A change fails to reach the page, or a change of the page the store.
@MainActor
final class ChangeTests: XCTestCase {
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

  private func note() throws -> Note { try RootContext(notes.store).fetch(Fetch<Note>())[0] }

  func testARevertIsLost() async throws {
    let renamed = try await notes.save("Rename", by: "ben") { try self.notes.note("Tea", in: $0).title = "Green tea" }
    let inspector = try InspectCommand(notes.path, ["--edit"])
    let page = try await BrowserPage(inspector.url, "tab=log&fetch=Note")
    try await page.click("[data-position='\(renamed)'] button.revert")
    try await page.wait("the revert can be saved", "!document.querySelector('#revert-save').disabled")
    try await page.click("#revert-save")
    let entry = "#log [data-position='\(renamed + 1)']"
    try await page.wait(for: "undoes @\(renamed)", in: entry)
    try await page.click("#tab-grid")
    try await page.wait("the title is back", "document.querySelector(\"\(title)\")?.innerText.startsWith('Tea')")
    XCTAssertEqual(try note().title, "Tea")
    try await page.close()
  }

  func testARevertHasAnotherAuthor() async throws {
    func author(of url: String, _ number: Int) async throws -> String? {
      let title = "Name \(number)"
      let renamed = try await notes.save("Rename", by: "ben") { try $0.fetch(Fetch<Note>())[0].title = title }
      let page = try await BrowserPage(url, "tab=log&fetch=Note")
      try await page.click("[data-position='\(renamed)'] button.revert")
      try await page.wait("the revert can be saved", "!document.querySelector('#revert-save').disabled")
      try await page.click("#revert-save")
      try await page.wait(for: "undoes @\(renamed)", in: "#log [data-position='\(renamed + 1)']")
      try await page.close()
      return try notes.store.log.transaction(at: notes.store.log.head)?.author
    }
    for (options, expected) in [([], NSUserName()), (["--author", "kim"], "kim")] {
      let inspector = try InspectCommand(notes.path, ["--edit"] + options)
      let saved = try await author(of: inspector.url, options.count)
      XCTAssertEqual(saved, expected)
    }
    for (given, expected) in [(nil, "inspector"), ("lea", "lea")] {
      let inspector =
        if let given {
          try await Inspector.serve(notes.store, isEditable: true, author: given)
        } else {
          try await Inspector.serve(notes.store, isEditable: true)
        }
      let saved = try await author(of: inspector.url, expected.count)
      XCTAssertEqual(saved, expected)
      await inspector.stop()
    }
  }

  func testAConflictIsDecidedWithoutTheUser() async throws {
    let renamed = try await notes.save("Rename", by: "ben") { try self.notes.note("Tea", in: $0).title = "Green tea" }
    let later = try await notes.save("Rename", by: "eve") {
      try self.notes.note("Green tea", in: $0).title = "Cold tea"
    }
    let inspector = try InspectCommand(notes.path, ["--edit"])
    let page = try await BrowserPage(inspector.url, "tab=log&fetch=Note")
    try await page.click("[data-position='\(renamed)'] button.revert")
    try await page.wait(for: "(transaction \(later))", in: "#revert .conflict")
    let isOff = try await page.value("document.querySelector('#revert-save').disabled") as? Bool
    XCTAssertEqual(isOff, true)
    try await page.click("#conflict-0-mine")
    try await page.wait("the revert can be saved", "!document.querySelector('#revert-save').disabled")
    XCTAssertEqual(try note().title, "Cold tea")
    try await page.click("#revert-save")
    try await page.wait("the dialog is closed", "!document.querySelector('#revert').open")
    try await page.click("#tab-grid")
    try await page.wait("the title is back", "document.querySelector(\"\(title)\")?.innerText.startsWith('Tea')")
    try await page.close()
  }

  func testTheirsOverwritesALaterChange() async throws {
    let renamed = try await notes.save("Rename", by: "ben") { try self.notes.note("Tea", in: $0).title = "Green tea" }
    let later = try await notes.save("Rename", by: "eve") {
      try self.notes.note("Green tea", in: $0).title = "Cold tea"
    }
    let inspector = try InspectCommand(notes.path, ["--edit"])
    let page = try await BrowserPage(inspector.url, "tab=log&fetch=Note")
    try await page.click("[data-position='\(renamed)'] button.revert")
    try await page.wait(for: "(transaction \(later))", in: "#revert .conflict")
    try await page.click("#conflict-0-theirs")
    try await page.rest()
    let isChosen = try await page.value("document.querySelector('#conflict-0-theirs')?.checked ?? true") as? Bool
    XCTAssertEqual(isChosen, true)
    let text = try await page.text("#revert .body")
    XCTAssertFalse(text.contains("Changes that will be saved"), text)
    XCTAssertEqual(try note().title, "Cold tea")
    try await page.close()
  }

  func testASaveOfAnotherProcessStaysAway() async throws {
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "fetch=Note")
    try await page.wait(for: "Tea", in: title)
    for name in ["Green tea", "Cold tea", "Iced tea"] {
      // The page measures itself from the moment when this process begins to save.
      let began = Date().timeIntervalSince1970 * 1_000
      try await notes.save("Rename") { try $0.fetch(Fetch<Note>())[0].title = name }
      let saved = Date().timeIntervalSince1970 * 1_000
      try await page.wait(for: name, in: title)
      let now = Date().timeIntervalSince1970 * 1_000
      print("a save was on the page after \(Int(now - saved)) ms, and took \(Int(saved - began)) ms")
    }
    try await page.close()
  }

  func testTheDraftOfAKilledProgramStaysAway() async throws {
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "tab=drafts&fetch=Note")
    try await page.wait(for: "No draft has unsaved edits.", in: "#panel-drafts")
    let typist = try TypistProcess(notes.path, draft: "letter")
    let draft = "[data-draft=letter]"
    try await page.wait(for: "In use by process \(typist.identifier)", in: draft)
    // The program types on while it is killed.
    XCTAssertTrue(typist.wait(for: 50), "Typist has ended.")
    let written = typist.end()
    try await page.wait(for: "No program has it open", in: draft)
    let text = try await page.text("\(draft) ins")
    let shown = try XCTUnwrap(text.split(separator: ": ").last.flatMap { Int($0) }, text)
    XCTAssertEqual(text, "Typed, and never saved: \(shown)")
    // The journal may have one number more, which the program could not report any more.
    XCTAssertTrue((written...written + 1).contains(shown), "written: \(written), shown: \(shown)")
    XCTAssertEqual(try note().title, "Tea")
    try await page.close()
  }

  func testAConflictOfADraftIsDecidedAlone() async throws {
    for (choice, title) in [("Save mine…", "Typed, and never saved"), ("Keep theirs…", "Green tea")] {
      let typist = try TypistProcess(notes.path, draft: "letter", text: "Typed, and never saved")
      while try notes.store.drafts.all().first?.preview.isEmpty != false {
        try await Task.sleep(for: .milliseconds(20))
      }
      typist.end()
      try await notes.save("Rename") { try $0.fetch(Fetch<Note>())[0].title = "Green tea" }
      let inspector = try InspectCommand(notes.path, ["--edit"])
      let page = try await BrowserPage(inspector.url, "tab=drafts&fetch=Note")
      let press = { (label: String) in
        "[...document.querySelectorAll('[data-draft=letter] button')].find(e => e.innerText === '\(label)')"
      }
      for label in ["Save…", choice] {
        try await page.wait("there is a button \(label)", press(label))
        _ = try await page.value("\(press(label)).click()")
        try await page.wait("the page asks", "document.querySelector('#confirm[open]')")
        try await page.click("#confirm-yes")
        if label == "Save…" {
          try await page.wait(for: "Later saves changed 1 value or object of this draft", in: "[data-draft=letter]")
          XCTAssertEqual(try note().title, "Green tea")
        }
      }
      try await page.wait("the draft is gone", "!document.querySelector('[data-draft=letter]')")
      XCTAssertEqual(try note().title, title)
      try await page.close(expecting: "409")
      try await notes.save("Rename") { try $0.fetch(Fetch<Note>())[0].title = "Tea" }
    }
  }

  func testAnUnsavedChangeStaysAway() async throws {
    let context = notes.store.mainContext
    let inspector = try await Inspector.serve(notes.store)
    let page = try await BrowserPage(inspector.url, "tab=live&fetch=Note")
    try await page.wait(for: "no unsaved changes", in: "#panel-live [data-context]")
    let note = try context.fetch(Fetch<Note>())[0]
    context.group("Rename") { note.title = "Not yet saved" }
    try await page.wait(for: "Not yet saved", in: "#panel-live [data-context]")
    context.group("Praise") { note.stars = 5 }
    let list = try FetchedList(Fetch<Note>(), in: context)
    try await page.wait(for: "can undo: Praise, Rename", in: "#panel-live [data-context]")
    try await page.wait(for: "observers: FetchedList<Note>", in: "#panel-live [data-context]")
    for _ in 0..<3 { _ = try context.count(Fetch<Note> { $0.title == "Tea" }) }
    try await page.wait(for: "Note where title == \"Tea\"", in: "#fetches article")
    try await page.wait(for: "count · 3 runs", in: "#fetches article")
    try await page.wait(for: "By an index or a counter of the store alone", in: "#fetches article")
    withExtendedLifetime(list) {}
    try await page.close()
    await inspector.stop()
  }
}
