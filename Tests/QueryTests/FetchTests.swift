import RepriseObjectModel
import RepriseQuery
import RepriseTestArchives
import RepriseTestModels
import XCTest

final class FetchTests: InventoryTestCase {
  private func names(_ fetch: Fetch<Item>) throws -> [String] {
    let byID = Dictionary(uniqueKeysWithValues: [chair, table, lamp, ecole, orphan].map { ($0.id.any, $0.name) })
    return try source().run(fetch).map { byID[$0] ?? "?" }
  }

  func testTheOrderIsThatOfScalarsAndNilComesFirst() throws {
    XCTAssertEqual(
      try names(Fetch<Item>().sorted { $0.name.ascending }), ["", "Red chair", "Table", "lamp", "École"])
    XCTAssertEqual(
      try names(Fetch<Item>().sorted { $0.name.descending }), ["École", "lamp", "Table", "Red chair", ""])
    XCTAssertEqual(
      try names(Fetch<Item>().sorted { [$0.weight.ascending, $0.name.descending] }),
      ["École", "Red chair", "", "lamp", "Table"])
    XCTAssertEqual(
      try names(Fetch<Item>().sorted { [$0.weight.descending, $0.name.ascending] }),
      ["Table", "lamp", "", "Red chair", "École"])
    XCTAssertEqual(
      try names(Fetch<Item>().sorted { [$0.owner.name.ascending, $0.valueInDollars.descending] }),
      ["", "Table", "Red chair", "lamp", "École"])
    XCTAssertEqual(
      try names(Fetch<Item>().sorted { [$0.owner.items.count.descending, $0.name.ascending] }),
      ["Red chair", "Table", "lamp", "École", ""])
  }

  func testEqualRowsKeepTheOrderOfTheirBirth() throws {
    XCTAssertEqual(
      try names(Fetch<Item>().sorted { $0.condition.ascending }), ["Table", "lamp", "École", "", "Red chair"])
    XCTAssertEqual(
      try names(Fetch<Item>().sorted { $0.condition.descending }), ["Red chair", "", "École", "lamp", "Table"])
    XCTAssertEqual(try names(Fetch<Item>()), ["Red chair", "Table", "lamp", "École", ""])
  }

  func testLimitAndOffset() throws {
    let fetch = Fetch<Item>().sorted { $0.valueInDollars.ascending }
    XCTAssertEqual(try names(fetch.limit(2)), ["", "École"])
    XCTAssertEqual(try names(fetch.limit(2, offset: 1)), ["École", "Red chair"])
    XCTAssertEqual(try names(fetch.limit(2, offset: 9)), [])
    XCTAssertEqual(try names(fetch.limit(0)), [])
    XCTAssertEqual(try names(fetch.limit(.max)), try names(fetch))
  }

  func testFilterAddsAndSortedReplaces() throws {
    let fetch = Fetch<Item> { $0.owner.name == "Ada" }.filter { $0.valueInDollars > 10 }
    XCTAssertEqual(try names(fetch), ["Table"])
    XCTAssertEqual(fetch, Fetch<Item> { $0.owner.name == "Ada" && $0.valueInDollars > 10 })
    XCTAssertEqual(
      Fetch<Item>().sorted { $0.name.ascending }.sorted { $0.valueInDollars.ascending },
      Fetch<Item>().sorted { $0.valueInDollars.ascending })
  }

  func testTheSortKeyOfAnIndexedAttributeIsItsRowKey() throws {
    let source = try source()
    let values = try XCTUnwrap(source.values(of: chair.id.any))
    var row = OrderKey.bytes(of: .string("Red chair"))
    withUnsafeBytes(of: (chair.id.uuid.high.bigEndian, chair.id.uuid.low.bigEndian)) { row.append(contentsOf: $0) }
    let up = try source.compile(Fetch<Item>().sorted { $0.name.ascending })
    XCTAssertEqual(up.sortKey(of: values, id: chair.id.any, source: source), row)
    let down = try source.compile(Fetch<Item>().sorted { $0.name.descending })
    XCTAssertEqual(down.sortKey(of: values, id: chair.id.any, source: source), row.map { ~$0 })
  }

