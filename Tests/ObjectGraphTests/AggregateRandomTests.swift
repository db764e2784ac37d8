import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// Whatever is uncommitted, here and below, and whatever others saved since: aggregates are those of all objects,
/// loaded one by one.
@MainActor
final class AggregateRandomTests: XCTestCase {
  private typealias Test = (fetch: Fetch<Sale>, holds: (Sale) -> Bool)

  private static let long = String(repeating: "x", count: 500)
  private let texts: [String?] = [
    nil, "", "a", "ab", "b", "é", "e\u{301}", "éa", "z", long + "1", long + "2", "ß\u{0}", "ß",
  ]
  private let numbers: [Int?] = [nil, -3, 0, 1, 2, 7, .max, .min]
  private let reals: [Double?] = [nil, 0, -0.0, 1.5, -1.5, 1e300, .infinity, .nan, -.nan, .leastNonzeroMagnitude]

  private func edit(_ context: EditingContext, _ shops: [Shop.ID], _ random: inout SeededGenerator) throws {
    let sales = try context.fetch(Fetch<Sale>())
    guard let sale = sales.randomElement(using: &random), Int.random(in: 0..<5, using: &random) > 0 else {
      let sale = context.insert(Sale(text: texts.randomElement(using: &random) ?? nil))
      for _ in 0..<6 { try change(sale, context, shops, &random) }
      return
    }
    if Int.random(in: 0..<8, using: &random) == 0 {
      context.delete(sale)
    } else {
      try change(sale, context, shops, &random)
    }
    if Int.random(in: 0..<10, using: &random) == 0, let shop = shops.randomElement(using: &random) {
      context.find(shop)?.name = texts.randomElement(using: &random) ?? nil
    }
  }

