import RepriseDynamic
import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// Each construct of the text form, as the fetch that the closure of `Fetch` makes.
final class FetchTextTests: XCTestCase {
  private func expect<Model>(
    _ text: String, _ fetch: Fetch<Model>, printed: String? = nil, line: UInt = #line
  ) throws {
    XCTAssertEqual(try Fetch<Model>(text: text), fetch, line: line)
    XCTAssertEqual(fetch.text, printed ?? text, line: line)
  }

  private func expect(
    _ text: String, printed: String? = nil, line: UInt = #line, _ condition: (Item.Fields) -> Condition<Item>
  ) throws {
    try expect("Item where " + text, Fetch(condition), printed: printed.map { "Item where " + $0 }, line: line)
  }

  func testComparisonsReadAsInSwift() throws {
    try expect("name == \"tea\"") { $0.name == "tea" }
    try expect("valueInDollars != -3") { $0.valueInDollars != -3 }
    try expect("valueInDollars < 3") { $0.valueInDollars < 3 }
    try expect("valueInDollars <= 3") { $0.valueInDollars <= 3 }
    try expect("valueInDollars > 3") { $0.valueInDollars > 3 }
    try expect("valueInDollars >= 3") { $0.valueInDollars >= 3 }
    try expect("valueInDollars = 3", printed: "valueInDollars == 3") { $0.valueInDollars == 3 }
    try expect("valueInDollars <> 3", printed: "valueInDollars != 3") { $0.valueInDollars != 3 }
    try expect("3 < valueInDollars", printed: "valueInDollars > 3") { 3 < $0.valueInDollars }
    try expect("name < owner.name") { $0.name < $0.owner.name }
    try expect("isInsured", printed: "isInsured == true") { Condition($0.isInsured) }
    try expect("valueInDollars in (1, 2)") { $0.valueInDollars.isIn([1, 2]) }
    try expect("valueInDollars in ()") { $0.valueInDollars.isIn([Int]()) }
    let range = "valueInDollars >= 1 and valueInDollars <= 5"
    try expect("valueInDollars between 1 and 5", printed: range) { $0.valueInDollars.isIn(1...5) }
    try expect("weight is nil") { $0.weight == nil }
    try expect("weight IS NOT NULL", printed: "weight is not nil") { $0.weight != nil }
    try expect("owner == nil", printed: "owner is nil") { $0.owner == nil as Person.ID? }
    try expect("id > Item/00000000-0000-0001-0000-000000000002") {
      $0.id > Item.ID(uuid: UniqueID(high: 1, low: 2))
    }
  }

  func testOperatorsBindAsInSQL() throws {
    let (a, b, c) = ("name == \"a\"", "valueInDollars == 1", "weight is nil")
    try expect("\(a) or \(b) and \(c)") { $0.name == "a" || $0.valueInDollars == 1 && $0.weight == nil }
    try expect("(\(a) or \(b)) and \(c)") { ($0.name == "a" || $0.valueInDollars == 1) && $0.weight == nil }
    try expect("\(a) and (\(b) and \(c))") { $0.name == "a" && ($0.valueInDollars == 1 && $0.weight == nil) }
    try expect("not \(a) and \(b)") { !($0.name == "a") && $0.valueInDollars == 1 }
    try expect("NOT (\(a) AND \(b))", printed: "not (\(a) and \(b))") {
      !($0.name == "a" && $0.valueInDollars == 1)
    }
    let between = "not valueInDollars between 1 and 2 and \(a) or true"
    try expect(between, printed: "not (valueInDollars >= 1 and valueInDollars <= 2) and \(a) or true") {
      let isOutside = !$0.valueInDollars.isIn(1...2)
      return Condition(steps: (isOutside && $0.name == "a").steps + [.constant(true), .or])
    }
  }

  /// Both are in use: the words in SQL, the signs in Swift and NSPredicate.
  func testOperatorsOfSwiftAreSynonyms() throws {
    try expect("name == 'it''s'".replacing("''", with: "\\'"), printed: "name == \"it's\"") { $0.name == "it's" }
    try expect("!isInsured && (name == 'a' || true)", printed: "not isInsured == true and (name == \"a\" or true)") {
      Condition(steps: (!$0.isInsured).steps + ($0.name == "a").steps + [.constant(true), .or, .and])
    }
  }

