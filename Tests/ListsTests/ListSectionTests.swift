import Foundation
import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

final class ListSectionTests: ListsTestCase {
  private func outline(_ list: FetchedList<Item>) -> [String] {
    list.sections.map { ($0.name ?? "-") + ": " + $0.map(\.name).joined(separator: ", ") }
  }

  private static var byPrice: SectionRule<Int> { SectionRule("price") { ($0 ?? 0) < 10 ? "cheap" : "dear" } }

  private func fill() {
    for (name, value) in [("a", 20), ("b", 5), ("c", 30), ("d", 5), ("e", 7)] {
      context.insert(Item(name: name, valueInDollars: value))
    }
  }

  func testSectionsStandInTheOrderOfTheirFirstRows() throws {
    fill()
    let fetch = Fetch<Item>().sorted { $0.name }.sectioned { $0.valueInDollars.section }
    let list = try ShadowList("grouped", fetch, in: context, section: { "\($0.valueInDollars)" }, isGrouped: true)
    XCTAssertEqual(outline(list.list), ["20: a", "5: b, d", "30: c", "7: e"])
    list.list.rows[0].name = "z"
    XCTAssertEqual(outline(list.list), ["5: b, d", "30: c", "7: e", "20: z"])
    XCTAssertEqual(list.last?.changes?.movedSections, [.init(from: 0, to: 3)], "the section goes, not its row")
    XCTAssertEqual(list.last?.changes?.movedRows, [])
    list.list.rows[0].name = "q"
    XCTAssertEqual(outline(list.list), ["30: c", "5: d, q", "7: e", "20: z"])
    XCTAssertEqual(list.last?.changes?.movedSections.count, 1)
    XCTAssertEqual(list.last?.changes?.movedRows, [.init(from: RowPath(item: 0), to: RowPath(section: 1, item: 1))])
    try list.check("at the end")
  }

  func testASectionThatEmptiesIsGoneAndComesBackWithItsRow() throws {
    fill()
    let fetch = Fetch<Item>().sorted { $0.name }.sectioned { $0.valueInDollars.section }
    let list = try ShadowList("grouped", fetch, in: context, section: { "\($0.valueInDollars)" }, isGrouped: true)
    let item = list.list.rows[4]
    item.valueInDollars = 5
    XCTAssertEqual(outline(list.list), ["20: a", "5: b, d, e", "30: c"])
    XCTAssertEqual(list.last?.changes?.deletedSections, [3])
    XCTAssertEqual(list.last?.changes?.movedRows.count, 1)
    XCTAssertEqual(list.last?.changes?.updatedRows.map(\.properties), [["valueInDollars"]], "it moves and changes")
    context.undo()
    XCTAssertEqual(outline(list.list), ["20: a", "5: b, d", "30: c", "7: e"])
    XCTAssertEqual(list.last?.changes?.insertedSections, [3])
  }

  func testLimitAndOffsetCountInTheOrderOfTheFetch() throws {
    fill()
    let fetch = Fetch<Item>().sorted { $0.name }.sectioned { $0.valueInDollars.section }.limit(3, offset: 1)
    let list = try ShadowList("window", fetch, in: context, section: { "\($0.valueInDollars)" }, isGrouped: true)
    XCTAssertEqual(outline(list.list), ["5: b, d", "30: c"])
    context.delete(list.list.rows[0])
    XCTAssertEqual(outline(list.list), ["30: c", "5: d", "7: e"])
    XCTAssertEqual(list.last?.isReset, false)
    XCTAssertEqual(list.list.row(for: try context.fetch(Fetch<Item>())[0].id), .filteredOut)
    try list.check("at the end")
  }

  func testARuleOfOnesOwnMakesSections() throws {
    fill()
    // Also of the leading sort key, whose order it need not keep.
    for fetch in [Fetch<Item>().sorted { $0.name }, Fetch<Item>().sorted { [$0.valueInDollars, $0.name] }] {
      let fetch = fetch.sectioned { $0.valueInDollars.section(by: Self.byPrice) }
      let list = try ShadowList(
        "rule", fetch, in: context, section: { $0.valueInDollars < 10 ? "cheap" : "dear" }, isGrouped: true)
      XCTAssertEqual(Set(outline(list.list)), ["dear: a, c", "cheap: b, d, e"])
      list.list.element(at: RowPath(section: 0, item: 0)).valueInDollars = 15
      list.list.element(at: RowPath(section: 1, item: 0)).valueInDollars = 1
      try list.check("after changes")
      context.undo()
      context.undo()
    }
  }

  func testAnArchivedRuleIsItsNameAndMustBeGivenAgain() throws {
    fill()
    let fetch = Fetch<Item>().sorted { $0.name }.sectioned { $0.valueInDollars.section(by: Self.byPrice) }
    let archived = try JSONDecoder().decode(Fetch<Item>.self, from: JSONEncoder().encode(fetch))
    XCTAssertEqual(archived, fetch)
    XCTAssertThrowsError(try FetchedList(archived, in: context)) {
      XCTAssertEqual($0 as? FetchError, .unknownSectionRule("price"))
    }
    let again = archived.sectioned { $0.valueInDollars.section(by: Self.byPrice) }
    let list = try FetchedList(again, in: context)
    XCTAssertEqual(list.sections.map(\.name), ["dear", "cheap"])
    let token = try JSONDecoder().decode(ListToken<Item>.self, from: JSONEncoder().encode(list.token))
    XCTAssertEqual(try list.changes(since: token).changes, ListChanges())
    let groups = try context.fetch(Fetch<Item>().grouped { $0.valueInDollars.section(by: Self.byPrice) })
    XCTAssertEqual(Set(groups.map(\.key)), ["dear", "cheap"])
  }

  func testALongListInSectionsKeepsLittleAndFollows() throws {
    context.group(nil) {
      for number in 0..<5000 { context.insert(Item(name: "\(number)", valueInDollars: number % 10)) }
    }
    let fetch = Fetch<Item>().sorted { [$0.name, $0.weight] }.sectioned { $0.valueInDollars.section }
    let list = try FetchedList(fetch, in: context)
    let observation = list.observe { _ in }
    XCTAssertEqual(list.sections.map(\.count), Array(repeating: 500, count: 10))
    XCTAssertLessThanOrEqual(list.explain().memoryInBytes, 22 * list.count)
    list.rows[17].valueInDollars = 3
    XCTAssertEqual(list.count, 5000)
    XCTAssertEqual(list.rows[4321], list.sections.flatMap { $0 }[4321])
    observation.cancel()
  }
}
