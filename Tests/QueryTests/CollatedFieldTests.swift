import RepriseObjectModel
import RepriseQuery
import RepriseTestArchives
import RepriseTestModels
import XCTest

final class CollatedFieldTests: InventoryTestCase {
  func testComparisonsUnderACollation() throws {
    let plain: Collation = [.ignoringCase, .ignoringDiacritics]
    try expect([lamp]) { $0.name.collated(.ignoringCase) == "LAMP" }
    try expect([ecole]) { $0.name.collated(plain) == "ECOLE" }
    try expect([] as [Item]) { $0.name.collated(.ignoringCase) == "ecole" }
    try expect([chair, table, ecole, orphan]) { $0.name.collated(plain) != "LÀMP" }
    try expect([lamp, ecole]) { $0.name.collated(plain).isIn(["Lamp", "École", "x"]) }
    // "Table" is the greatest, as lower case is not behind upper case.
    try expect([table]) { $0.name.collated(plain) > "RED CHAIR" && $0.name.collated(plain) < "x" }
    try expect([chair, lamp]) { $0.name.collated(plain).isIn("K"..."red CHAIR") }
    try expect([lamp]) { ("K"..<"m").contains($0.name.collated(plain)) }
    try expect([chair, table]) { "N" <= $0.name.collated(plain) }
    try expect([] as [Item]) { $0.owner.boss.name.collated(plain) == "" }
    try expect([chair, table, orphan]) { $0.owner.boss.name.collated(plain) == nil }
  }

  func testNumbersInTextsAreCompared() throws {
    (chair.name, table.name, lamp.name, ecole.name) = ("item 9", "item 10", "Item 010", "item")
    try expect([chair]) { $0.name.collated(.natural) > "item 1" && $0.name.collated(.natural) < "item 10" }
    try expect([table]) { $0.name.collated(.natural) == "item 0010" }
    try expect([table, lamp]) { $0.name.collated([.natural, .ignoringCase]) == "ITEM 10" }
    // A test of the text reads no numbers.
    try expect([table]) { $0.name.collated(.natural).hasPrefix("item 1") }
    try expect([table, lamp]) { $0.name.collated([.natural, .ignoringCase]).hasSuffix("10") }
    try expect([lamp]) { $0.name.collated([.natural, .ignoringCase]).like("ITEM 0*") }
    let sorted = try source().run(Fetch<Item>().sorted { $0.name.collated([.natural, .ignoringCase]) })
    XCTAssertEqual(sorted, [orphan, ecole, chair, table, lamp].map(\.id.any))
    let down = try source().run(Fetch<Item>().sorted { $0.name.collated([.natural, .ignoringCase]).descending })
    XCTAssertEqual(down, sorted.reversed())
  }

  func testTextTestsTakeTheCollationOver() throws {
    try expect([lamp]) { $0.name.collated(.ignoringCase).hasPrefix("LA") }
    try expect([ecole]) { $0.name.collated(.ignoringCase).hasPrefix("ECO", .ignoringDiacritics) }
    try expect([chair, table, lamp]) { $0.name.collated(.ignoringCase).contains("A") }
    let source = try source()
    XCTAssertEqual(
      try source.compile(Fetch<Item> { $0.name.collated(.ignoringCase) == "ADA" }),
      try source.compile(Fetch<Item> { $0.name.equals("ada", .ignoringCase) }))
    XCTAssertEqual(
      try source.compile(Fetch<Item> { $0.name.collated(.ignoringCase).like("ADA") }),
      try source.compile(Fetch<Item> { $0.name.equals("ada", .ignoringCase) }))
  }

  /// The German sharp s and the final sigma, of which the lower case alone does not tell.
  func testCaseIsFoldedAndNotLowered() throws {
    (chair.name, table.name, lamp.name) = ("Straße", "ΟΔΟΣ", "STRASSE")
    try expect([chair, lamp]) { $0.name.equals("strasse", .ignoringCase) }
    try expect([chair, lamp]) { $0.name.hasPrefix("STRASS", .ignoringCase) }
    try expect([table]) { $0.name.equals("οδος", .ignoringCase) }
    try expect([chair, lamp]) { $0.name.like("straSS?", .ignoringCase) }
    // A class of an expression is of characters.
    try expect([chair]) { $0.name.matches("STRA[ßx]E", .ignoringCase) }
  }

  func testTheLeftFieldOfTwoDecides() throws {
    (chair.name, ada.name) = ("ADA", "ada")
    (lamp.name, bob.name) = ("item 007", "ITEM 7")
    try expect([] as [Item]) { $0.name == $0.owner.name }
    try expect([chair]) { $0.name.collated(.ignoringCase) == $0.owner.name }
    try expect([chair]) { $0.name == $0.owner.name.collated(.ignoringCase) }
    try expect([chair, lamp]) { $0.name.collated([.natural, .ignoringCase]) == $0.owner.name.collated(.ignoringCase) }
  }

  func testSectionsUnderACollation() throws {
    let plain: Collation = [.ignoringCase, .ignoringDiacritics]
    let source = try source()
    let fetch = Fetch<Item>().sorted { $0.name.collated(plain) }.sectioned { $0.name.collated(plain).firstCharacter() }
    let compiled = try source.compile(fetch)
    let names = try source.run(fetch).map { id in
      let values = source.values(of: id) ?? []
      let name = compiled.sectionName(of: values, id: id, source: source)
      XCTAssertEqual(compiled.sectionName(ofSortKey: compiled.sortKey(of: values, id: id, source: source)), name)
      return name
    }
    XCTAssertEqual(names, ["", "E", "L", "R", "T"])
    let spelled = try source.compile(
      Fetch<Item>().sorted { $0.name.collated(plain) }.sectioned { $0.name.firstCharacter() })
    XCTAssertTrue(spelled.isGrouped, "another order than that of the sections")
  }

  func testAColumnThatAUserChose() throws {
    let name = try SortKey<Item>(named: "name", collation: .natural)
    XCTAssertEqual(Fetch<Item>().sorted { _ in name }, Fetch<Item>().sorted { $0.name.collated(.natural) })
    let value = try SortKey<Item>(named: "valueInDollars", isAscending: false, collation: .natural)
    XCTAssertEqual(Fetch<Item>().sorted { _ in value }, Fetch<Item>().sorted { $0.valueInDollars.descending })
  }

  func testArchivedForms() throws {
    let fetch = Fetch<Item> { $0.name.collated([.natural, .ignoringCase]) < "b" }
      .sorted { $0.name.collated(.ignoringCase) }.sectioned { $0.name.collated(.ignoringCase).firstCharacter() }
    XCTAssertEqual(try ArchivedForm.roundTrip(fetch), fetch)
    XCTAssertEqual(
      try ArchivedForm.text(Fetch<Item>().sorted { $0.name.collated(.ignoringCase) }),
      #"{"entity":"Item","sort":[{"term":{"collation":"ignoringCase","path":["name"]}}]}"#)
    XCTAssertEqual(
      ArchivedForm.problem(
        of: #"{"entity":"Item","sort":[{"term":{"collation":"sv","path":["name"]}}]}"#, as: Fetch<Item>.self),
      "an unknown collation")
    // Of what is no text, an archived one says nothing.
    let number = try ArchivedForm.read(
      #"{"entity":"Item","sort":[{"term":{"collation":"natural","path":["valueInDollars"]}}]}"#, as: Fetch<Item>.self)
    XCTAssertEqual(
      try source().compile(number), try source().compile(Fetch<Item>().sorted { $0.valueInDollars }))
  }
}
