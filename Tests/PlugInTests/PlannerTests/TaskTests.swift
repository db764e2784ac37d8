import Browser
import XCTest

/// Lists, editors and imports, with other people at work.
@MainActor final class TaskTests: XCTestCase {
  private static let titles = "[...document.querySelectorAll('#tasks .title')].map(e => e.innerText).join('|')"

  func testTheListMissesASaveOfSomebodyElse() async throws {
    let server = try PlannerServer()
    let (ada, grace) = (try await server.page("Ada"), try await server.page("Grace"))
    try await ada.addTask("Tea")
    try await grace.wait("Grace sees the task", "\(Self.titles) === 'Tea'")
    try await grace.act("open")
    try await grace.focus("title")
    try await grace.write(" and milk")
    try await grace.save()
    try await ada.wait("Ada sees the title", "\(Self.titles) === 'Tea and milk'")
    try await ada.close()
    try await grace.close()
  }

  func testSearchAndProjectsShowOtherTasks() async throws {
    let server = try PlannerServer()
    let page = try await server.page("Ada")
    for title in ["Buy tea", "Buy milk", "Call Grace"] { try await page.addTask(title) }
    try await page.focus("words")
    try await page.write("bu")
    try await page.wait("two tasks are found", "\(Self.titles) === 'Buy milk|Buy tea'")
    server.kill()
    try server.start()
    try await page.rest()
    try await page.write("y t")
    try await page.wait("one task is found", "\(Self.titles) === 'Buy tea'")
    try await page.focus("new-project")
    try await page.write("Kitchen")
    try await page.press("Enter")
    try await page.wait(
      "the project is shown", "document.querySelector('.projects [aria-pressed=true]').innerText === 'Kitchen'")
    try await page.wait("it has no tasks", "document.querySelector('.empty')")
    try await page.close(expecting: "ERR_")
  }

  func testTheScrollPositionIsLostByAKill() async throws {
    let server = try PlannerServer()
    let page = try await server.page("Ada")
    try await page.importTasks(500)
    _ = try await page.value("document.getElementById('list').scrollTop = 300 * 36 + 10")
    try await page.wait("rows are shown", "document.querySelector(\"[data-row='300']\")")
    try await page.rest()
    try await page.wait("they are safe", "document.querySelector('#tasks').dataset.top === '300'")
    try await Task.sleep(for: .milliseconds(400))
    let title = try await page.text("[data-row='300'] .title")
    server.kill()
    try server.start()
    let fresh = try await server.page("Ada")
    let place = try await fresh.number("document.getElementById('list').scrollTop")
    XCTAssertEqual(place, 300 * 36 + 10)
    let shown = try await fresh.text("[data-row='300'] .title")
    XCTAssertEqual(shown, title)
    // A task above does not move what is visible.
    try await page.rest()
    let grace = try await server.page("Grace")
    try await grace.act("new")
    try await grace.focus("title")
    try await grace.write("000 first")
    try await grace.setDay("2000-01-01")
    try await grace.save()
    try await fresh.wait(
      "the row is further down", "document.querySelector(\"[data-row='301'] .title\")?.innerText === '\(title)'")
    let after = try await fresh.number("document.getElementById('list').scrollTop")
    XCTAssertEqual(after, 301 * 36 + 10)
    for page in [page, fresh, grace] { try await page.close(expecting: "ERR_") }
  }

  func testStepsKeepTheirOrder() async throws {
    let server = try PlannerServer()
    let page = try await server.page("Ada")
    try await page.act("new")
    try await page.focus("title")
    try await page.write("Cake")
    try await page.act("add-step")
    let steps = "[...document.querySelectorAll('.steps input:not([type=checkbox])')].map(e => e.value).join('|')"
    for name in ["Flour", "Sugar", "Eggs"] {
      try await page.wait("there is an empty step", "\(steps).split('|').at(-1) === ''")
      _ = try await page.value("[...document.querySelectorAll('.steps input:not([type=checkbox])')].at(-1).focus()")
      try await page.write(name)
      try await page.rest()
      if name != "Eggs" { try await page.press("Enter") }
    }
    try await page.click(".steps li:last-child [data-do='step-up']")
    try await page.wait("the eggs are second", "\(steps) === 'Flour|Eggs|Sugar'")
    server.kill()
    try server.start()
    try await page.rest()
    try await page.click(".steps li:first-child [data-do='remove-step']")
    try await page.wait("the flour is gone", "\(steps) === 'Eggs|Sugar'")
    try await page.act("undo")
    try await page.wait("the flour is back", "\(steps) === 'Flour|Eggs|Sugar'")
    try await page.save()
    let fresh = try await server.page("Grace")
    try await fresh.act("open")
    try await fresh.wait("Grace sees the steps", "\(steps) === 'Flour|Eggs|Sugar'")
    try await page.close(expecting: "ERR_")
    try await fresh.close()
  }

