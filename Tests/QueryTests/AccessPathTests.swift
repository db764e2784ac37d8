import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

final class AccessPathTests: InventoryTestCase {
  private func compile(_ condition: (Item.Fields) -> Condition<Item>) throws -> CompiledFetch {
    try source().compile(Fetch<Item>(condition))
  }

  private func slots(_ path: AccessPath) -> [Int] {
    switch path {
    case .index(let slot, _), .search(let slot, _), .inverse(let slot, _), .through(let slot, _, _),
      .referred(_, let slot, _):
      [slot]
    case .union(let parts), .intersection(let parts): parts.flatMap { slots($0) }
    case .scan, .objects: []
    }
  }

  func testALinkIsFoundByItsInverse() throws {
    let ada = ada
    let only = try compile { $0.owner == ada }
    XCTAssertEqual(only.access, .inverse(slot: 6, targets: [ada.id.any]))
    XCTAssertTrue(only.accessIsExact)
    let several = try compile { $0.owner == ada || $0.owner.isIn([self.bob.id, self.eve.id]) }
    XCTAssertEqual(several.access, .inverse(slot: 6, targets: [ada, self.bob, self.eve].map(\.id.any).sorted()))
    XCTAssertTrue(several.accessIsExact)
  }

  func testWhatNoIndexServesIsScanned() throws {
    let ada = ada
    for condition in [
      { $0.owner == nil }, { $0.owner != ada }, { $0.weight == 1 }, { $0.name == "a" || $0.weight == 1 },
      { !($0.weight == 1) }, { $0.name.contains("a") }, { $0.owner.name == "a" }, { $0.owner.zip == nil },
      { $0.owner.zip != 1 }, { !($0.owner.zip == 1) }, { $0.name.hasPrefix("a", .ignoringCase) },
      { $0.name == "a" || $0.owner == nil },
    ] as [(Item.Fields) -> Condition<Item>] {
      let fetch = try compile(condition)
      XCTAssertEqual(fetch.access, .scan)
      XCTAssertFalse(fetch.accessIsExact)
      XCTAssertNil(fetch.countedIndex)
    }
    XCTAssertTrue(try compile { _ in Condition(true) }.accessIsExact)
  }

