import RepriseObjectModel
import RepriseQuery
import RepriseTestArchives
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// Numbers computed for each object. Nothing traps.
final class ComputedFieldTests: InventoryTestCase {
  func testConditions() throws {
    try expect([table]) { $0.valueInDollars * 2 > 100 }
    try expect([table]) { 100 < $0.valueInDollars + $0.valueInDollars }
    try expect([chair, table]) { $0.valueInDollars * $0.owner.zip >= 100 && $0.owner.items.count == 2 }
    try expect([orphan]) { -$0.valueInDollars == 7 }
    try expect([chair]) { 20 - $0.valueInDollars == $0.valueInDollars }
    try expect([lamp]) { $0.valueInDollars / 7 == 4 }
    try expect([orphan]) { $0.valueInDollars / 2 == -3 }
    try expect([table]) { $0.weight * 2 == 25 }
    try expect([table]) { $0.weight - 0.5 > $0.weight / 2 + 5 }
    try expect([table]) { $0.valueInDollars.asDouble / $0.weight == 16 }
    try expect([chair]) { ($0.owner.items.count + 3) * 2 == $0.valueInDollars }
    try expect([chair]) { ($0.valueInDollars + 1).isIn([11, 12]) }
    try expect([chair, table]) { ($0.valueInDollars + 1).isIn(11...300) && $0.valueInDollars != 30 }
  }

  func testNilOverflowAndDivisionByZeroAreNil() throws {
    try expect([chair, ecole, orphan]) { $0.weight + 1 == nil }
    try expect([orphan]) { $0.owner.zip + 1 == nil }
    try expect([chair, table, lamp, ecole, orphan]) { $0.valueInDollars / 0 == nil }
    try expect([] as [Item]) { $0.valueInDollars / 0 != nil }
    chair.valueInDollars = .max
    table.valueInDollars = .min
    try expect([chair]) { $0.valueInDollars + 1 == nil }
    try expect([chair, table]) { $0.valueInDollars * 2 == nil }
    try expect([table]) { -$0.valueInDollars == nil }
    try expect([table]) { $0.valueInDollars / -1 == nil }
    try expect([table]) { $0.valueInDollars - 1 == nil }
    try expect([chair, table, orphan]) {
      0 - 2 * $0.valueInDollars == nil || $0.valueInDollars == -7 || $0.weight == 12.5
    }
    // Floating-point numbers have values for these.
    lamp.weight = 0
    try expect([lamp]) { 1 / $0.weight == .infinity }
    try expect([lamp]) { $0.weight / $0.weight == .nan }
  }

  func testOrders() throws {
    func names(_ fetch: Fetch<Item>) throws -> [AnyObjectID] {
      XCTAssertEqual(try ArchivedForm.roundTrip(fetch), fetch)
      return try self.source().run(fetch)
    }
    XCTAssertEqual(
      try names(Fetch<Item>().sorted { -$0.valueInDollars }), [table, lamp, chair, ecole, orphan].map(\.id.any))
    XCTAssertEqual(
      try names(Fetch<Item>().sorted { [($0.valueInDollars / 20).descending, $0.name] }),
      [table, lamp, orphan, chair, ecole].map(\.id.any))
    XCTAssertEqual(
      try names(Fetch<Item>().sorted { [($0.weight * -1).ascending(nils: .last), $0.name] }),
      [table, lamp, orphan, chair, ecole].map(\.id.any))
    let fetch = Fetch<Item>().sorted { $0.valueInDollars / 100 }.sectioned { ($0.valueInDollars / 100).section }
    let source = try self.source()
    let compiled = try source.compile(fetch)
    XCTAssertNil(compiled.countedIndex)
    XCTAssertNil(compiled.leadingAttribute)
    XCTAssertEqual(
      try source.run(fetch).map {
        compiled.sectionName(of: try XCTUnwrap(source.values(of: $0)), id: $0, source: source)
      }, ["0", "0", "0", "0", "2"])
  }