  func testAConflictHidesTheOtherPersonsText() async throws {
    let server = try PlannerServer()
    let (ada, grace) = (try await server.page("Ada"), try await server.page("Grace"))
    try await ada.addTask("Tea")
    for page in [ada, grace] { try await page.act("open") }
    try await ada.setDay("2026-12-01")
    try await grace.setDay("2026-12-02")
    try await grace.save()
    try await ada.wait(for: "2026-12-02", in: ".conflicts")
    try await ada.wait(for: "Grace", in: ".conflicts")
    let kept = try await ada.field("due")
    XCTAssertEqual(kept, "2026-12-01")
    server.kill()
    try server.start()
    try await ada.rest()
    try await ada.wait(for: "2026-12-02", in: ".conflicts")
    try await ada.act("theirs")
    try await ada.waitForField("due", toBe: "2026-12-02")
    try await ada.wait("the conflict is over", "!document.querySelector('.conflicts')")
    try await ada.close(expecting: "ERR_")
    try await grace.close(expecting: "ERR_")
  }

  func testTextsOfTwoPeopleAreMerged() async throws {
    let server = try PlannerServer()
    let (ada, grace) = (try await server.page("Ada"), try await server.page("Grace"))
    try await ada.addTask("Tea")
    for page in [ada, grace] { try await page.act("open") }
    try await ada.focus("title")
    try await ada.write(" today")
    _ = try await grace.value(
      "(e => { e.focus(); e.setSelectionRange(0, 0) })(document.querySelector('[data-field=title]'))")
    try await grace.write("Green ")
    try await grace.save()
    try await ada.rest()
    try await ada.save()
    try await ada.wait("both edits are in the list", "\(Self.titles) === 'Green Tea today'")
    try await ada.close()
    try await grace.close()
  }

  func testAnOfflineEditDeletesAnotherPersonsText() async throws {
    let server = try PlannerServer()
    let (ada, grace) = (try await server.page("Ada"), try await server.page("Grace"))
    try await ada.addTask("Tea")
    for page in [ada, grace] { try await page.act("open") }
    try await ada.network(isOffline: true)
    try await ada.focus("title")
    try await ada.write("!")
    try await grace.focus("title")
    try await grace.write(" and milk")
    try await grace.save()
    try await ada.network()
    try await ada.rest()
    try await ada.waitForField("title", toBe: "Tea and milk!")
    try await ada.save()
    try await grace.waitForField("title", toBe: "Tea and milk!")
    try await ada.close(expecting: "ERR_")
    try await grace.close()
  }

  func testTwoPeopleAddTheSameTag() async throws {
    let server = try PlannerServer()
    let (ada, grace) = (try await server.page("Ada"), try await server.page("Grace"))
    for title in ["Tea", "Milk"] { try await ada.addTask(title) }
    for (page, number) in [(ada, 0), (grace, 1)] {
      try await page.click("#tasks li:nth-child(\(number + 1)) button")
      try await page.focus("new-tag")
      try await page.write(number == 0 ? "Urgent" : "urgent")
      try await page.press("Enter")
      try await page.rest()
    }
    try await grace.save()
    try await ada.save()
    let notice = try await ada.text("#notice")
    XCTAssertEqual(notice, "")
    let fresh = try await server.page("Eve")
    for number in 1...2 { try await fresh.click("#tasks li:nth-child(\(number)) button") }
    try await fresh.wait(
      "both tasks have the one tag",
      "[...document.querySelectorAll('.editor')].every(e => e.querySelectorAll('[data-field^=\"tag:\"]').length === 1 "
        + "&& e.querySelector('[data-field^=\"tag:\"]').checked) && document.querySelectorAll('.editor').length === 2")
    for page in [ada, grace, fresh] { try await page.close() }
  }

  func testTheUndoOfANewTaskTrapsItsEditor() async throws {
    let server = try PlannerServer()
    let page = try await server.page("Ada")
    try await page.act("new")
    try await page.focus("title")
    try await page.write("Tea")
    try await page.rest()
    for _ in 0..<4 {
      try await page.act("undo")
      try await page.rest()
    }
    let alerts = try await page.text("[role=alert]")
    XCTAssertEqual(alerts, "")
    try await page.waitForField("title", toBe: "")
    try await page.focus("title")
    try await page.write("Milk")
    try await page.save()
    try await page.wait(for: "Milk", in: "#tasks")
    try await page.close()
  }