  func testAPatternIsLookedForAmongTheTextsThatBeginAsItDoes() throws {
    let byPrefix = try compile { $0.name.hasPrefix("title 29") }.access
    for condition in [
      { $0.name.matches("title 29.*") }, { $0.name.matches("^title 29(a|b)?") },
      { $0.name.matches("(title 29a|title 29b)") }, { $0.name.matches("(?:title 29)+") },
      { $0.name.matches(#"title\x2029[0-9]{2}"#) }, { $0.name.like("title 29?*") },
    ] as [(Item.Fields) -> Condition<Item>] {
      let fetch = try compile(condition)
      XCTAssertEqual(fetch.access, byPrefix)
      XCTAssertFalse(fetch.accessIsExact)
    }
    for condition in [
      { $0.name.matches("t*itle") }, { $0.name.matches("title|other") }, { $0.name.matches(".*29") },
      { $0.name.matches("[t]itle") }, { $0.name.matches("title", .ignoringCase) }, { $0.name.like("?itle") },
    ] as [(Item.Fields) -> Condition<Item>] {
      XCTAssertEqual(try compile(condition).access, .scan)
    }
  }

  func testAConditionThatNeverHoldsReadsNothing() throws {
    for condition in [
      { _ in Condition(false) }, { $0.name == "a" && $0.name == "b" }, { $0.name.isIn([]) },
      { $0.owner.isIn([] as [Person.ID]) },
      { $0.valueInDollars > 3 && !($0.valueInDollars > 3) },
    ] as [(Item.Fields) -> Condition<Item>] {
      let fetch = try compile(condition)
      XCTAssertEqual(fetch.access, .nothing)
      XCTAssertTrue(fetch.accessIsExact)
    }
  }

  func testEveryIndexOfAConditionIsConsidered() throws {
    let ada = ada
    XCTAssertEqual(slots(try compile { $0.name == "abc" && $0.valueInDollars > 1 }.access), [0, 1])
    XCTAssertEqual(slots(try compile { $0.name == "abc" && $0.weight == 1 }.access), [0])
    XCTAssertEqual(slots(try compile { $0.name == "a" && $0.owner == ada && $0.name < "b" }.access), [0, 6])
    XCTAssertEqual(slots(try compile { $0.name == "a" || $0.valueInDollars == 1 || $0.name == "b" }.access), [0, 1])
    XCTAssertFalse(try compile { $0.name == "abc" && $0.weight == 1 }.accessIsExact)
    XCTAssertTrue(try compile { $0.valueInDollars >= 1 && $0.valueInDollars < 9 }.accessIsExact)
    XCTAssertTrue(try compile { $0.name == "a" || $0.valueInDollars == 1 }.accessIsExact)
  }

  func testWhatLiesBehindLinksIsFoundThroughThem() throws {
    let ada = ada
    guard case .through(6, let people, .index(1, let ranges)) = try compile({ $0.owner.zip == 1 }).access else {
      return XCTFail("not through the owner")
    }
    XCTAssertTrue(people === Person.entity)
    XCTAssertTrue(ranges.contains(OrderKey.bytes(of: .int(1)) + [UInt8](repeating: 1, count: 16)))
    XCTAssertEqual(
      try compile { $0.owner.boss == ada }.access,
      .through(slot: 6, Person.entity, .inverse(slot: 3, targets: [ada.id.any])))
    let ofPeople = try source().compile(Fetch<Person> { $0.items.any { $0.name == "a" } })
    guard case .referred(let items, 6, .index(0, _)) = ofPeople.access else { return XCTFail("not by the items") }
    XCTAssertTrue(items === Item.entity)
    XCTAssertEqual(try source().compile(Fetch<Person> { !$0.items.any { $0.name == "a" } }).access, .scan)
    XCTAssertEqual(try source().compile(Fetch<Person> { $0.items.all { $0.name == "a" } }).access, .scan)
  }

  func testNoRowThatMatchesLiesOutsideTheRangeAndAnExactRangeHasNoOther() throws {
    var names = ["", "a", "ab", "b", "e\u{301}", "é", "\u{0}", "a\u{0}", "z\u{10FFFF}"]
    for length in [394, 395, 396, 397, 500] {
      names += ["", "b", "é", "😀"].map { String(repeating: "a", count: length) + $0 }
    }
    let numbers = [Int.min, -1, 0, 1, 2, 255, 256, .max]
    let items =
      names.map { Item(name: $0) }
      + numbers.map { Item(name: "n", valueInDollars: $0) }
    let source = try DetachedSource(Item.self, Person.self, objects: items)
    var conditions: [(Item.Fields) -> Condition<Item>] = []
    for name in names {
      conditions += [
        { $0.name == name }, { $0.name < name }, { $0.name <= name }, { $0.name > name }, { $0.name >= name },
        { $0.name.hasPrefix(name) }, { $0.name <= name || $0.name > "x" },
        { $0.name.isIn([name, "b"]) }, { $0.name >= "a" && $0.name < name }, { $0.name == name && $0.name > "b" },
      ]
    }
    for number in numbers {
      conditions += [
        { $0.valueInDollars == number }, { $0.valueInDollars < number }, { $0.valueInDollars <= number },
        { $0.valueInDollars > number }, { $0.valueInDollars >= number },
        { $0.valueInDollars > number && $0.valueInDollars <= 255 }, { $0.valueInDollars != number },
        { $0.valueInDollars < number || $0.valueInDollars > 2 }, { !($0.valueInDollars.isIn([number, 1])) },
      ]
    }
    conditions += [{ $0.name == nil }, { $0.name != nil }, { $0.valueInDollars == nil }, { $0.valueInDollars != nil }]
    var exact = 0
    var scanned = 0
    for condition in conditions {
      let fetch = try source.compile(Fetch<Item>(condition))
      // Of a text that its key cuts off there is no complement, and what is everywhere is no range.
      let slot: Int
      let range: KeyRanges
      switch fetch.access {
      case .index(let its, let ranges): (slot, range) = (its, ranges)
      case .union([]): (slot, range) = (0, KeyRanges([]))
      default:
        XCTAssertEqual(fetch.access, .scan)
        scanned += 1
        continue
      }
      exact += fetch.accessIsExact ? 1 : 0
      for item in items {
        let values = try XCTUnwrap(source.values(of: item.id.any))
        let isIn = range.contains(OrderKey.bytes(of: values[slot]) + [UInt8](repeating: 0x7F, count: 16))
        let matches = fetch.matches(values, id: item.id.any, source: source)
        if matches { XCTAssertTrue(isIn, "\(item.name.prefix(20)) is missed") }
        if fetch.accessIsExact { XCTAssertEqual(isIn, matches, "\(item.name.prefix(20))") }
      }
    }
    XCTAssertGreaterThan(exact, conditions.count / 2)
    XCTAssertLessThan(scanned, conditions.count / 10)
  }

  func testWhatACountedIndexServesWhole() throws {
    let source = try source()
    let all = try source.compile(Fetch<Item>().sorted { $0.name.ascending })
    XCTAssertTrue(all.isWholeIndex(0, ascending: true))
    XCTAssertFalse(all.isWholeIndex(0, ascending: false))
    XCTAssertFalse(all.isWholeIndex(1, ascending: true))
    let down = try source.compile(Fetch<Item>().sorted { $0.valueInDollars.descending }.limit(3))
    XCTAssertTrue(down.isWholeIndex(1, ascending: false))
    let range = try source.compile(Fetch<Item> { $0.name.hasPrefix("a") }.sorted { $0.name.ascending })
    XCTAssertEqual(range.countedIndex?.range, KeyRange(lower: [1, 0x61], upper: [1, 0x62]))
    XCTAssertFalse(range.isWholeIndex(0, ascending: true))
    let none: [Fetch<Item>] = [
      Fetch(), Fetch().sorted { $0.weight.ascending }, Fetch().sorted { $0.owner.zip.ascending },
      Fetch().sorted { [$0.name.ascending, $0.valueInDollars.ascending] },
      Fetch { $0.valueInDollars > 1 }.sorted { $0.name.ascending },
      Fetch { $0.name > "a" && $0.isInsured == true }.sorted { $0.name.ascending },
    ]
    for fetch in none { XCTAssertNil(try source.compile(fetch).countedIndex) }
  }
}
