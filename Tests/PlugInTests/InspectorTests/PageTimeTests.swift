import Browser
import Foundation
import Inspected
import RepriseCore
import XCTest

/// A view is on the screen late. `.ci/bench inspector` names the stores, and reads the rows that this test prints.
///
/// A time begins with the user's action. It ends two frames of the browser after the last request.
@MainActor
final class PageTimeTests: XCTestCase {
  private let environment = ProcessInfo.processInfo.environment
  private var rounds: Int { environment["REPRISE_PAGE_ROUNDS"].flatMap { Int($0) } ?? 20 }
  /// Rounds before the measured ones. They fill the caches of the server and of the browser's compiler.
  private let warmUp = 5

  /// Prints a row as `InspectorRow(printed:)` reads it.
  private func row(_ name: String, _ meaning: String, _ samples: [Double]) {
    let texts = samples.dropFirst(warmUp).map { String(format: "%.1f", $0) }
    print("row \(name)|\(meaning)|ms|100|\(texts.joined(separator: " "))")
  }

  /// Measures from each Enter to the painting of its effect.
  private static let clock = """
    addEventListener("keydown", event => {
      if (event.key !== "Enter") return;
      window.taken = new Promise(done => {
        whenIdle().then(() => done(performance.now() - event.timeStamp));
      });
    }, true)
    """

  /// The time until a new tab shows the first row of the grid.
  private static let start = """
    (() => {
      const look = () => {
        if (window.whenIdle && document.querySelector("#grid [data-row='0'][data-id]")) {
          whenIdle().then(() => { window.painted = performance.now(); });
        } else requestAnimationFrame(look);
      };
      look();
    })()
    """

  func testAViewIsLate() async throws {
    guard let objects = environment["REPRISE_MANY_OBJECTS"], let log = environment["REPRISE_MANY_TRANSACTIONS"] else {
      throw XCTSkip("Only .ci/bench inspector has the stores.")
    }
    try await measureObjects(InspectCommand(objects))
    try await measureTransactions(InspectCommand(log))
    try await measureSaves()
  }

  /// Keeps the time when a frame of the browser has the awaited text in the first row.
  private static let watch = """
    window.shows = text => {
      window.shown = null;
      const look = () => {
        const cell = document.querySelector("#grid [data-row='0'] [data-property=title]");
        if (!cell?.innerText.startsWith(text)) return requestAnimationFrame(look);
        requestAnimationFrame(() => { window.shown = performance.timeOrigin + performance.now(); });
      };
      look();
    }
    """

  /// From the end of a save by this process until the page of the inspector shows the value.
  private func measureSaves() async throws {
    let notes = try await Notes()
    try await notes.save("Add") { context in
      for number in 0..<10_000 { _ = context.insert(Note("Note \(number)", stars: number)) }
    }
    let inspector = try InspectCommand(notes.path)
    let page = try await BrowserPage(inspector.url, "fetch=Note%20order%20by%20title")
    _ = try await page.value(Self.watch)
    let context = RootContext(notes.store, author: "ada")
    let first = try context.fetch(Fetch<Note>().sorted { $0.title }.limit(1))[0]
    var samples: [Double] = []
    for round in 0..<warmUp + rounds {
      // The row stays the first one.
      let title = "A round \(round) "
      _ = try await page.value("window.shows(\(BrowserPage.quoted(title)))")
      first.title = title
      try await context.save("Rename")
      let saved = Date().timeIntervalSince1970 * 1_000
      try await page.wait("the save is on the page", "window.shown")
      samples.append(try await page.number("window.shown").map { $0 - saved } ?? 0)
    }
    row("page.live", "a value that another process has just saved", samples)
    try await page.close()
    try await notes.store.close()
  }

  private func measureObjects(_ inspector: InspectCommand) async throws {
    row("page.open", "the first of many objects, in a new tab", try await opened(inspector, isCached: true))
    row(
      "page.open.first", "the same, and the browser has no scripts of the page yet",
      try await opened(inspector, isCached: false))
    let page = try await BrowserPage(inspector.url)
    _ = try await page.value(Self.clock)
    let count = try await page.number(
      "Math.max(...[...document.querySelectorAll('.entity .count')].map(e => Number(e.innerText.replace(/,/g, ''))))")
    let places = Int(count ?? 0) * 9 / 10
    var samples: [Double] = []
    for round in 0..<warmUp + rounds {
      // The page keeps the rows of some places, so each round has another place.
      let number = places - round * 1_013
      try await page.enter("\(number)", in: "#row")
      samples.append(try await page.number("window.taken") ?? 0)
      let isThere = try await page.value("Boolean(document.querySelector(\"[data-row='\(number - 1)'][data-id]\"))")
      XCTAssertEqual(isThere as? Bool, true, "row \(number)")
      try await page.enter("1", in: "#row")
    }
    try await measureOrders(page)
    row("page.row", "a row near number 900,000 of a million", samples)
    try await page.close()
  }

  /// Enter on the heading of an indexed property shows the first rows in another order.
  private func measureOrders(_ page: BrowserPage) async throws {
    let column = try await page.number(
      "[...document.querySelectorAll('#grid .heading')].findIndex(e => e.title.includes('with an index'))")
    let indexed = Int(try XCTUnwrap(column))
    XCTAssertGreaterThan(indexed, 0)
    _ = try await page.value("document.querySelector('#grid').focus()")
    for key in ["Home", "ArrowUp"] + [String](repeating: "ArrowRight", count: indexed) { try await page.press(key) }
    var samples: [Double] = []
    for _ in 0..<warmUp + rounds {
      try await page.press("Enter")
      samples.append(try await page.number("window.taken") ?? 0)
    }
    row("page.first", "the first of many objects, in another order of the open page", samples)
  }

  private func opened(_ inspector: InspectCommand, isCached: Bool) async throws -> [Double] {
    var samples: [Double] = []
    for _ in 0..<warmUp + rounds {
      let tab = try await BrowserPage(inspector.url, script: Self.start, isCached: isCached)
      try await tab.wait("the rows are painted", "window.painted")
      samples.append(try await tab.number("window.painted") ?? 0)
      try await tab.close()
    }
    return samples
  }

  private func measureTransactions(_ inspector: InspectCommand) async throws {
    let page = try await BrowserPage(inspector.url, "tab=log")
    _ = try await page.value(Self.clock)
    let head = Int(try await page.number("Number(document.querySelector('#slider').max)") ?? 0)
    // A prime, so the rounds are spread over the last 100,000 transactions.
    let positions = (0..<warmUp + rounds).map { head - 1 - $0 * 38_711 % min(100_000, head - 1) }
    var samples: [Double] = []
    for position in positions {
      try await page.enter("@\(position)", in: "#log-to")
      samples.append(try await page.number("window.taken") ?? 0)
      let first = try await page.number("Number(document.querySelector('#log [data-position]')?.dataset.position)")
      XCTAssertEqual(first, Double(position))
    }
    row("page.transaction", "one of the last 100,000 transactions, in the log", samples)
    try await page.go("")
    _ = try await page.value(Self.clock)
    samples = []
    for position in positions {
      try await page.enter("@\(position)", in: "#moment")
      samples.append(try await page.number("window.taken") ?? 0)
      let shown = try await page.number("Number(document.querySelector('#slider').value)")
      XCTAssertEqual(shown, Double(position))
    }
    row("page.moment", "all objects after one of the last 100,000 transactions", samples)
    try await page.close()
  }
}