  private func change(
    _ sale: Sale, _ context: EditingContext, _ shops: [Shop.ID], _ random: inout SeededGenerator
  ) throws {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: sale.text = texts.randomElement(using: &random) ?? nil
    case 1:
      // Seldom so great that the sum overflows.
      let number = numbers.randomElement(using: &random) ?? nil
      sale.number = number.map { abs($0.magnitudeIsGreat ? 1 : $0) == 0 ? 0 : $0 }
      if number.map(\.magnitudeIsGreat) == true, Int.random(in: 0..<40, using: &random) > 0 { sale.number = 5 }
    case 2: sale.real = reals.randomElement(using: &random) ?? nil
    case 3: sale.plainText = (texts.randomElement(using: &random) ?? nil) ?? "none"
    case 4: sale.plainReal = reals.prefix(5).randomElement(using: &random) ?? nil
    case 5: sale.small = Int8.random(in: .min ... .max, using: &random)
    case 6: sale.unsigned = UInt64.random(in: 0..<1 << 50, using: &random)
    case 7: sale.isPaid.toggle()
    case 8: sale.grade = [nil, .low, .high].randomElement(using: &random) ?? nil
    default: sale.shop = shops.randomElement(using: &random).flatMap { try? context.object($0) }
    }
  }

  private func test(_ random: inout SeededGenerator) -> Test {
    let number = Int.random(in: -4..<9, using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1: return (Fetch(), { _ in true })
    case 2: return (Fetch { $0.number > number }, { $0.number.map { $0 > number } ?? false })
    case 3: return (Fetch { $0.number != nil }, { $0.number != nil })
    case 4: return (Fetch { $0.text.hasPrefix("x") }, { $0.text?.hasPrefix("x") ?? false })
    case 5: return (Fetch { $0.isPaid == true }, { $0.isPaid })
    case 6: return (Fetch { $0.shop.rank > number }, { $0.shop.map { $0.rank > number } ?? false })
    default: return (Fetch { $0.number > 100_000 }, { ($0.number ?? 0) > 100_000 })
    }
  }

  private func expectAggregates(_ context: ObjectContext, _ test: Test, _ message: String) throws {
    let sales = try context.fetch(Fetch<Sale>()).filter(test.holds)
    let (texts, numbers, reals) = (
      sales.map(\.text.propertyValue), sales.map(\.number.propertyValue), sales.map(\.real.propertyValue)
    )
    let (least, greatest, count, distinct) = try context.aggregate(test.fetch) {
      ($0.text.minimum, $0.text.maximum, $0.text.count, $0.text.distinctCount)
    }
    XCTAssert(least.propertyValue.isExactly(AggregateOracle.minimum(texts)), message)
    XCTAssert(greatest.propertyValue.isExactly(AggregateOracle.maximum(texts)), message)
    XCTAssertEqual(count, texts.filter { !$0.isNull }.count, message)
    XCTAssertEqual(distinct, AggregateOracle.distinct(texts).count, message)
    let (leastReal, greatestReal) = try context.aggregate(test.fetch) { ($0.real.minimum, $0.real.maximum) }
    XCTAssert(leastReal.propertyValue.isExactly(AggregateOracle.minimum(reals)), message)
    XCTAssert(greatestReal.propertyValue.isExactly(AggregateOracle.maximum(reals)), message)
    let (leastNumber, count2, objects) = try context.aggregate(test.fetch) {
      ($0.number.minimum, $0.number.count, $0.objectCount)
    }
    XCTAssert(leastNumber.propertyValue.isExactly(AggregateOracle.minimum(numbers)), message)
    XCTAssertEqual(count2, numbers.filter { !$0.isNull }.count, message)
    XCTAssertEqual(objects, sales.count, message)
    let sum = sales.reduce(Int128(0)) { $0 + Int128($1.number ?? 0) }
    if let sum = Int(exactly: sum) {
      XCTAssertEqual(try context.aggregate(test.fetch) { $0.number.sum }, sum, message)
    } else {
      XCTAssertThrowsError(try context.aggregate(test.fetch) { $0.number.sum }, message) {
        XCTAssertEqual($0 as? FetchError, .overflow("number.sum"))
      }
    }
    let average = try context.aggregate(test.fetch) { $0.number.average }
    let present = sales.compactMap(\.number)
    XCTAssertEqual(average, present.isEmpty ? nil : Double(sum) / Double(present.count), message)
    let (small, unsigned, total) = try context.aggregate(test.fetch) {
      ($0.small.sum, $0.unsigned.sum, $0.plainReal.sum)
    }
    XCTAssertEqual(small, sales.reduce(0) { $0 + Int($1.small) }, message)
    XCTAssertEqual(unsigned, sales.reduce(0) { $0 + $1.unsigned }, message)
    XCTAssertEqual(total, sales.reduce(0) { $0 + ($1.plainReal ?? 0) }, accuracy: 1e-9, message)
    let foundTexts = try context.distinct(test.fetch) { $0.text }
    XCTAssert(
      foundTexts.elementsEqual(AggregateOracle.distinct(texts)) { $0.propertyValue.isExactly($1) },
      "\(message): \(foundTexts.map { $0.prefix(5) })")
    let foundReals = try context.distinct(test.fetch) { $0.real }
    XCTAssert(foundReals.elementsEqual(AggregateOracle.distinct(reals)) { $0.propertyValue.isExactly($1) }, message)
    let names = try context.distinct(test.fetch) { $0.shop.name }
    let expectedNames = AggregateOracle.distinct(sales.map { ($0.shop?.name).propertyValue })
    XCTAssertEqual(names.map(\.propertyValue), expectedNames, message)
  }

  /// Groups by any keys, as loading all objects makes them.
  private func groups(
    _ sales: [Sale], by keys: (Sale) -> [PropertyValue]
  ) -> [(keys: [PropertyValue], sales: [Sale])] {
    var groups: [String: (keys: [PropertyValue], sales: [Sale])] = [:]
    for sale in sales {
      let own = keys(sale)
      groups[own.map(AggregateOracle.mark).joined(separator: "|"), default: (own, [])].sales.append(sale)
    }
    return groups.values.sorted { left, right in
      for (l, r) in zip(left.keys, right.keys) {
        if AggregateOracle.precedes(l, r) { return true }
        if AggregateOracle.precedes(r, l) { return false }
      }
      return false
    }
  }

  private func expectGroups(
    _ context: ObjectContext, _ test: Test, _ message: String, _ random: inout SeededGenerator
  ) throws {
    let sales = try context.fetch(Fetch<Sale>()).filter(test.holds)
    func same(_ left: [PropertyValue], _ right: [PropertyValue]) -> Bool {
      left.elementsEqual(right) { $0.isExactly($1) }
    }
    // One indexed key, of which the index knows the counts.
    let byText = try context.fetch(test.fetch.grouped { $0.text })
    let expected = groups(sales) { [$0.text.propertyValue] }
    XCTAssert(same(byText.map(\.key.propertyValue), expected.map { $0.keys[0] }), message)
    XCTAssertEqual(byText.map(\.count), expected.map(\.sales.count), message)
    // The same by reading objects, with aggregates.
    let withSum = try context.fetch(test.fetch.grouped { $0.text }.select { ($0.small.sum, $0.real.maximum) })
    XCTAssert(same(withSum.map(\.key.propertyValue), expected.map { $0.keys[0] }), message)
    XCTAssertEqual(withSum.map(\.values.0), expected.map { $0.sales.reduce(0) { $0 + Int($1.small) } }, message)
    XCTAssert(
      same(
        withSum.map(\.values.1.propertyValue),
        expected.map { AggregateOracle.maximum($0.sales.map(\.real.propertyValue)) }), message)
    // Several keys, one through a to-one, and a condition, an order and a limit.
    let least = Int.random(in: 0..<4, using: &random)
    let limit = Int.random(in: 0..<10, using: &random)
    let offset = Int.random(in: 0..<3, using: &random)
    let isPage = Bool.random(using: &random)
    var query = test.fetch.grouped { ($0.isPaid, $0.shop.name) }.select { $0.small.sum }
      .having { $0.objectCount > least && !($0.real.maximum > 1e299) || $0.text.minimum == nil }
      .sorted { ($0.small.sum.descending, $0.shop.name.descending) }
    if isPage { query = query.limit(limit, offset: offset) }
    let found = try context.fetch(query)
    func sum(_ sales: [Sale]) -> Int { sales.reduce(0) { $0 + Int($1.small) } }
    var wanted = groups(sales) { [$0.isPaid.propertyValue, ($0.shop?.name).propertyValue] }.filter { group in
      let maximum = AggregateOracle.maximum(group.sales.map(\.real.propertyValue))
      let isGreat = if case .double(let it) = maximum { it.isNaN || it > 1e299 } else { false }
      return group.sales.count > least && !isGreat || group.sales.allSatisfy { $0.text == nil }
    }
    wanted.sort { left, right in
      if sum(left.sales) != sum(right.sales) { return sum(left.sales) > sum(right.sales) }
      if AggregateOracle.precedes(right.keys[1], left.keys[1]) { return true }
      if AggregateOracle.precedes(left.keys[1], right.keys[1]) { return false }
      return AggregateOracle.precedes(left.keys[0], right.keys[0])
    }
    if isPage { wanted = Array(wanted.dropFirst(offset).prefix(limit)) }
    XCTAssertEqual(found.map(\.values), wanted.map { sum($0.sales) }, message)
    XCTAssertEqual(found.map(\.count), wanted.map(\.sales.count), message)
    XCTAssert(same(found.map(\.key.0.propertyValue), wanted.map { $0.keys[0] }), message)
    XCTAssertEqual(found.map(\.key.1), wanted.map { String.from($0.keys[1]) }, message)
    // By a function of an attribute, and by the object at the end of a to-one.
    let byLetter = try context.fetch(test.fetch.grouped { $0.text.firstCharacter() }.select { $0.grade.count })
    let letters = groups(sales) { sale in
      [.string(sale.text?.precomposedStringWithCanonicalMapping.unicodeScalars.first.map { String($0) } ?? "")]
    }
    XCTAssertEqual(byLetter.map(\.key), letters.compactMap { String.from($0.keys[0]) }, message)
    XCTAssertEqual(byLetter.map(\.values), letters.map { $0.sales.filter { $0.grade != nil }.count }, message)
    let byShop = try context.fetch(test.fetch.grouped { ($0.shop, $0.grade) })
    let shops = groups(sales) {
      [$0.shop.map { .reference($0.id.any) } ?? .null, $0.grade.propertyValue]
    }
    XCTAssertEqual(byShop.map(\.key.0), shops.map { $0.sales[0].shop?.id }, message)
    XCTAssertEqual(byShop.map(\.key.1), shops.map { $0.sales[0].grade }, message)
    XCTAssertEqual(byShop.map(\.count), shops.map(\.sales.count), message)
  }

  func testAggregatesAreThoseOfAllObjectsLoadedOneByOne() async throws {
    for seed in testSeeds(3) {
      var random = SeededGenerator(seed: seed)
      let store = try TestStore(Schema(Sale.self, Shop.self))
      let root = RootContext(store.store)
      let other = RootContext(store.store)
      root.followsHead = false
      let shops = (0..<5).map { root.insert(Shop(name: texts[$0], rank: $0)).id }
      for _ in 0..<200 { try edit(root, shops, &random) }
      try await root.save()
      let child = root.makeChild()
      for round in 0..<3 {
        try other.refresh()
        for _ in 0..<20 { try edit(other, shops, &random) }
        try await other.save(merging: .mine)
        for _ in 0..<10 { try edit(root, shops, &random) }
        for _ in 0..<10 { try edit(child, shops, &random) }
        for context in [root, child, other] {
          for _ in 0..<5 {
            let test = test(&random)
            let message = "seed \(seed), round \(round), \(context === root ? "root" : "other"): \(test.fetch)"
            try expectAggregates(context, test, message)
            try expectGroups(context, test, message, &random)
          }
        }
        if Bool.random(using: &random) { try root.refresh() }
      }
    }
  }
}

extension Int {
  fileprivate var magnitudeIsGreat: Bool { self == .max || self == .min }
}