  func testSectionsFromTheSortKeyAreThoseFromTheObject() throws {
    let source = try source()
    var seen: [String] = []
    for fetch in [
      Fetch<Item>().sorted { $0.name.ascending }.sectioned { $0.name.firstCharacter() },
      Fetch<Item>().sorted { [$0.name.descending, $0.valueInDollars.ascending] }.sectioned { $0.name.firstCharacter() },
      Fetch<Item>().sorted { $0.owner.zip.descending }.sectioned { $0.owner.zip.section },
    ] {
      let compiled = try source.compile(fetch)
      for id in try source.run(fetch) {
        let values = try XCTUnwrap(source.values(of: id))
        let name = compiled.sectionName(of: values, id: id, source: source)
        let key = compiled.sortKey(of: values, id: id, source: source)
        XCTAssertEqual(compiled.sectionName(ofSortKey: key), name)
        seen.append(name ?? "none")
      }
    }
    XCTAssertEqual(
      seen, ["", "R", "T", "l", "É", "É", "l", "T", "R", "", "30", "20", "10", "10", ""])
    let plain = try source.compile(Fetch<Item>())
    XCTAssertNil(
      plain.sectionName(of: try XCTUnwrap(source.values(of: chair.id.any)), id: chair.id.any, source: source))
  }

  func testTheArchivedFormStays() throws {
    let fetch = Fetch<Item> { item in
      item.owner.name == "Ada" && !item.name.hasPrefix("x", .ignoringCase) && item.owner.items.any { $0.weight == nil }
    }.sorted { [$0.name.descending, $0.owner.items.count.ascending] }.sectioned { $0.name.firstCharacter() }
      .limit(5, offset: 2)
    XCTAssertEqual(
      try ArchivedForm.text(fetch),
      #"{"entity":"Item","limit":5,"offset":2,"section":{"function":"firstCharacter","term":{"path":["name"]}},"#
        + #""sort":[{"descending":true,"term":{"path":["name"]}},{"term":{"count":true,"path":["owner","items"]}}],"#
        + #""where":[{"op":"==","term":{"path":["owner","name"]},"value":{"string":"Ada"}},"#
        + #"{"op":"hasPrefix","options":1,"term":{"path":["name"]},"text":"x"},{"op":"!"},{"op":"&&"},"#
        + #"{"op":"==","term":{"path":["weight"]},"value":{"null":true}},{"op":"any","path":["owner","items"]},"#
        + #"{"op":"&&"}]}"#)
    XCTAssertEqual(try ArchivedForm.roundTrip(fetch), fetch)
    XCTAssertEqual(try ArchivedForm.text(Fetch<Item>()), #"{"entity":"Item"}"#)
    XCTAssertEqual(try ArchivedForm.roundTrip(Fetch<Item>()), Fetch<Item>())
  }

  func testWhatDependsOnOtherObjectsSaysSo() throws {
    let source = try source()
    XCTAssertFalse(try source.compile(Fetch<Item> { $0.name == "a" && $0.owner != nil }).readsOtherObjects)
    XCTAssertTrue(try source.compile(Fetch<Item> { !($0.name == "a" || $0.owner.name == "b") }).readsOtherObjects)
    XCTAssertTrue(try source.compile(Fetch<Item>().sorted { $0.owner.zip.ascending }).readsOtherObjects)
    XCTAssertTrue(try source.compile(Fetch<Person> { $0.items.count == 1 }).readsOtherObjects)
    XCTAssertTrue(try source.compile(Fetch<Person> { $0.items.any { $0.name == "a" } }).readsOtherObjects)
  }
}