  func testTextsAreTestedWithOptions() throws {
    try expect("name contains \"tea\"") { $0.name.contains("tea") }
    try expect("name contains[nocase, nodiacritic] \"tea\"") {
      $0.name.contains("tea", [.ignoringCase, .ignoringDiacritics])
    }
    try expect("name beginswith[c] \"tea\"", printed: "name begins[nocase] \"tea\"") {
      $0.name.hasPrefix("tea", .ignoringCase)
    }
    try expect("name not ends \"a\"", printed: "not name ends \"a\"") { !$0.name.hasSuffix("a") }
    try expect("name equals[nodiacritic] \"te\"") { $0.name.equals("te", .ignoringDiacritics) }
    try expect("name like \"t?a*\"") { $0.name.like("t?a*") }
    try expect("name matches \"[a-z]+\\\\d\"") { $0.name.matches("[a-z]+\\d") }
    try expect("name allWords \"rest kill\"") { $0.name.contains(words: "rest kill") }
    try expect("name anyword \"rest kill\"", printed: "name anyWord \"rest kill\"") {
      $0.name.contains(words: "rest kill", .anyWord)
    }
    try expect("name allPrefixes \"re\"") { $0.name.contains(words: "re", .allPrefixes) }
    try expect("name whileTyping \"re\"") { $0.name.contains(words: "re", .whileTyping) }
    try expect("name[nocase, natural, locale \"sv\"] == \"a\"") {
      let locale = Collation([] as Collation.Rules, locale: LocaleName("sv"))
      return $0.name.collated([.ignoringCase, .natural, locale]) == "a"
    }
    let byCharacter = Condition<Item>(steps: [.text(Term(["name"]), .contains, "e", .byCharacter)])
    try expect("name contains[bycharacter] \"e\"") { _ in byCharacter }
  }

  func testMembersAndComputationsAreTerms() throws {
    try expect(
      "Person where any items where (name == \"tea\" or valueInDollars > 1)",
      Fetch<Person> { $0.items.any { $0.name == "tea" || $0.valueInDollars > 1 } })
    try expect(
      "Person where all boss.reports where (zip == 1) and count(items) > 3",
      Fetch<Person> { $0.boss.reports.all { $0.zip == 1 } && $0.items.count > 3 })
    try expect(
      "Person where none items where (isInsured)", Fetch<Person> { !$0.items.any { $0.isInsured == true } },
      printed: "Person where not any items where (isInsured == true)")
    try expect("valueInDollars * 2 - -5 > owner.zip") { $0.valueInDollars * 2 - -5 > $0.owner.zip }
    try expect("valueInDollars * (owner.zip + 1) >= 2") { $0.valueInDollars * ($0.owner.zip + 1) >= 2 }
    try expect("double(valueInDollars) / 2 < weight", printed: "double(valueInDollars) / 2.0 < weight") {
      $0.valueInDollars.asDouble / 2 < $0.weight
    }
    try expect("-valueInDollars == 2", printed: "-(valueInDollars) == 2") { -$0.valueInDollars == 2 }
    try expect("owner.id == owner.boss", printed: "owner == owner.boss") { $0.owner.id == $0.owner.boss.id }
  }

  func testClausesAreInTheOrderOfSQL() throws {
    try expect(
      "Item where isInsured == false order by name[nocase] desc, weight nulls last section by first(name) limit 20 "
        + "offset 3",
      Fetch<Item> { $0.isInsured == false }
        .sorted { [$0.name.collated(.ignoringCase).descending, $0.weight.ascending(nils: .last)] }
        .sectioned { $0.name.firstCharacter() }.limit(20, offset: 3))
    try expect("Item", Fetch<Item>())
    try expect("order by id desc", Fetch<Item>().sorted { $0.id.descending }, printed: "Item order by id desc")
    try expect("Item limit -1", Fetch<Item>().limit(-1))
    let decade = SectionRule<Int>("de\"cade") { "\($0 ?? 0)" }
    try expect(
      "Item section by rule(\"de\\\"cade\", valueInDollars)",
      Fetch<Item>().sectioned { $0.valueInDollars.section(by: decade) })
    XCTAssertEqual(try Fetch<Sorted>(text: "section by day(moment, 3600)").text, "Sorted section by day(moment, 3600)")
  }

  /// The model gives a literal the type of its property.
  func testLiteralsHaveTheTypeOfTheProperty() throws {
    func value(_ text: String) throws -> PropertyValue? {
      guard case .compare(_, _, let value) = try Fetch<Sorted>(text: "where " + text).condition.steps[0] else {
        return nil
      }
      return value
    }
    XCTAssertEqual(try value("ratio == 3"), .double(3))
    XCTAssertEqual(try value("ratio == 1e-3"), .double(0.001))
    XCTAssertEqual(try value("natural == 3"), .unsigned(3))
    XCTAssertEqual(try value("natural == 18446744073709551615"), .unsigned(.max))
    XCTAssertEqual(try value("count(previous) == -9223372036854775808"), .int(.min))
    XCTAssertEqual(try value("text == \"\\u{e9}\\n\\0\\t\\r\\\\\\\"\\`\""), .string("é\n\0\t\r\\\"`"))
    XCTAssertEqual(try value("bytes == x\"00fF\""), .bytes([0, 255]))
    let id = UniqueID(high: 0x0189_0a5d_ac96_774b, low: 0xbcce_b302_099a_8057)
    XCTAssertEqual(try value("token == 01890A5D-ac96-774b-bcce-b302099a8057"), .uuid(id))
    XCTAssertEqual(
      try value("next == 01890a5d-ac96-774b-bcce-b302099a8057"), .reference(AnyObjectID(Sorted.entity.interned, id)))
    XCTAssertEqual(
      try value("next == `Sorted`/01890a5d-ac96-774b-bcce-b302099a8057"),
      .reference(AnyObjectID(Sorted.entity.interned, id)))
    XCTAssertEqual(try value("flag == TRUE"), .bool(true))
    let sum = try Fetch<Sorted>(text: "where moment + 3600 > 2026-11-20").condition.steps[0]
    let moment = Term(computing: [.read(Term(["moment"])), .constant(.double(3600)), .binary(.add)])
    XCTAssertEqual(sum, .compare(moment, .greater, .date(816_825_600)))
  }

