import RepriseObjectModel
import RepriseQuery
import RepriseTestArchives
import RepriseTestModels
import XCTest

/// Orders: of fields by themselves, and with nil where it is wanted.
final class SortKeyTests: InventoryTestCase {
  private func names(_ fetch: Fetch<Item>) throws -> [String] {
    let byID = Dictionary(uniqueKeysWithValues: [chair, table, lamp, ecole, orphan].map { ($0.id.any, $0.name) })
    XCTAssertEqual(try ArchivedForm.roundTrip(fetch), fetch)
    return try source().run(fetch).map { byID[$0] ?? "?" }
  }

  func testAFieldByItselfAscends() throws {
    XCTAssertEqual(Fetch<Item>().sorted { $0.name }, Fetch<Item>().sorted { $0.name.ascending })
    XCTAssertEqual(Fetch<Item>().sorted { $0.owner.name }, Fetch<Item>().sorted { $0.owner.name.ascending })
    XCTAssertEqual(
      Fetch<Item>().sorted { [$0.name, $0.valueInDollars.descending, $0.weight] },
      Fetch<Item>().sorted { [$0.name.ascending, $0.valueInDollars.descending, $0.weight.ascending] })
    XCTAssertEqual(Fetch<Item>().sorted { _ in [] }, Fetch<Item>())
    XCTAssertEqual(try names(Fetch<Item>().sorted { $0.valueInDollars }), ["", "École", "Red chair", "lamp", "Table"])
  }

  func testThroughALink() throws {
    XCTAssertEqual(
      try names(Fetch<Item>().sorted { [$0.owner.boss.name, $0.owner.name.descending, $0.name] }),
      ["Red chair", "Table", "", "lamp", "École"])
  }

  func testNilLast() throws {
    XCTAssertEqual(
      try names(Fetch<Item>().sorted { [$0.weight.ascending(nils: .last), $0.name] }),
      ["lamp", "Table", "", "Red chair", "École"])
    XCTAssertEqual(
      try names(Fetch<Item>().sorted { [$0.weight.descending(nils: .first), $0.name] }),
      ["", "Red chair", "École", "Table", "lamp"])
    XCTAssertEqual(
      try names(Fetch<Item>().sorted { [$0.owner.name.ascending(nils: .last), $0.name] }),
      ["Red chair", "Table", "lamp", "École", ""])
    XCTAssertEqual(Fetch<Item>().sorted { $0.weight.ascending(nils: .first) }, Fetch<Item>().sorted { $0.weight })
    XCTAssertEqual(
      Fetch<Item>().sorted { $0.weight.descending(nils: .last) }, Fetch<Item>().sorted { $0.weight.descending })
    XCTAssertNotEqual(Fetch<Item>().sorted { $0.weight.ascending(nils: .last) }, Fetch<Item>().sorted { $0.weight })
  }

  func testTheArchivedForm() throws {
    XCTAssertEqual(
      try ArchivedForm.text(
        Fetch<Item>().sorted {
          [$0.weight.ascending(nils: .last), $0.weight.descending(nils: .first), $0.id.descending]
        }),
      #"{"entity":"Item","sort":[{"nils":"last","term":{"path":["weight"]}},"#
        + #"{"descending":true,"nils":"first","term":{"path":["weight"]}},{"descending":true,"term":{"path":[]}}]}"#)
    XCTAssertThrowsError(
      try ArchivedForm.read(
        #"{"entity":"Item","sort":[{"nils":"middle","term":{"path":["weight"]}}]}"#, as: Fetch<Item>.self)
    ) { XCTAssertTrue($0 is DecodingError) }
  }

  /// An index has nil first, and is the order of a fetch only where that is asked for, or where there is no nil.
  func testAnIndexServesOnlyTheOrderThatItHas() throws {
    let source = try DetachedSource(Sale.self, Shop.self, Item.self, Person.self, objects: [])
    func isServed<Model: PersistentModel>(_ fetch: Fetch<Model>) throws -> Bool {
      let fetch = try source.compile(fetch)
      XCTAssertEqual(fetch.leadingAttribute.map { !$0.isNilGreatest } ?? false, fetch.countedIndex != nil)
      return fetch.countedIndex != nil
    }
    XCTAssertTrue(try isServed(Fetch<Sale>().sorted { $0.number }))
    XCTAssertTrue(try isServed(Fetch<Sale>().sorted { $0.number.descending }))
    XCTAssertFalse(try isServed(Fetch<Sale>().sorted { $0.number.ascending(nils: .last) }))
    XCTAssertFalse(try isServed(Fetch<Sale>().sorted { $0.number.descending(nils: .first) }))
    // No object of these has no value.
    XCTAssertTrue(try isServed(Fetch<Sale> { $0.number != nil }.sorted { $0.number.ascending(nils: .last) }))
    XCTAssertTrue(try isServed(Fetch<Sale> { $0.number > 3 }.sorted { $0.number.descending(nils: .first) }))
    XCTAssertFalse(try isServed(Fetch<Sale> { $0.number == nil }.sorted { $0.number.ascending(nils: .last) }))
    XCTAssertTrue(try isServed(Fetch<Item>().sorted { $0.valueInDollars.ascending(nils: .last) }))
    XCTAssertFalse(try isServed(Fetch<Sale>().sorted { $0.number + 1 }))
  }

  func testSectionsOfNilLast() throws {
    let source = try source()
    let fetch = try source.compile(
      Fetch<Item>().sorted { $0.owner.name.ascending(nils: .last) }.sectioned { $0.owner.name.section })
    let names = try source.run(
      Fetch<Item>().sorted { $0.owner.name.ascending(nils: .last) }
    ).map { id in
      let values = try XCTUnwrap(source.values(of: id))
      let name = fetch.sectionName(of: values, id: id, source: source)
      XCTAssertEqual(fetch.sectionName(ofSortKey: fetch.sortKey(of: values, id: id, source: source)), name)
      return name
    }
    XCTAssertEqual(names, ["Ada", "Ada", "Bob", "Ève", ""])
  }
}
