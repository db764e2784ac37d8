import RepriseObjectModel
import RepriseQuery
import RepriseTestArchives
import RepriseTestModels
import XCTest

final class ConditionTests: InventoryTestCase {
  func testComparisons() throws {
    try expect([chair]) { $0.name == "Red chair" }
    try expect([table, lamp, ecole, orphan]) { $0.name != "Red chair" }
    try expect([ecole, orphan]) { $0.valueInDollars < 10 }
    try expect([chair, ecole, orphan]) { $0.valueInDollars <= 10 }
    try expect([table, lamp]) { $0.valueInDollars > 10 }
    try expect([chair, table, lamp]) { $0.valueInDollars >= 10 }
    try expect([lamp]) { $0.isInsured == true }
    try expect([chair]) { $0.condition == .worn }
    try expect([lamp]) { $0.photo == [1, 2] }
    try expect([table, lamp]) { $0.valueInDollars.isIn([200, 30, 31]) }
    try expect([] as [Item]) { $0.valueInDollars.isIn([]) }
    try expect([table, lamp, ecole, orphan]) { $0.condition.isIn([.good, .broken]) }
  }

  func testAChainOfManyIsOneAndLeavesItsBeginningsAsTheyWere() throws {
    var chain = Condition<Item> { $0.valueInDollars > 0 }
    var beginnings: [Condition<Item>] = []
    // Copied at each step, these would be ten thousand million steps.
    for number in 1..<100_000 {
      if number.isMultiple(of: 25_000) || number < 40 { beginnings.append(chain) }
      chain = chain && Condition { $0.valueInDollars != number }
    }
    XCTAssertEqual(chain.steps.count, 199_999)
    func expected(_ count: Int) -> Condition<Item> {
      .all(
        (0..<count).map { number in Condition { number == 0 ? $0.valueInDollars > 0 : $0.valueInDollars != number } })
    }
    XCTAssertEqual(chain, expected(100_000))
    XCTAssertEqual(try source().run(Fetch<Item> { _ in chain }), try source().run(Fetch<Item> { _ in expected(201) }))
    for (place, beginning) in beginnings.enumerated() {
      let count = place < 39 ? place + 1 : (place - 38) * 25_000
      XCTAssertEqual(beginning, expected(count), "the first \(count)")
      XCTAssertEqual(beginning.hashValue, expected(count).hashValue)
    }
    // Of two that grow from one, each has its own.
    let base = beginnings[38]
    let (left, right) = (base || Condition { $0.name == "a" }, base && Condition { $0.name == "b" })
    XCTAssertEqual(left.steps.suffix(2), (Condition<Item> { $0.name == "a" }).steps + [.or])
    XCTAssertEqual(right.steps.suffix(2), (Condition<Item> { $0.name == "b" }).steps + [.and])
    XCTAssertEqual(left.steps.count, right.steps.count)
    XCTAssertEqual(base, expected(39))
    XCTAssertNotEqual(left, right)
  }

