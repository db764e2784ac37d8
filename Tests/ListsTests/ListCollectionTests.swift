import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

final class ListCollectionTests: ListsTestCase {
  private func lists(_ fetch: Fetch<Item> = Fetch<Item>().sorted { $0.name }) throws -> [FetchedList<Item>] {
    [
      try FetchedList(fetch, in: context),
      try FetchedList(fetch.sorted { [$0.name, $0.weight] }, in: context),
    ]
  }

  func testRowsAreThoseOfTheirMomentAfterTheListWentOn() async throws {
    for name in ["b", "a", "c"] { context.insert(Item(name: name)) }
    try await context.save()
    for list in try lists() {
      let observation = list.observe { _ in }
      let rows = list.rows
      XCTAssertEqual(rows.map(\.name), ["a", "b", "c"])
      let added = context.insert(Item(name: "aa"))
      XCTAssertEqual(rows.map(\.name), ["a", "b", "c"])
      XCTAssertEqual(list.rows.map(\.name), ["a", "aa", "b", "c"])
      XCTAssertEqual(list.rows.count, 4)
      context.delete(rows[1])
      XCTAssertEqual(rows.map(\.name), ["a", "b", "c"], "deleted objects keep their last values")
      XCTAssertEqual(list.rows.map(\.name), ["a", "aa", "c"])
      observation.cancel()
      context.discard()
      XCTAssertEqual(added.state, .deleted)
    }
  }

  func testRowsAreReadFromAnyPlaceInAnyDirection() async throws {
    for number in 0..<1000 { context.insert(Item(name: String(number + 1000))) }
    try await context.save()
    for list in try lists(Fetch<Item>().sorted { $0.name }.limit(900, offset: 50)) {
      let rows = list.rows
      let expected = (1050..<1950).map(String.init)
      XCTAssertEqual(rows.map(\.name), expected)
      XCTAssertEqual(rows.reversed().map(\.name), expected.reversed())
      for index in stride(from: 0, to: 900, by: 7) { XCTAssertEqual(rows[index].name, expected[index]) }
      XCTAssertEqual(rows[400..<520].map(\.name), Array(expected[400..<520]))
      XCTAssertEqual(rows.suffix(3).map(\.name), expected.suffix(3))
      XCTAssertEqual(rows.first?.name, "1050")
      XCTAssertTrue(rows[17] === list.element(at: RowPath(item: 17)), "one instance for each object")
    }
  }

  func testSectionsAreCollectionsOfTheirRows() throws {
    for name in ["bat", "ant", "bee", "cat", "ape"] { context.insert(Item(name: name)) }
    for list in try lists(Fetch<Item>().sorted { $0.name }.sectioned { $0.name.firstCharacter() }) {
      XCTAssertEqual(list.sections.map(\.name), ["a", "b", "c"])
      XCTAssertEqual(list.sections.map { $0.map(\.name) }, [["ant", "ape"], ["bat", "bee"], ["cat"]])
      XCTAssertEqual(list.sections.flatMap { $0 }, Array(list.rows))
      XCTAssertEqual(list.sections[1].last?.name, "bee")
      XCTAssertEqual(try list.identifiers.sections.map(\.ids), list.sections.map { $0.map(\.id) })
      XCTAssertEqual(try list.identifiers.snapshot, list.snapshot)
    }
    let empty = try FetchedList(Fetch<Person>().sorted { $0.name }, in: context)
    XCTAssertTrue(empty.rows.isEmpty)
    XCTAssertEqual(empty.sections.map(\.count), [0])
  }

  func testCollectionsOfAnySource() {
    let source = ArraySource(sections: [
      .init(name: "a", elements: [1, 2]), .init(name: "b", elements: []), .init(name: "c", elements: [3]),
    ])
    func check(_ source: some DataSource<Int>) {
      XCTAssertEqual(Array(source.rows), [1, 2, 3])
      let sections: ListSections<Int> = source.sections
      XCTAssertEqual(sections.map(\.name), ["a", "b", "c"])
      XCTAssertEqual(sections.map { Array($0) }, [[1, 2], [], [3]])
    }
    check(source)
    let rows = source.rows
    source.setElements([4])
    XCTAssertEqual(Array(rows), [1, 2, 3])
  }

  func testIdentifiersAreComparedAcrossMoments() throws {
    let items = ["a", "b", "c", "d"].map { context.insert(Item(name: $0)) }
    let list = try lists(Fetch<Item>().sorted { $0.name }.sectioned { $0.name.firstCharacter() })[0]
    let before = try list.identifiers
    context.delete(items[1])
    items[3].name = "aa"
    context.insert(Item(name: "e"))
    let after = try list.identifiers
    let changes = try XCTUnwrap(after.difference(from: before))
    var rows = before.sections.map(\.ids)
    ListBatch(before: before.snapshot, after: after.snapshot, changes: changes).apply(to: &rows) {
      after.sections[$0.section].ids[$0.item]
    }
    XCTAssertEqual(rows, after.sections.map(\.ids))
    XCTAssertEqual(changes.deletedSections, [1, 3])
    XCTAssertEqual(changes.insertedSections, [2])
    XCTAssertEqual(changes.movedRows.count, 1)
    XCTAssertEqual(changes.insertedRows.count, 1)
    XCTAssertEqual(after.difference(from: after), ListChanges())
  }

  func testWhatCannotBeToldApartHasNoDifference() {
    let twice = ListIdentifiers([.init(name: "a", ids: [1, 1])])
    let once = ListIdentifiers([.init(name: "a", ids: [1])])
    XCTAssertNil(twice.difference(from: once))
    XCTAssertNil(once.difference(from: twice))
    let same = ListIdentifiers([.init(name: "a", ids: [1]), .init(name: "a", ids: [2])])
    XCTAssertNil(same.difference(from: once))
    XCTAssertNil(once.difference(from: same))
    XCTAssertNil(same.difference(from: same))
  }
}