  func testWhatIsReadAndWhatIsServed() throws {
    let source = try source()
    let fetch = try source.compile(Fetch<Item> { $0.valueInDollars * 2 > 3 }.sorted { $0.weight + 1 })
    XCTAssertEqual(fetch.access, .scan)
    XCTAssertFalse(fetch.accessIsExact)
    XCTAssertEqual(fetch.slotsOfOrder, [2])
    XCTAssertEqual(fetch.slotsOfCondition, [1])
    XCTAssertFalse(fetch.readsOtherObjects)
    XCTAssertTrue(try source.compile(Fetch<Item> { $0.valueInDollars + $0.owner.zip > 3 }).readsOtherObjects)
    XCTAssertEqual(try source.compile(Fetch<Item> { $0.valueInDollars + $0.owner.zip > 3 }).slotsOfCondition, [1, 6])
    XCTAssertTrue(try source.compile(Fetch<Person>().sorted { $0.items.count + 1 }).readsOtherObjects)
  }

  func testDates() throws {
    func term(_ name: String) -> Term { Term([name]) }
    let (start, end) = (Meeting(10, 100), Meeting(50, 60))
    let source = try DetachedSource(Meeting.self, objects: [start, end, Meeting(0, nil)])
    let length = Field<Meeting, Double>(term("end").applying(.subtract, term("start")))
    XCTAssertEqual(try source.run(Fetch<Meeting> { _ in length > 30 }), [start.id.any])
    XCTAssertEqual(try source.run(Fetch<Meeting> { _ in length.isIn(0...30) }), [end.id.any])
    let later = Term.applying(.add, to: .double(50), term("start"))
    let steps = [Step.compareTerms(later, .greater, term("end"))]
    XCTAssertEqual(try source.run(Fetch<Meeting> { _ in Condition(steps: steps) }), [end.id.any])
    XCTAssertEqual(
      try source.run(Fetch<Meeting>().sorted { _ in SortKey(term: later, isAscending: false) }).first, end.id.any)
  }

