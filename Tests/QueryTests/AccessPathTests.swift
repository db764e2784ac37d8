import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

final class AccessPathTests: InventoryTestCase {
  private func compile(_ condition: (Item.Fields) -> Condition<Item>) throws -> CompiledFetch {
    try source().compile(Fetch<Item>(condition))
  }

  private func slot(_ fetch: CompiledFetch) -> Int? {
    if case .index(let slot, _) = fetch.access { slot } else { nil }
  }

  func testAnEqualityOnALinkGoesFirst() throws {
    let ada = ada
    let only = try compile { $0.owner == ada }
    XCTAssertEqual(only.access, .inverse(slot: 6, target: ada.id.any))
    XCTAssertTrue(only.accessIsExact)
    let both = try compile { $0.name == "a" && $0.owner == ada }
    XCTAssertEqual(both.access, .inverse(slot: 6, target: ada.id.any))
    XCTAssertFalse(both.accessIsExact)
  }

  func testWhatNoIndexServesIsScanned() throws {
    let ada = ada
    for condition in [
      { $0.owner == nil }, { $0.owner != ada }, { $0.weight == 1 }, { $0.name == "a" || $0.name == "b" },
      { !($0.name == "a") }, { $0.name != "a" }, { $0.name.contains("a") }, { $0.owner.zip == 1 },
      { $0.name.hasPrefix("a", .ignoringCase) },
    ] as [(Item.Fields) -> Condition<Item>] {
      let fetch = try compile(condition)
      XCTAssertEqual(fetch.access, .scan)
      XCTAssertFalse(fetch.accessIsExact)
      XCTAssertNil(fetch.countedIndex)
    }
    XCTAssertTrue(try compile { _ in Condition(true) }.accessIsExact)
  }

  func testTheNarrowerOfTwoIndexesIsTaken() throws {
    XCTAssertEqual(slot(try compile { $0.name == "abc" && $0.valueInDollars > 1 }), 0)
    XCTAssertEqual(slot(try compile { $0.name > "abc" && $0.valueInDollars == 1 }), 1)
    XCTAssertFalse(try compile { $0.name > "abc" && $0.valueInDollars == 1 }.accessIsExact)
    XCTAssertTrue(try compile { $0.valueInDollars >= 1 && $0.valueInDollars < 9 }.accessIsExact)
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
        { $0.name.hasPrefix(name) }, { $0.name >= "a" && $0.name < name }, { $0.name == name && $0.name > "b" },
      ]
    }
    for number in numbers {
      conditions += [
        { $0.valueInDollars == number }, { $0.valueInDollars < number }, { $0.valueInDollars <= number },
        { $0.valueInDollars > number }, { $0.valueInDollars >= number },
        { $0.valueInDollars > number && $0.valueInDollars <= 255 },
      ]
    }
    conditions += [{ $0.name == nil }, { $0.name != nil }, { $0.valueInDollars == nil }, { $0.valueInDollars != nil }]
    var exact = 0
    for condition in conditions {
      let fetch = try source.compile(Fetch<Item>(condition))
      guard case .index(let slot, let range) = fetch.access else {
        XCTFail("not served by an index")
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
    XCTAssertEqual(range.countedIndex?.range, IndexRange(lower: [1, 0x61], upper: [1, 0x62]))
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
