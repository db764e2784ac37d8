import Browser
import Foundation
import Inspected
import RepriseCore
import XCTest

/// A window of 320 pixels hides a part of a text.
@MainActor
final class NarrowTests: XCTestCase {
  private var notes: Notes!
  private let word = String(repeating: "Donaudampfschiff", count: 8)

  override func setUp() async throws { notes = try await Notes() }

  override func tearDown() async throws {
    try await notes.store.close()
    notes = nil
  }

  /// The texts that are cut, or that leave the window. The cells of the grid are cut by design.
  private static let cut = """
    [...document.querySelectorAll("body *")].filter(node => {
      if (!node.checkVisibility() || node.closest("#grid, .unseen, .mirror, input, pre, #marks, .skip")) return false;
      if (![...node.childNodes].some(each => each.nodeType === 3 && each.data.trim() !== "")) return false;
      const style = getComputedStyle(node);
      const box = node.getBoundingClientRect();
      const isClipped = style.overflowX !== "visible" && node.scrollWidth > node.clientWidth + 1;
      return isClipped || box.right > innerWidth + 1 || box.left < -1;
    }).map(node => `${node.localName}#${node.id}.${node.className}: ${node.innerText.slice(0, 40)}`)
    """

  func testASmallWindowCutsAWord() async throws {
    try await notes.save("Add\(word)", by: "ada\(word)") { context in
      let folder = Folder(self.word)
      context.insert(Note(self.word, body: self.word)).folder = folder
      _ = context.insert(Hostile(self.word))
    }
    try await notes.save("Change\(word)", by: "ben\(word)") { context in
      for note in try context.fetch(Fetch<Note>()) { note.title += "s" }
    }
    let typist = try TypistProcess(notes.path, draft: "draft\(word)", text: word)
    typist.end()
    let inspector = try InspectCommand(notes.path, ["--edit"])
    let page = try await BrowserPage(inspector.url, "fetch=Note")
    let metrics: [String: Any] = ["width": 320, "height": 640, "deviceScaleFactor": 1, "mobile": false]
    try await page.send("Emulation.setDeviceMetricsOverride", metrics)
    func check(_ view: String) async throws {
      try await page.rest()
      let found = try await page.value(Self.cut) as? [String]
      XCTAssertEqual(found, [], view)
    }
    try await check("objects")
    for tab in ["log", "drafts", "plans"] {
      try await page.click("#tab-\(tab)")
      if tab == "drafts" {
        try await page.wait(for: "NoteEditor", in: "#panel-drafts")
        _ = try await page.value("document.querySelectorAll('details').forEach(each => { each.open = true })")
      }
      if tab == "plans" { try await page.enter("Note where title == \"\(word)\"", in: "#plan-fetch") }
      try await check(tab)
    }
    try await page.click("#tab-grid")
    try await page.click("[data-row='0'] [role=gridcell]:nth-child(2)")
    try await page.wait(for: "History of title", in: "#detail")
    try await check("detail")
    try await page.press("Escape")
    try await page.enter("@2", in: "#moment")
    try await check("a moment with a long author")
    try await page.press("?")
    try await check("keys")
    try await page.press("Escape")
    try await page.click("#tab-log")
    try await page.click("#log button.revert")
    try await page.wait(for: "Changes that will be saved", in: "#revert .body")
    try await check("revert")
    try await page.close()
  }
}