  func testWhatCannotBeCombinedIsRefused() throws {
    func term(_ names: String...) -> Term { Term(names) }
    let source = try DetachedSource(Item.self, Person.self, Meeting.self, objects: [])
    func expect<Model: PersistentModel>(
      _ term: Term, of model: Model.Type, _ error: FetchError, line: UInt = #line
    ) {
      XCTAssertThrowsError(
        try source.compile(Fetch<Model>().sorted { _ in SortKey(term: term, isAscending: true) }), line: line
      ) {
        XCTAssertEqual($0 as? FetchError, error, line: line)
        XCTAssertTrue("\($0)".hasSuffix("."), "\($0)", line: line)
      }
    }
    expect(
      term("valueInDollars").applying(.add, term("weight")), of: Item.self,
      .notComputable(term: "(valueInDollars + weight)", found: "an integer and a floating-point number"))
    expect(
      term("name").applying(.add, .string("x")), of: Item.self,
      .notComputable(term: #"(name + "x")"#, found: "a text and a text"))
    expect(term("name").applying(.negate), of: Item.self, .notComputable(term: "-name", found: "a text"))
    expect(
      term("owner").applying(.asDouble), of: Item.self,
      .notComputable(term: "owner.asDouble", found: "an object of Person"))
    expect(Term([]).applying(.negate), of: Item.self, .notComputable(term: "-id", found: "an object of Item"))
    expect(
      term("start").applying(.add, term("end")), of: Meeting.self,
      .notComputable(term: "(start + end)", found: "a date and a date"))
    expect(
      Term.applying(.subtract, to: .double(1), term("end")), of: Meeting.self,
      .notComputable(term: "(1.0 - end)", found: "a floating-point number and a date"))
    expect(
      term("valueInDollars").applying(.add, .null), of: Item.self,
      .notComputable(term: "(valueInDollars + nil)", found: "nil"))
    expect(
      term("size").applying(.negate), of: Item.self,
      .unknownProperty(term: "size", entity: "Item", property: "size"))
    expect(Term(computing: [.binary(.add)]), of: Item.self, .malformedCondition)
    let wrong = Fetch<Item> { _ in
      Condition(steps: [.compare(term("valueInDollars").applying(.asDouble), .less, .int(3))])
    }
    XCTAssertThrowsError(try source.compile(wrong)) {
      XCTAssertEqual(
        $0 as? FetchError,
        .wrongType(term: "valueInDollars.asDouble", expected: "a floating-point number", found: "an integer"))
    }
  }

  func testTheArchivedForm() throws {
    XCTAssertEqual(
      try ArchivedForm.text(Fetch<Item> { -($0.valueInDollars * 2) < $0.owner.items.count }),
      #"{"entity":"Item","where":[{"op":"<","other":{"count":true,"path":["owner","items"]},"#
        + #""term":{"compute":[{"term":{"path":["valueInDollars"]}},{"value":{"int":2}},{"op":"*"},"#
        + #"{"op":"negate"}]}}]}"#
    )
    func problem(_ term: String) -> String? {
      ArchivedForm.problem(of: #"{"entity":"Item","sort":[{"term":\#(term)}]}"#, as: Fetch<Item>.self)
    }
    for steps in ["", #"{"op":"+"}"#, #"{"value":{"int":2}},{"value":{"int":2}}"#] {
      XCTAssertEqual(problem(#"{"compute":[\#(steps)]}"#), "the decoded data is not one complete computation")
    }
    XCTAssertEqual(
      problem(#"{"compute":[{"value":{"int":2}},{"op":"~"}]}"#), "'~' is not an operator of computations")
    XCTAssertEqual(
      problem(#"{"compute":[{"term":{"compute":[{"value":{"int":2}}]}}]}"#),
      "a computation cannot contain another computation")
    XCTAssertNotNil(problem(#"{"compute":[{}]}"#))
  }

  /// Terms of any length neither overflow the stack nor are refused.
  func testASumOfThreeThousand() throws {
    try expect([chair]) { item in
      (0..<3_000).reduce(item.valueInDollars) { sum, _ in sum + 1 } == 3_010
    }
  }

  /// Random expressions against the same on optional integers.
  func testRandomExpressions() throws {
    for seed in testSeeds(20) {
      var random = SeededGenerator(seed: seed)
      let numbers = [Int.min, .min + 1, -3, -1, 0, 1, 2, 7, .max / 2, .max]
      for item in [chair, table, lamp, ecole, orphan] {
        item.valueInDollars = try XCTUnwrap(numbers.randomElement(using: &random))
      }
      let source = try source()
      for _ in 0..<40 {
        var field = Item.Fields(.root).valueInDollars
        var value: (Item) -> Int? = { $0.valueInDollars }
        for _ in 0..<Int.random(in: 1...5, using: &random) {
          let number = try XCTUnwrap(numbers.randomElement(using: &random))
          let (old, isLeft) = (value, Bool.random(using: &random))
          func pair(_ item: Item) -> (Int, Int)? { old(item).map { isLeft ? ($0, number) : (number, $0) } }
          switch Int.random(in: 0..<5, using: &random) {
          case 0:
            field = isLeft ? field + number : number + field
            value = {
              pair($0).flatMap {
                let (it, no) = $0.addingReportingOverflow($1); return no ? nil : it
              }
            }
          case 1:
            field = isLeft ? field - number : number - field
            value = {
              pair($0).flatMap {
                let (it, no) = $0.subtractingReportingOverflow($1); return no ? nil : it
              }
            }
          case 2:
            field = isLeft ? field * number : number * field
            value = {
              pair($0).flatMap {
                let (it, no) = $0.multipliedReportingOverflow(by: $1); return no ? nil : it
              }
            }
          case 3:
            field = isLeft ? field / number : number / field
            value = {
              pair($0).flatMap {
                let (it, no) = $0.dividedReportingOverflow(by: $1); return no ? nil : it
              }
            }
          default:
            field = -field
            value = { old($0).flatMap { $0 == .min ? nil : -$0 } }
          }
        }
        let bound = try XCTUnwrap(numbers.randomElement(using: &random))
        let expected = [chair, table, lamp, ecole, orphan].filter { item in value(item).map { $0 >= bound } ?? false }
        XCTAssertEqual(
          try source.run(Fetch<Item> { _ in field >= bound }), expected.map(\.id.any), "seed \(seed): \(field.term)")
      }
    }
  }
}