  func testAChainThatManyGoOnWithIsWhatEachMadeOfIt() async {
    var base = Condition<Item>(false)
    for number in 0..<50 { base = base || Condition { $0.valueInDollars == number } }
    let shared = base
    let made = await withTaskGroup(of: (Int, Condition<Item>).self) { group in
      for task in 0..<16 {
        group.addTask {
          var mine = shared
          for number in 0..<50 { mine = mine && Condition { $0.valueInDollars < task * 100 + number } }
          return (task, mine)
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for (task, condition) in made {
      let expected = (0..<50).flatMap { number in
        (Condition<Item> { $0.valueInDollars < task * 100 + number }).steps + [.and]
      }
      XCTAssertEqual(condition.steps, shared.steps + expected, "task \(task)")
    }
  }

  func testTheValueMayStandOnTheLeft() throws {
    try expect([table, lamp]) { 10 < $0.valueInDollars }
    try expect([chair, table, lamp]) { 10 <= $0.valueInDollars }
    try expect([ecole, orphan]) { 10 > $0.valueInDollars }
    try expect([chair, ecole, orphan]) { 10 >= $0.valueInDollars }
    try expect([chair]) { "Red chair" == $0.name }
    try expect([table, lamp, ecole, orphan]) { "Red chair" != $0.name }
    try expect([table, lamp]) { nil != $0.weight }
  }

  func testRangesAndSetsOnEitherSide() throws {
    try expect([chair, lamp]) { $0.valueInDollars.isIn(10...30) }
    try expect([chair]) { $0.valueInDollars.isIn(10..<30) }
    try expect([chair, lamp]) { (10...30).contains($0.valueInDollars) }
    try expect([chair]) { (10..<30).contains($0.valueInDollars) }
    try expect([lamp]) { $0.weight.isIn(0.5...2) }
    try expect([lamp, chair].reversed()) { ["lamp", "Red chair"].contains($0.name) }
    // A sequence without an end, where its bound is an integer.
    try expect([table, lamp]) { $0.valueInDollars.isIn(11...) }
    try expect([table, lamp]) { (11...).contains($0.valueInDollars) }
    try expect([chair, ecole, orphan]) { $0.valueInDollars.isIn(...10) }
    try expect([chair, ecole, orphan]) { (...10).contains($0.valueInDollars) }
    try expect([ecole, orphan]) { $0.valueInDollars.isIn(..<10) }
    try expect([ecole, orphan]) { (..<10).contains($0.valueInDollars) }
    let (ada, bob) = (ada, bob)
    try expect([chair, table, lamp]) { [ada, bob].contains($0.owner) }
    try expect([chair, table]) { [ada.id].contains($0.owner) }
    // Two comparisons, not as many values as the range has.
    try expect([chair, table, lamp, ecole]) { $0.valueInDollars.isIn(0...Int.max) }
    XCTAssertEqual(
      try source().compile(Fetch<Item> { (10...30).contains($0.valueInDollars) }).access,
      try source().compile(Fetch<Item> { $0.valueInDollars >= 10 && $0.valueInDollars <= 30 }).access)
  }

  func testNilIsEqualToNilAndComparesWithNothingElse() throws {
    try expect([table, lamp]) { $0.weight != nil }
    try expect([chair, ecole, orphan]) { $0.weight == nil }
    try expect([lamp]) { $0.weight < 10 }
    try expect([chair, table, ecole, orphan]) { !($0.weight < 10) }
    try expect([table, lamp]) { $0.weight <= 100 }
    try expect([table, lamp]) { $0.weight > -100 }
    try expect([chair, lamp, ecole, orphan]) { $0.weight != 12.5 }
    try expect([lamp]) { $0.weight.isIn([1, .nan]) }
    try expect([chair, table, lamp, ecole, orphan]) { $0.weight == $0.weight }
    try expect([] as [Item]) { $0.weight < $0.weight }
    try expect([table, lamp]) { $0.weight >= $0.weight }
  }

  func testAMissingLinkReadsNil() throws {
    try expect([orphan]) { $0.owner == nil }
    try expect([orphan]) { $0.owner.name == nil }
    try expect([chair, table, orphan]) { $0.owner.boss.name == nil }
    try expect([lamp]) { $0.owner.boss.name == "Ada" }
    try expect([ecole]) { $0.owner.boss.boss.name == "Ada" }
    try expect([chair, table, lamp, ecole]) { $0.owner.zip < 100 }
    try expect([lamp, ecole, orphan]) { $0.owner.name != "Ada" }
    try expect([chair, table, lamp, ecole]) { $0.owner.name.contains("") }
    try expect([chair, table, orphan]) { $0.owner.boss.reports.count == nil }
    try expect([] as [Item]) { $0.owner.boss.reports.any { $0.name == "Ada" } }
    try expect([chair, table, lamp, ecole, orphan]) { $0.owner.boss.reports.all { $0.name != "Ada" } }
  }

  func testRelationships() throws {
    let (ada, bob) = (ada, bob)
    try expect([chair, table]) { $0.owner == ada }
    try expect([lamp, ecole, orphan]) { $0.owner != ada }
    try expect([lamp]) { $0.owner == bob.id }
    try expect([chair, table, ecole, orphan]) { $0.owner != bob.id }
    try expect([chair, table, lamp]) { $0.owner.isIn([ada.id, bob.id]) }
    try expect([chair, table, lamp, ecole]) { $0.owner != nil }
    try expect([ada]) { $0.items.count == 2 }
    try expect([ada, bob]) { $0.items.any { $0.valueInDollars > 10 } }
    try expect([bob, eve]) { $0.items.all { $0.name != "Table" } }
    try expect([ada]) { $0.reports.any { $0.reports.any { $0.name == "Ève" } } }
    try expect([eve]) { $0.boss.items.any { $0.owner.name == "Bob" && $0.isInsured == true } }
    try expect([bob]) { $0.items.any { $0.owner.items.count == 1 } && $0.boss.zip == 10 }
  }

  func testTextsAreComparedHoweverTheyWereTyped() throws {
    try expect([ecole]) { $0.name == "École" }
    try expect([ecole]) { $0.name.hasPrefix("É") }
    try expect([] as [Item]) { $0.name.hasPrefix("E") }
    try expect([ecole]) { $0.name.hasPrefix("E\u{301}") }
    try expect([ecole]) { $0.name.hasPrefix("éC", .ignoringCase) }
    try expect([ecole]) { $0.name.contains("ÉCOLE", .ignoringCase) }
    try expect([table, ecole]) { $0.name.contains("le") }
    try expect([chair]) { $0.name.contains("chair") }
    try expect([chair]) { $0.name.contains("CHAIR", .ignoringCase) }
    try expect([] as [Item]) { $0.name.contains("CHAIR") }
    try expect([] as [Item]) { $0.name.contains("Red chair and more") }
    try expect([chair, table, lamp, ecole, orphan]) { $0.name.hasPrefix("") }
    try expect([lamp, ecole]) { $0.name > "Z" }
  }

  func testNumbersThatAreNotEqualToThemselvesStayInTheCountedWorld() throws {
    table.weight = .nan
    lamp.weight = -0.0
    try expect([table]) { $0.weight == .nan }
    try expect([table]) { $0.weight > .infinity }
    try expect([lamp]) { $0.weight == 0 }
    try expect([table, lamp]) { $0.weight.isIn([0, -.nan]) }
  }

  func testConstantsAndComposition() throws {
    try expect([chair, table, lamp, ecole, orphan]) { _ in Condition(true) }
    try expect([] as [Item]) { _ in Condition(false) }
    try expect([table]) { $0.valueInDollars > 10 && $0.owner.name == "Ada" }
    try expect([chair, table, lamp]) { $0.valueInDollars > 10 || $0.owner.name == "Ada" }
    try expect([lamp, orphan]) { ($0.name == "lamp" || $0.name == "") && !($0.name == "Table") }
    let all = Condition<Item>(true)
    XCTAssertEqual(all && all, all)
    XCTAssertEqual(!(!all), all)
  }

  func testThirteenMixedTermsCompileFastEnoughToBeWritten() throws {
    let ada = ada
    try expect([table]) {
      $0.owner.name == "Ada" && $0.valueInDollars > 10 && $0.name != "x" && !($0.weight < 3) && $0.owner.zip <= 90
        && ($0.isInsured == true || $0.isInsured == false) && $0.name.hasPrefix("T")
        && $0.name.contains("ABL", .ignoringCase) && $0.owner.items.count == 2
        && $0.owner.items.any { $0.valueInDollars < 100 } && $0.owner == ada && $0.owner.boss.name == nil
        && $0.valueInDollars.isIn([1, 200])
    }
  }

  func testAThousandTermsJoinedInALoopNeitherOverflowTheStackNorAreRefused() throws {
    let names = (0..<1_000).map { "name \($0)" } + ["Table"]
    try expect([table]) { item in
      names.reduce(Condition<Item>(false)) { $0 || item.name == $1 }
    }
    try expect([chair, lamp, ecole, orphan]) { item in
      names.reduce(Condition<Item>(true)) { $0 && item.name != $1 }
    }
  }

  func testNestingBeyondTheLimitIsRefusedWithoutRecursing() throws {
    var deep = Condition<Item>(false)
    let field = Item.Fields(.root).name
    for _ in 0..<400 { deep = (deep || field == "a") && field == "b" }
    let source = try source()
    XCTAssertThrowsError(try source.compile(Fetch<Item> { _ in deep })) {
      XCTAssertEqual($0 as? FetchError, .tooDeep(limit: 200))
    }
    XCTAssertEqual(try ArchivedForm.roundTrip(Fetch<Item> { _ in deep }).condition, deep)
  }
}
