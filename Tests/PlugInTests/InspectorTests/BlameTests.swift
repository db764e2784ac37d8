import Browser
import Foundation
import Inspected
import RepriseCore
import XCTest

/// The page names another author of a value, or the log shows other transactions than its filters ask for.
@MainActor
final class BlameTests: XCTestCase {
  private var notes: Notes!
  private var added = 0
  private var renamed = 0
  private var starred = 0

  override func setUp() async throws {
    notes = try await Notes()
    added = try await notes.save("Add", by: "ada") { _ = $0.insert(Note("Tea")) }
    renamed = try await notes.save("Rename", by: "ben") { try self.notes.note("Tea", in: $0).title = "Green tea" }
    starred = try await notes.save("Praise", by: "eve") {
      try self.notes.note("Green tea", in: $0).stars = 5
      $0.insert(Folder("Drinks"))
    }
  }

  override func tearDown() async throws {
    try await notes.store.close()
    notes = nil
  }

  /// The time of a transaction as the page shows it, in UTC.
  private func time(_ position: Int) throws -> String {
    let transaction = try XCTUnwrap(notes.store.log.transaction(at: Position(UInt64(position))))
    let form = DateFormatter()
    (form.locale, form.timeZone) = (Locale(identifier: "en_US_POSIX"), TimeZone(identifier: "UTC"))
    form.dateFormat = "yyyy-MM-dd HH:mm:ss"
    return form.string(from: Date(timeIntervalSince1970: Double(transaction.microseconds / 1_000_000)))
  }

  func testAValueHasAnotherAuthor() async throws {
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "fetch=Note")
    try await page.click("#grid [data-row='0'] [data-property=title]")
    try await page.wait("the cell's value is selected", "document.querySelector('#detail .selected')")
    let selected = try await page.value("document.querySelector('#detail .selected').dataset.property") as? String
    XCTAssertEqual(selected, "title")
    for (property, author, name, position) in [
      ("title", "ben", "Rename", renamed), ("body", "ada", "Add", added), ("stars", "eve", "Praise", starred),
    ] {
      let blame = try await page.text("#detail [data-property=\(property)] .blame")
      let expected = "\(author) · \(try time(position)) UTC · \(name)\n@\(position) in the log"
      XCTAssertTrue(blame.hasPrefix(expected), "\(property): \(blame)")
    }
    try await page.click("#detail [data-property=title] .blame a")
    try await page.wait("the log is there", "!document.querySelector('#panel-log').hidden")
    let first = try await page.number("Number(document.querySelector('#log [data-position]').dataset.position)")
    XCTAssertEqual(first, Double(renamed))
    let marked = "document.querySelector('#log [data-position=\"\(renamed)\"].target')"
    try await page.wait("the transaction is marked", marked)
    try await page.close()
  }

  func testAPastValueHasALaterAuthor() async throws {
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "fetch=Note&at=\(added)")
    try await page.click("#grid [data-row='0'] [data-property=title]")
    try await page.wait(for: "ada · ", in: "#detail [data-property=title] .blame")
    let go = "[...document.querySelectorAll('#detail [data-property=stars] .blame button')]"
    let atThatTime = try await page.number("\(go).length")
    XCTAssertEqual(atThatTime, 0, "the page shows that time already")
    try await page.click("#now")
    try await page.wait(for: "eve · ", in: "#detail [data-property=stars] .blame")
    try await page.wait(for: "ben · ", in: "#detail [data-property=title] .blame")
    try await page.click("#detail [data-property=title] .blame button")
    try await page.wait("the page is at that time", "document.querySelector('#moment').value === '@\(renamed)'")
    let stars = try await page.text("#grid [data-row='0'] [data-property=stars]")
    XCTAssertTrue(stars.hasPrefix("0"), stars)
    try await page.close()
  }

  func testAFilterOfTheLogHidesTooMuch() async throws {
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "tab=log&fetch=Note")
    func positions() async throws -> [Int] {
      try await page.rest()
      let texts = try await page.value(
        "[...document.querySelectorAll('#log [data-position]')].map(each => Number(each.dataset.position))")
      return texts as? [Int] ?? []
    }
    func clear() async throws { try await page.click("#panel-log .filters button:not([hidden])") }
    let all = try await positions()
    XCTAssertEqual(Array(all.prefix(3)), [starred, renamed, added])
    let note = try RootContext(notes.store).fetch(Fetch<Note>())[0].id.any.description
    let since = try await page.text("#log [data-position='\(added)'] time")
    let filters: [(field: String, text: String, found: [Int])] = [
      ("author", "ben", [renamed]), ("author", "nobody", []), ("of", note, [starred, renamed, added]),
      ("to", "@\(renamed)", Array(all.drop { $0 > renamed })), ("from", "@\(renamed)", [starred, renamed]),
      ("to", "2001-01-01", []), ("from", since, [starred, renamed, added]),
    ]
    for (field, text, expected) in filters {
      try await page.enter(text, in: "#log-\(field)")
      let found = try await positions()
      XCTAssertEqual(found.filter { $0 >= added || expected.contains($0) }, expected, "\(field) \(text)")
      if expected.isEmpty { try await page.wait(for: "No transaction matches the filter.", in: "#panel-log .end") }
      try await clear()
    }
    _ = try await page.value(
      "(e => { e.value = 'Folder'; e.dispatchEvent(new Event('change')) })(document.querySelector('#log-entity'))")
    let ofFolders = try await positions()
    XCTAssertEqual(ofFolders, [starred])
    let changes = try await page.text("#log [data-position='\(starred)'] .changes")
    XCTAssertTrue(changes.contains("Drinks") && !changes.contains("stars"), changes)
    try await page.enter("ben", in: "#log-author")
    let both = try await positions()
    XCTAssertEqual(both, [], "ben changed no folder")
    try await clear()
    let again = try await positions()
    XCTAssertEqual(again, all)
    try await page.enter("tomorrow", in: "#log-from")
    try await page.wait(for: "'tomorrow' is no position.", in: "#panel-log .end")
    try await page.close(expecting: "status of 400")
  }
}