  func testDatesKeepEachBit() throws {
    func seconds(_ text: String) throws -> Double? {
      let fetch = try Fetch<Sorted>(text: "where moment == " + text)
      guard case .compare(_, _, .date(let seconds)) = fetch.condition.steps[0] else { return nil }
      XCTAssertEqual(try Fetch<Sorted>(text: fetch.text), fetch)
      return seconds
    }
    XCTAssertEqual(try seconds("2001-01-01"), 0)
    XCTAssertEqual(try seconds("2000-02-29T23:59:59.75Z"), -26_438_400.25)
    XCTAssertEqual(try seconds("2026-11-20T12:00+01:30"), 816_863_400)
    XCTAssertEqual(try seconds("0000-01-01"), -63_145_526_400)
    XCTAssertEqual(try seconds("9999-12-31T23:59:59Z"), 252_423_993_599)
    XCTAssertEqual(try seconds("2001-01-01T00:00:00.1Z"), 0.1)
    XCTAssertEqual(try seconds("2000-12-31T23:59:59.9Z"), -0.1)
    XCTAssertEqual(try seconds("date(1e+300)"), 1e300)
    XCTAssertEqual(try seconds("date(-0.0)")?.sign, .minus)
  }

  func testNamesThatLookLikeKeywordsKeepBackticks() throws {
    let condition = Condition<Item>(
      steps: [
        .compare(Term(["owner", "id"]), .equal, .int(1)), .compare(Term(["not"]), .equal, .int(1)), .and,
        .compare(Term(["two words", "a`b\\"]), .equal, .int(1)), .or,
      ])
    let text = Fetch { _ in condition }.text
    XCTAssertEqual(text, "Item where owner.`id` == 1 and `not` == 1 or `two words`.`a\\`b\\\\` == 1")
    XCTAssertEqual(try FetchText(text).description, text)
    let id = "00000000-0000-0001-0000-000000000002"
    XCTAssertEqual(try FetchText("a where b == `a b`/\(id)").description, "a where b == `a b`/\(id)")
    XCTAssertEqual(try FetchText("`order` order by `order`, order").description, "`order` order by `order`, `order`")
  }

  @MainActor
  func testATextReadsAModelThatHasNoClass() async throws {
    let test = try TextStore()
    try await test.store.close()
    let store = try await Store.open(inspecting: test.path)
    let context = RootContext(store)
    let text = try FetchText("Item where name contains[c] 'TEA' and owner.name != 'Eve' order by name desc")
    func names<Model: PersistentModel>(_ model: Model.Type) throws -> [PropertyValue] {
      try context.fetch(text.fetch(model)).map { try $0["name"] }
    }
    let entity = try text.entity(among: store.entities)
    XCTAssertEqual(try names(entity.model), [.string("tea"), .string("Tea for two")])
  }

  @MainActor
  func testATextReadsAPastState() throws {
    let test = try TextStore()
    let before = test.store.log.head
    test.context.insert(Item(name: "new"))
    try test.context.saveAndWait()
    func count(_ text: String) throws -> Int {
      let text = try FetchText(text)
      XCTAssertEqual(try FetchText(text.description), text)
      XCTAssertEqual(FetchText(try text.fetch(Item.self), at: text.moment).description, text.description)
      let context = try text.moment.map { try test.store.context(at: $0) } ?? test.context
      return try context.count(text.fetch(Item.self))
    }
    XCTAssertEqual(try count("Item"), 10)
    XCTAssertEqual(try count("Item @\(before)"), 9)
    XCTAssertEqual(try count("Item limit 4 as of 9999-11-20"), 4)
    XCTAssertEqual(try count("Item as of 2999-11-20T12:00:00.123456Z"), 10)
    XCTAssertEqual(try count("Item @0"), 0)
    XCTAssertEqual(try FetchText("Item as of 1970-01-02").moment, .microseconds(86_400_000_000))
    XCTAssertEqual(FetchText(Fetch<Item>(), at: .microseconds(.min)).description, "Item as of \(Int64.min)")
    XCTAssertEqual(try FetchText("Item as of \(Int64.max)").moment, .microseconds(.max))
    XCTAssertEqual(try FetchText("item where a = 1 @2"), try FetchText("item WHERE a == 1 @ 2"))
    XCTAssertEqual(try FetchText("Item").entity(among: test.store.entities), Item.entity)
  }
}
