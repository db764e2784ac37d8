import Browser
import Foundation
import Inspected
import RepriseCore
import XCTest

/// A reader cannot reach a row, and does not learn why.
@MainActor
final class ReachTests: XCTestCase {
  private var notes: Notes!

  override func setUp() async throws { notes = try await Notes() }

  override func tearDown() async throws {
    try await notes.store.close()
    notes = nil
  }

  /// Answers as a store with three million notes. Its rows are copies of the first one.
  private static let manyNotes = """
    (() => {
      const real = window.fetch;
      window.fetch = async (address, options) => {
        const url = new URL(address, location.href);
        const answer = await real(address, options);
        const text = url.searchParams.get("fetch") ?? "";
        if (!url.pathname.endsWith("api/rows") || !text.includes("order by")) return answer;
        const [offset, limit] = ["offset", "limit"].map(name => Number(url.searchParams.get(name)));
        const reach = text.includes("order by stars") ? 20000 : 3000000;
        const json = await (await real(address.replace(/offset=\\d+/, "offset=0"))).json();
        if (offset >= reach) return new Response(JSON.stringify({ message: "too far" }), { status: 400 });
        const rows = [...Array(Math.min(limit, reach - offset)).keys()].map(each => ({
          ...json.rows[0], id: `Note/${offset + each}`,
          values: { ...json.rows[0].values, title: `Row ${offset + each + 1}` },
        }));
        return new Response(JSON.stringify({ ...json, total: 3000000, reach, offset, rows }),
          { headers: { "Content-Type": "application/json" } });
      };
    })()
    """

  func testTheGridEndsWithoutAWord() async throws {
    try await notes.save("Add") { _ = $0.insert(Note("Tea")) }
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "fetch=Note")
    try await page.wait("nothing is left out", "document.querySelector('#reach').hidden")
    _ = try await page.value(Self.manyNotes)
    try await page.enter("Note order by stars", in: "#filter")
    try await page.wait(for: "3,000,000 objects", in: "#total")
    let text = try await page.text("#reach")
    XCTAssertEqual(
      text,
      "The grid ends at row 20,000 of 3,000,000: no index has this order. To reach the other objects, add a condition, "
        + "or sort by a property with an index: Sort by title")
    _ = try await page.value("document.querySelector('#grid').focus()")
    try await page.press("End")
    try await page.rest()
    let last = try await page.text("[data-row='19999'] [data-property=title]")
    XCTAssertEqual(last, "Row 20000")
    try await page.enter("30000", in: "#row")
    try await page.wait(for: "Row 20,000 is the last one.", in: "#status")
    let error = try await page.text("#filter-error")
    XCTAssertEqual(error, "")
    try await page.click("#reach a")
    try await page.wait("the notice is gone", "document.querySelector('#reach').hidden")
    let fetch = try await page.value("document.querySelector('#filter').value") as? String
    XCTAssertEqual(fetch, "Note order by title")
    try await page.enter("2,900,000", in: "#row")
    let far = try await page.text("[data-row='2899999'] [data-property=title]")
    XCTAssertEqual(far, "Row 2900000")
    try await page.close()
  }

  func testTheRowFieldLeadsElsewhere() async throws {
    let count = 30_000
    try await notes.save("Add") { context in
      for number in 1...count { _ = context.insert(Note("Note \(100_000 + number)")) }
    }
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "fetch=Note%20order%20by%20title")
    try await page.wait(for: "30,000 objects", in: "#total")
    for number in [count, 27_001, 1] {
      try await page.press("g")
      try await page.wait("the field has the focus", "document.activeElement.id === 'row'")
      try await page.write("\(number)")
      try await page.press("Enter")
      try await page.rest()
      let cell = try await page.value("document.querySelector('#grid').getAttribute('aria-activedescendant')")
      XCTAssertEqual(cell as? String, "c-\(number - 1)-0")
      let title = try await page.text("[data-row='\(number - 1)'] [data-property=title]")
      XCTAssertEqual(title, "Note \(100_000 + number)")
      let hasFocus = try await page.value("document.activeElement.id === 'grid'") as? Bool
      XCTAssertEqual(hasFocus, true)
    }
    for text in ["abc", "0", "-4", "1.5"] {
      try await page.enter(text, in: "#row")
      try await page.wait(for: "Write the number of a row, such as 900.", in: "#status")
      _ = try await page.value("document.querySelector('#status').textContent = ''")
    }
    try await page.close()
  }
}
