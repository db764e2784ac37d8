import Browser
import RepriseTesting
import XCTest

/// The server is killed while people type.
@MainActor final class KillTests: XCTestCase {
  func testTypedTextOutlivesAKill() async throws {
    let server = try PlannerServer()
    let page = try await server.page("Ada")
    try await page.act("new")
    try await page.focus("title")
    try await page.write("Buy te")
    try await page.rest()
    server.kill()
    try await page.write("a")
    try server.start()
    try await page.write(" and milk")
    try await page.rest()
    try await page.waitForField("title", toBe: "Buy tea and milk")
    // A second page sees what the server has.
    let other = try await server.page("Ada")
    try await other.waitForField("title", toBe: "Buy tea and milk")
    try await page.close(expecting: "ERR_")
    try await other.close()
  }

  func testTenPeopleTypeThroughKills() async throws {
    var random = SeededGenerator()
    let kills = ProcessInfo.processInfo.environment["REPRISE_KILLS"].flatMap { Int($0) } ?? 5
    let server = try PlannerServer()
    var pages: [BrowserPage] = []
    for number in 0..<10 {
      let page = try await server.page("Person \(number)")
      try await page.act("new")
      try await page.focus("notes")
      pages.append(page)
    }
    var ledger = [String](repeating: "", count: pages.count)
    for kill in 0...kills {
      for step in 0..<Int.random(in: 5...40, using: &random) {
        let number = Int.random(in: 0..<pages.count, using: &random)
        let text = ["a", "bc", " ", "dé", "\(kill).\(step)"].randomElement(using: &random)!
        try await pages[number].write(text)
        ledger[number] += text
      }
      if kill == kills { break }
      server.kill()
      for number in pages.indices where Bool.random(using: &random) {
        try await pages[number].write("!")
        ledger[number] += "!"
      }
      try server.start()
    }
    for (page, text) in zip(pages, ledger) {
      try await page.rest()
      try await page.waitForField("notes", toBe: text)
      let caret = try await page.number("document.activeElement.selectionStart")
      XCTAssertEqual(caret, Double(text.utf16.count), "the caret of \(text), seed \(random.seed)")
    }
    for (number, text) in ledger.enumerated() {
      let fresh = try await server.page("Person \(number)")
      try await fresh.waitForField("notes", toBe: text)
      try await fresh.close()
    }
    for page in pages { try await page.close(expecting: "ERR_") }
  }

  func testUndoOutlivesAKill() async throws {
    let server = try PlannerServer()
    let page = try await server.page("Ada")
    try await page.addTask("Tea")
    try await page.act("open")
    try await page.focus("title")
    try await page.write(" and")
    try await page.rest()
    try await page.write(" milk")
    try await page.rest()
    server.kill()
    try server.start()
    try await page.rest()
    try await page.waitForField("title", toBe: "Tea and milk")
    try await page.act("undo")
    try await page.wait("a step is undone", "document.querySelector('[data-field=title]').value !== 'Tea and milk'")
    for _ in 0..<3 { if try await page.field("title") != "Tea" { try await page.act("undo") } }
    try await page.waitForField("title", toBe: "Tea")
    try await page.act("redo")
    try await page.wait("a step is redone", "document.querySelector('[data-field=title]').value !== 'Tea'")
    try await page.close(expecting: "ERR_")
  }

  func testAKillDuringADeletionLeavesIt() async throws {
    var random = SeededGenerator()
    let server = try PlannerServer()
    let page = try await server.page("Ada")
    for round in 0..<8 {
      try await page.addTask("Task \(round)")
      try await page.act("open")
      try await page.act("delete", "")
      try await Task.sleep(for: .microseconds(Int.random(in: 0...8_000, using: &random)))
      server.kill()
      try server.start()
      try await page.rest()
      try await page.wait("task \(round) is deleted, seed \(random.seed)", "document.querySelector('.empty')")
      let notice = try await page.text("#notice")
      XCTAssertEqual(notice, "", "round \(round), seed \(random.seed)")
      let fresh = try await server.page("Grace")
      try await fresh.wait("the task is deleted for all, seed \(random.seed)", "document.querySelector('.empty')")
      try await fresh.close()
    }
    try await page.close(expecting: "ERR_")
  }

  func testAHangingConnectionStopsADeploy() async throws {
    let server = try PlannerServer()
    let page = try await server.page("Ada")
    try await page.act("new")
    try await page.focus("title")
    try await page.write("Tea")
    // A phone has vanished in the middle of a request.
    let hanging = try HangingConnection(port: server.port)
    let status = try server.deploy()
    XCTAssertEqual(status, 0)
    try await page.write(" and milk")
    try await page.rest()
    try await page.waitForField("title", toBe: "Tea and milk")
    let other = try await server.page("Ada")
    try await other.waitForField("title", toBe: "Tea and milk")
    withExtendedLifetime(hanging) {}
    try await page.close(expecting: "Failed to load resource")
    try await other.close()
  }

  func testARollingDeployShowsNoError() async throws {
    let server = try PlannerServer()
    let pages = [try await server.page("Ada"), try await server.page("Grace")]
    for page in pages {
      try await page.act("new")
      try await page.focus("title")
    }
    var text = ""
    for deploy in 0..<3 {
      for page in pages { try await page.write("\(deploy)") }
      let status = try server.deploy()
      XCTAssertEqual(status, 0)
      for page in pages { try await page.write(".") }
      text += "\(deploy)."
    }
    for page in pages {
      try await page.rest()
      try await page.waitForField("title", toBe: text)
      let alerts = try await page.text("[role=alert]")
      XCTAssertEqual(alerts, "")
      try await page.save()
    }
    // Each save has made one task.
    let titles = try await pages[0].value("[...document.querySelectorAll('#tasks .title')].map(e => e.innerText)")
    XCTAssertEqual(titles as? [String], [text, text])
    for page in pages { try await page.close(expecting: "Failed to load resource") }
  }
}