  func testADeletedTaskTrapsItsEditor() async throws {
    let server = try PlannerServer()
    let (ada, grace) = (try await server.page("Ada"), try await server.page("Grace"))
    try await ada.addTask("Tea")
    for page in [ada, grace] { try await page.act("open") }
    try await ada.focus("title")
    try await ada.write(" and milk")
    try await ada.rest()
    try await grace.act("delete")
    try await ada.wait(for: "deleted", in: ".editor [role=alert]")
    server.kill()
    try server.start()
    try await ada.rest()
    let fresh = try await server.page("Ada")
    try await fresh.wait(for: "deleted", in: ".editor [role=alert]")
    try await fresh.close()
    try await ada.act("discard")
    try await ada.wait("the editor is closed", "!document.querySelector('.editor')")
    try await ada.close(expecting: "ERR_")
    try await grace.close(expecting: "ERR_")
  }

  func testARevertLeavesTheFormerTitle() async throws {
    let server = try PlannerServer()
    let page = try await server.page("Ada")
    try await page.addTask("Tea")
    try await page.act("open")
    try await page.focus("title")
    try await page.write(" and milk")
    try await page.save()
    try await page.act("history")
    try await page.wait(for: "Add task", in: ".history")
    try await page.click(".history li:first-child [data-do='revert']")
    try await page.waitForField("title", toBe: "Tea")
    try await page.wait(for: "Revert", in: ".history")
    try await page.close()
  }

  func testAnImportEndsWithTheProcess() async throws {
    let server = try PlannerServer()
    let page = try await server.page("Ada")
    try await page.importTasks(1_000, waits: false)
    try await page.wait("a part is saved", "parseInt(document.querySelector('.progress')?.innerText) >= 200")
    server.kill()
    try server.start()
    try await page.rest()
    try await page.wait("all are saved", "document.querySelector('.progress')?.innerText === '1000 tasks imported.'")
    try await page.wait("the list has each once", "document.querySelector('#tasks').dataset.count === '1000'")
    try await page.close(expecting: "ERR_")
  }

  func testAMistakeInAFileStopsNothing() async throws {
    let server = try PlannerServer()
    let page = try await server.page("Ada")
    try await page.act("import")
    try await page.focus("csv")
    try await page.write("title,due\nTea,tomorrow\n")
    try await page.act("start-import")
    try await page.wait(for: "'tomorrow' is not a day", in: "#dialog [role=alert]")
    try await page.act("close-import")
    try await page.addTask("Tea")
    try await page.close()
  }

  func testATextOfATaskRunsAsAScript() async throws {
    let server = try PlannerServer()
    let page = try await server.page("<b>Ada<b>")
    let text = "<img src=x onerror=\"document.title='pwned'\">' onfocus='x</textarea><script>alert(1)</script>"
    try await page.addTask(text)
    try await page.act("open")
    try await page.waitForField("title", toBe: text)
    try await page.focus("notes")
    try await page.write(text)
    try await page.save()
    try await page.act("history")
    try await page.wait(for: "<script>", in: ".history")
    let fresh = try await server.page("<b>Ada<b>")
    try await fresh.waitForField("notes", toBe: text)
    let title = try await fresh.value("document.title") as? String
    XCTAssertEqual(title, "Planner")
    try await page.close()
    try await fresh.close()
  }
}

extension BrowserPage {
  func setDay(_ day: String) async throws {
    let element = "document.querySelector('[data-field=due]')"
    try await wait("there is a day", element)
    _ = try await value(
      "(e => { e.value = '\(day)'; e.dispatchEvent(new Event('input', { bubbles: true })) })(\(element))")
    try await rest()
  }

  func importTasks(_ count: Int, waits: Bool = true) async throws {
    try await act("import")
    try await focus("csv")
    let lines = (0..<count).map { "Task \(10_000 + $0),2026-12-\(10 + $0 % 20),Project \($0 % 3),\"a, \"\"b\"\"\"" }
    try await write("title,due,project,notes\n" + lines.joined(separator: "\n"))
    try await act("start-import")
    guard waits else { return }
    try await wait("all are imported", "document.querySelector('.progress')?.innerText === '\(count) tasks imported.'")
    try await act("close-import")
    try await wait("the list has all", "document.querySelector('#tasks').dataset.count === '\(count)'")
  }
}
