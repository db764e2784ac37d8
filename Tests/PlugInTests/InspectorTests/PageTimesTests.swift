import Foundation
import Inspected
import XCTest

/// The page fails with large stores. `.ci/bench inspector` names the stores, and reads the times that this test prints.
@MainActor
final class PageTimesTests: XCTestCase {
  private let environment = ProcessInfo.processInfo.environment
  private let rounds = 15
  private var page: BrowserPage!

  private func store(_ name: String) throws -> String {
    guard let path = environment[name] else { throw XCTSkip("Only .ci/bench inspector has the stores.") }
    return path
  }

  /// Prints a row as `InspectorRow(printed:)` reads it.
  private func row(_ name: String, _ meaning: String, _ unit: String, target: Double?, _ samples: [Double?]) {
    XCTAssertFalse(samples.contains(nil), name)
    let figures = samples.compactMap { $0 }.map { String(format: "%.1f", $0) }.joined(separator: " ")
    print("row \(name)|\(meaning)|\(unit)|\(target.map { "\($0)" } ?? "")|\(figures)")
  }

  /// Runs a script, and returns the milliseconds until the page has painted an element.
  private func milliseconds(_ script: String, until selector: String) async throws -> Double? {
    try await page.number(
      """
      new Promise(done => {
        const began = performance.now();
        \(script);
        const look = () => document.querySelector(\(BrowserPage.quoted(selector)))
          ? requestAnimationFrame(() => done(performance.now() - began)) : requestAnimationFrame(look);
        look();
      })
      """)
  }

  private func fetch(_ entity: String) -> String { "fetch=\(entity)" }

  func testALargeStoreHasNoRows() async throws {
    let inspector = try InspectCommand(try store("REPRISE_MANY_OBJECTS"))
    page = try await BrowserPage(inspector.url, fetch("Item"))
    let count = Int(
      try await page.number("parseInt(document.querySelector('#total').innerText.replaceAll(',', ''))") ?? 0)
    var first: [Double?] = []
    var far: [Double?] = []
    for round in 0..<rounds {
      try await page.go("")
      first.append(try await milliseconds("location.hash = '#fetch=Item'", until: "#grid [data-row='0'][data-id]"))
      // Each round shows rows that the page has never read.
      let index = count * 9 / 10 + round * 500
      far.append(
        try await milliseconds(
          "(g => { g.scrollTop = \(index) * parseFloat(g.style.getPropertyValue('--row')) })"
            + "(document.querySelector('#grid'))", until: "#grid [data-row='\(index)'][data-id]"))
    }
    row("page.first.1M", "the page shows the first rows of 1 million", "ms", target: 100, first)
    row("page.row.900k", "a jump to row 900,000 of them", "ms", target: 100, far)
    try await page.close()
  }

  func testALongLogHasNoTransactions() async throws {
    let inspector = try InspectCommand(try store("REPRISE_MANY_TRANSACTIONS"))
    page = try await BrowserPage(inspector.url, "tab=log")
    try await page.wait("the log is there", "document.querySelector('#log [data-position]')")
    let head = Int(try await page.number("document.querySelector('#log [data-position]').dataset.position") ?? 0)
    var times: [Double?] = []
    for round in 0..<rounds {
      let position = max(1, head - 1 - round * min(100_000, head) / rounds)
      times.append(
        try await milliseconds(
          "location.hash = '#tab=log&entry=\(position)'", until: "#log [data-position='\(position)'].target"))
    }
    row("page.transaction", "one of the last 100,000 of 10 million transactions", "ms", target: 100, times)
    try await page.close()
  }

  func testTheInspectorHoldsTheStore() async throws {
    let inspector = try InspectCommand(try store("REPRISE_MOST_OBJECTS"))
    page = try await BrowserPage(inspector.url, fetch("Item"))
    for share in 1...9 {
      _ = try await page.value(
        "(g => { g.scrollTop = (g.scrollHeight - g.clientHeight) * \(share) / 10 })(document.querySelector('#grid'))")
      try await page.rest()
    }
    for tab in ["log", "drafts", "plans"] { try await page.click("#tab-\(tab)") }
    row(
      "page.memory", "memory of inspect with 10 million objects, without the pages of the store", "MB", target: 80,
      [inspector.memory("RssAnon")])
    row(
      "page.memory.all", "the largest amount that it had, with these pages", "MB", target: nil,
      [inspector.memory("VmHWM")])
    try await page.close()
  }
}
