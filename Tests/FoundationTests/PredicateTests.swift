import Foundation
import RepriseFoundation
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// A predicate and the condition that it becomes say the same of every object, or there is no condition.
final class PredicateTests: XCTestCase {
  private var items: [Item] = []
  private var people: [Person] = []
  private var random = SeededGenerator(seed: 0)
  private var seed: UInt64 = 0

  private static let texts = [
    "", "a", "ab", "abc", "é", "e\u{301}", "x\u{301}", "xe\u{301}b", "x", "\r\n", "\n", "a\r\nb", "🇫🇷🇩🇪", "🇩🇪", "e", "A",
    "b",
    "가", "\u{1100}", "\u{1100}\u{1161}",
  ]

  private func text() -> String { Self.texts.randomElement(using: &random) ?? "" }
  private func number() -> Int { Int.random(in: -2...4, using: &random) }
  private func weight() -> Double? {
    [nil, .nan, .infinity, -.infinity, 0, -0.0, 1, 2.5, -1].randomElement(using: &random) ?? nil
  }

  private func fill(_ seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    people = (0..<5).map { _ in Person(name: text(), zip: number()) }
    for person in people where Bool.random(using: &random) { person.boss = people.randomElement(using: &random) }
    items = (0..<60).map { _ in
      let item = Item(name: text(), valueInDollars: number())
      item.weight = weight()
      item.isInsured = Bool.random(using: &random)
      item.condition = [.good, .worn, .broken].randomElement(using: &random) ?? .good
      item.photo = Bool.random(using: &random) ? nil : [UInt8(number() + 2)]
      item.owner = Bool.random(using: &random) ? nil : people.randomElement(using: &random)
      return item
    }
  }

  private func check(_ predicate: Predicate<Item>, at line: UInt = #line) throws {
    let condition = try Condition(predicate)
    for item in items {
      XCTAssertEqual(
        try condition.holds(for: item), try predicate.evaluate(item),
        "seed \(seed): \(item.snapshot), \(condition)", line: line)
    }
    XCTAssertEqual(try Fetch(predicate), Fetch { _ in condition }, line: line)
  }

