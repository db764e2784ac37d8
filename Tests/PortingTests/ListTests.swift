import Foundation
import Reprise
import XCTest

/// Lists fed by a fetched-results controller, with a position that survives.
final class ListTests: PortingTestCase {
  struct ProgressState: Codable, Sendable {
    var top: RowAnchor?
  }

  @MainActor final class ProgressViewController {
    static let kind = NodeKind<ProgressState, ProgressViewController>("PROGRESS")
    let node: RestorationNode<ProgressState>
    let fetchedResults: FetchedList<Run>

    init(_ node: RestorationNode<ProgressState>, _ fetchedResults: FetchedList<Run>) {
      (self.node, self.fetchedResults) = (node, fetchedResults)
    }

    // UIDataSourceModelAssociation
    func modelIdentifierForElement(at row: RowPath) -> ModelIdentifier? { fetchedResults.modelIdentifier(at: row) }
    func indexPathForElement(withModelIdentifier identifier: ModelIdentifier) -> RowPath? {
      fetchedResults.row(for: identifier).path
    }

    func didScroll(to row: RowPath) { node.state.top = RowAnchor(row, in: fetchedResults) }
    var topRow: RowPath? { node.state.top?.place(in: fetchedResults).path }
  }

  private static let results: RestorationKey<FetchedList<Run>> = "fetchedResultsController"

  private func launch(_ store: Store) async throws -> Restoration {
    let restoration = Restoration(store)
    let runs = Fetch<Run>().sorted { $0.start.descending }.sectioned { $0.start.section(by: .month) }
    try restoration.register(FetchedList(runs, in: store.mainContext), as: Self.results)
    try restoration.define(ProgressViewController.kind, needs: .registered(Self.results)) { node, results in
      ProgressViewController(node, results)
    }
    try await restoration.restore()
    return restoration
  }

  private func insertRuns(_ days: [String], in store: Store) async throws {
    for day in days {
      store.mainContext.insert(Run(start: try XCTUnwrap(Self.days.date(from: day)), metres: 5_000))
    }
    try await store.mainContext.save("Add runs")
  }

  private static let days: DateFormatter = {
    let days = DateFormatter()
    days.calendar = Calendar(identifier: .gregorian)
    days.locale = Locale(identifier: "en_US_POSIX")
    days.timeZone = TimeZone(secondsFromGMT: 0)
    days.dateFormat = "yyyy-MM-dd"
    return days
  }()

  func testTheScrollPositionIsThatOfTheRowWhateverCameBeforeIt() async throws {
    let temporary = try await makeStore()
    try await insertRuns(["2016-09-03", "2016-09-20", "2016-10-01", "2016-11-25"], in: temporary.store)
    let restoration = try await launch(temporary.store)
    let progress = try restoration.open(ProgressViewController.kind, id: "progress", state: ProgressState())
    XCTAssertEqual((0..<3).map { progress.fetchedResults.sectionName($0) }, ["2016-11", "2016-10", "2016-09"])
    let row = RowPath(section: 2, item: 1)
    progress.didScroll(to: row)
    let identifier = try XCTUnwrap(progress.modelIdentifierForElement(at: row))

    let store = try await temporary.relaunch()
    try await insertRuns(["2016-12-01", "2016-09-30"], in: store)
    let again = try await launch(store)
    let restored = try XCTUnwrap(try again.screen(ProgressViewController.kind, at: NodePath(["progress"])))
    XCTAssertEqual(restored.topRow, RowPath(section: 3, item: 2))
    XCTAssertEqual(restored.indexPathForElement(withModelIdentifier: identifier), RowPath(section: 3, item: 2))
    XCTAssertNil(restored.indexPathForElement(withModelIdentifier: ModelIdentifier("gone")))

    store.mainContext.delete(restored.fetchedResults.element(at: RowPath(section: 3, item: 2)))
    restored.fetchedResults.flush()
    XCTAssertNil(restored.indexPathForElement(withModelIdentifier: identifier), "existingObjectWithID: fails")
    XCTAssertEqual(restored.topRow, RowPath(section: 3, item: 1), "the row next to it")
  }
}

extension SectionRule where Value == Date {
  // sectionNameKeyPath
  static var month: SectionRule {
    SectionRule("month") { date in
      guard let date else { return "undated" }
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = .gmt
      let parts = calendar.dateComponents([.year, .month], from: date)
      let month = parts.month ?? 0
      return "\(parts.year ?? 0)-\(month < 10 ? "0" : "")\(month)"
    }
  }
}