  func testComparisons() throws {
    for seed in testSeeds(20) {
      fill(seed)
      let (text, number, weight, real) = (text(), number(), weight(), self.weight() ?? 0)
      try check(#Predicate { $0.name == text })
      try check(#Predicate { $0.name != text })
      try check(#Predicate { $0.name < text })
      try check(#Predicate { $0.name >= text })
      try check(#Predicate { text < $0.name })
      try check(#Predicate { $0.valueInDollars > number })
      try check(#Predicate { $0.valueInDollars <= number })
      try check(#Predicate { number >= $0.valueInDollars })
      try check(#Predicate { $0.weight == weight })
      try check(#Predicate { $0.weight != weight })
      try check(#Predicate { $0.weight == nil })
      try check(#Predicate { $0.weight == real })
      try check(#Predicate { ($0.weight ?? 1) < real })
      try check(#Predicate { ($0.weight ?? real) > 1 })
      try check(#Predicate { !(($0.weight ?? real) >= real) })
      try check(#Predicate { item in if let weight = item.weight { weight <= real } else { false } })
      try check(#Predicate { item in if let weight = item.weight { weight >= weight } else { true } })
      try check(#Predicate { item in if let weight = item.weight { weight == weight } else { true } })
      try check(#Predicate { item in if let weight = item.weight { weight != weight } else { false } })
      try check(#Predicate { $0.photo == [2] })
      try check(#Predicate { ($0.weight ?? real) == ($0.weight ?? 1) })
      try check(#Predicate { $0.weight == $0.weight })
      try check(#Predicate { _ in text == "a" })
      try check(#Predicate { _ in real < 1 })
      let condition = ItemCondition.worn
      try check(#Predicate { $0.condition == condition })
    }
  }

  func testTruthAndChoices() throws {
    for seed in testSeeds(20) {
      fill(seed)
      let (text, number) = (text(), number())
      let flag = Bool.random(using: &random)
      try check(#Predicate { $0.isInsured })
      try check(#Predicate { !$0.isInsured })
      try check(#Predicate { $0.isInsured == flag })
      try check(#Predicate { $0.isInsured && $0.valueInDollars > number })
      try check(#Predicate { $0.isInsured || $0.name == text })
      try check(#Predicate { !($0.isInsured && $0.name == text) })
      try check(#Predicate { $0.isInsured ? $0.name == text : $0.valueInDollars == number })
      try check(#Predicate { ($0.name == text) == ($0.valueInDollars == number) })
      try check(#Predicate { ($0.name == text) == flag })
      try check(#Predicate { _ in flag })
      try check(#Predicate { _ in true })
    }
  }

  func testTexts() throws {
    for seed in testSeeds(40) {
      fill(seed)
      let text = text()
      try check(#Predicate { $0.name.contains(text) })
      try check(#Predicate { !$0.name.contains(text) })
      try check(#Predicate { $0.name.starts(with: text) })
      try check(#Predicate { $0.name.isEmpty })
      try check(#Predicate { $0.owner?.name.contains(text) ?? false })
      try check(#Predicate { $0.owner?.name.isEmpty ?? true })
      try check(#Predicate { $0.owner.flatMap { $0.name.starts(with: text) } ?? true })
    }
  }

  func testCollectionsAndRanges() throws {
    for seed in testSeeds(20) {
      fill(seed)
      let numbers = [number(), number()]
      let texts = [text(), text(), text()]
      let weights = [weight(), weight()]
      let conditions: [ItemCondition] = [.good, .broken]
      let upper = number()
      try check(#Predicate { numbers.contains($0.valueInDollars) })
      try check(#Predicate { texts.contains($0.name) })
      try check(#Predicate { weights.contains($0.weight) })
      try check(#Predicate { conditions.contains($0.condition) })
      try check(#Predicate { $0.owner.flatMap { texts.contains($0.name) } ?? false })
      let none: [Int] = []
      try check(#Predicate { none.contains($0.valueInDollars) })
      try check(#Predicate { (-2...upper).contains($0.valueInDollars) })
      try check(#Predicate { (-2..<upper).contains($0.valueInDollars) })
      let (range, nan) = (-1...2.5, Double.nan)
      try check(#Predicate { range.contains($0.weight ?? nan) })
      try check(#Predicate { !range.contains($0.weight ?? 0) })
    }
  }

  func testRelationships() throws {
    for seed in testSeeds(20) {
      fill(seed)
      let (text, number) = (text(), number())
      let owner = people.randomElement(using: &random)?.id
      let some = items.prefix(3).map(\.id)
      let first = some[0]
      try check(#Predicate { $0.owner?.name == text })
      try check(#Predicate { $0.owner?.name != text })
      try check(#Predicate { $0.owner == nil })
      try check(#Predicate { $0.owner != nil && $0.isInsured })
      try check(#Predicate { $0.owner.flatMap { $0.boss }?.zip == number })
      try check(#Predicate { $0.owner?.boss == nil })
      try check(#Predicate { ($0.owner?.zip ?? 1) > number })
      try check(#Predicate { item in if let owner = item.owner { owner.zip > number } else { item.isInsured } })
      try check(#Predicate { item in if let owner = item.owner { !(owner.name == text) } else { false } })
      try check(#Predicate { $0.owner?.id == owner })
      try check(#Predicate { $0.id == first })
      try check(#Predicate { some.contains($0.id) })
      try check(
        #Predicate { item in
          if let owner = item.owner { owner.items.contains { $0.valueInDollars > number } } else { false }
        })
      try check(
        #Predicate { item in
          if let owner = item.owner { owner.items.allSatisfy { $0.isInsured } } else { true }
        })
      try check(
        #Predicate { item in
          if let owner = item.owner { owner.items.count > number && !owner.reports.isEmpty } else { false }
        })
    }
  }

  func testIndexesServeWhatIsTranslated() throws {
    let schema = try ResolvedSchema(Schema(Item.self, Person.self))
    func compile(_ predicate: Predicate<Item>) throws -> CompiledFetch {
      try CompiledFetch(Fetch(predicate), schema: schema)
    }
    let (text, number) = ("a", 3)
    let equal = try compile(#Predicate { $0.name == text })
    XCTAssertEqual(equal, try CompiledFetch(Fetch<Item> { $0.name == "a" }, schema: schema))
    XCTAssertTrue(equal.accessIsExact)
    // The scalars narrow the search, and the characters decide.
    let prefix = try compile(#Predicate { $0.name.starts(with: text) })
    XCTAssertEqual(prefix.access, .index(slot: 0, KeyRanges(KeyRange(lower: [1, 0x61], upper: [1, 0x62]))))
    XCTAssertFalse(prefix.accessIsExact)
    XCTAssertNotEqual(try compile(#Predicate { $0.valueInDollars > number && $0.isInsured }).access, .scan)
    let archived = try JSONDecoder().decode(
      Fetch<Item>.self, from: JSONEncoder().encode(Fetch(#Predicate<Item> { $0.name.contains(text) })))
    XCTAssertEqual(archived, try Fetch(#Predicate { $0.name.contains(text) }))
  }

  private func refused<Model: PersistentModel>(
    _ predicate: Predicate<Model>, _ part: String, _ reason: String, at line: UInt = #line
  ) {
    XCTAssertThrowsError(try Condition(predicate), line: line) {
      XCTAssertEqual($0 as? FetchError, .notTranslatable(part: part, reason: reason), line: line)
    }
  }

  func testWhatHasNoConditionIsRefusedByName() throws {
    fill(1)
    let many = [1.5, 2]
    let operation = "the library does not translate this operation"
    refused(#Predicate<Item> { $0.valueInDollars + 1 > 2 }, "Arithmetic", operation)
    refused(#Predicate<Item> { $0.owner!.name == "a" }, "ForcedUnwrap", operation)
    refused(
      #Predicate<Item> { $0.name.count > 1 }, "a key path from String to Int",
      "the key path does not lead to a property of a model")
    refused(
      #Predicate<Item> { $0.label == "a" }, "a key path from Item to String",
      "Item does not store a property with this key path")
    refused(
      #Predicate<Item> { item in item.owner.flatMap { $0.items.contains { $0.name == item.name } } ?? false },
      "an outer object within 'contains(where:)' or 'allSatisfy'", "the test of a member can read only that member")
    refused(
      #Predicate<Item> { item in many.contains { $0 > (item.weight ?? 0) } }, "contains(where:)",
      "only the members of a to-many relationship can be tested")
    let high = Grade.high
    refused(
      #Predicate<Item> { $0.grade < high }, "a key path from Item to Grade",
      "Item does not store a property with this key path")
    refused(
      #Predicate<Bicycle> { $0.name == "a" }, "a key path from Bicycle to String",
      "Bicycle was written without `@Model`, and its `_keyPaths` must list this key path")
    refused(
      #Predicate<ByHand> { $0.title == "a" }, "a key path from ByHand to String",
      "the `_keyPaths` of ByHand name it 'headline', which is not a property of ByHand")
    refused(#Predicate<ByHand> { ($0.flag == nil ? $0.flag : $0.flag) ?? true }, "?:", "its result is not a Bool")
  }

  func testPartsOfOtherTypesAreRefusedByName() throws {
    let (below, low, high) = (..<5, 1, 5)
    let bounds = "it does not have two constant bounds"
    refused(#Predicate<Item> { below.contains($0.valueInDollars) }, "PartialRangeUpTo<Int>", bounds)
    refused(#Predicate<Item> { (low...$0.valueInDollars).contains(1) }, "ClosedRange<Int>", bounds)
    refused(
      #Predicate<Item> { (high...low).contains($0.valueInDollars) }, "ClosedRange<Int>",
      "its lower bound is greater than its upper bound, or a bound is NaN")
    refused(
      #Predicate<Item> { item in item.owner.flatMap { $0.items.contains(item) } ?? false }, "contains",
      "neither the collection nor the element is a constant")
    let grade = Grade.high
    refused(
      #Predicate<Item> { $0.isInsured || grade == grade }, "a value of Grade", "no property has values of this type")
    let grades: [Grade?] = [.low]
    refused(
      #Predicate<Item> { $0.isInsured || grades.contains(nil) }, "a collection of Optional<Grade>",
      "no property has values of this type")
    refused(
      #Predicate<Item> { item in item.name.contains(item.name) }, "contains",
      "only a text can be searched, and only for a constant text")
    refused(
      #Predicate<Item> { -$0.valueInDollars > 1 }, "UnaryMinus", "only a constant number can have a minus sign")
    let number: Int? = 1
    refused(
      #Predicate<Item> { item in number.flatMap { $0 == item.valueInDollars } ?? false }, "an optional's flatMap",
      "only a property can be unwrapped")
    refused(
      #Predicate<Item> { item in item.owner.flatMap { _ in item.name } == "a" }, "an optional's flatMap",
      "its result is neither a property of the unwrapped object nor a Bool")
    let price: Decimal = 1
    refused(
      #Predicate<Item> { $0.isInsured || price == price }, "== of Decimal",
      "the type may define `==` differently from its stored values")
    refused(
      #Predicate<Item> { $0.isInsured || price < price }, "< of Decimal",
      "the type may define its order differently from its stored values")
    refused(
      #Predicate<Item> { $0.isInsured == ($0.name == "a") }, "==",
      "one side is a condition, so the other side must be a condition, true or false")
  }
}

extension ItemCondition: Codable {}

private final class ByHand: TestModel {
  static let entity = Entity(
    ByHand.self, name: "ByHand", properties: [.attribute("title", String.self), .attribute("flag", Bool?.self)])
  static var _keyPaths: [AnyKeyPath: String] { [\ByHand.title: "headline", \ByHand.flag: "flag"] }
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  @Stored(0) var title: String
  @Stored(1) var flag: Bool?
}

private enum Grade: Int, Comparable, Codable {
  case low, high
  static func < (left: Grade, right: Grade) -> Bool { left.rawValue < right.rawValue }
}

extension Item {
  /// Computed, so no property of the store's.
  fileprivate var label: String { name + "!" }
  fileprivate var grade: Grade { .low }
}
