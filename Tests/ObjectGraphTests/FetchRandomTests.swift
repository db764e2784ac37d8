import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// Whatever is uncommitted, here and below, and whatever others saved since: a fetch finds what a look at every object
/// finds, on whichever path it goes.
final class FetchRandomTests: XCTestCase {
  private typealias Order = (keys: (Item.Fields) -> [SortKey<Item>], precedes: [(Item, Item) -> Int])

  private let items = RandomItems()

  private static func compare<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
    left < right ? -1 : left > right ? 1 : 0
  }

  private func order(_ random: inout SeededGenerator) -> Order {
    let byName = { (left: Item, right: Item) in Self.compare(left.name, right.name) }
    let byValue = { (left: Item, right: Item) in Self.compare(left.valueInDollars, right.valueInDollars) }
    let byWeight = { (left: Item, right: Item) in Self.compare(left.weight ?? -1, right.weight ?? -1) }
    let byZip = { (left: Item, right: Item) in Self.compare(left.owner?.zip ?? -1, right.owner?.zip ?? -1) }
    func back(_ order: @escaping (Item, Item) -> Int) -> (Item, Item) -> Int { { order($1, $0) } }
    let byBirth = { (left: Item, right: Item) in Self.compare(left.id, right.id) }
    let byWeightNilLast = { (left: Item, right: Item) in
      Self.compare(left.weight ?? .infinity, right.weight ?? .infinity)
    }
    switch Int.random(in: 0..<16, using: &random) {
    case 9: return ({ [$0.weight.ascending(nils: .last)] }, [byWeightNilLast, byBirth])
    case 10: return ({ [$0.weight.descending(nils: .first)] }, [back(byWeightNilLast), back(byBirth)])
    case 11: return ({ [$0.valueInDollars.ascending(nils: .last)] }, [byValue, byBirth])
    case 12: return ({ [(-$0.valueInDollars).ascending] }, [back(byValue), byBirth])
    case 13: return ({ [$0.id.descending] }, [back(byBirth)])
    case 14: return ({ [$0.name.descending(nils: .first), $0.id.ascending] }, [back(byName), byBirth])
    case 15:
      return (
        { [($0.valueInDollars / 10).descending, $0.id.descending] },
        [
          { Self.compare($1.valueInDollars / 10, $0.valueInDollars / 10) }, back(byBirth),
        ]
      )
    case 0: return ({ _ in [] }, [byBirth])
    case 1: return ({ [$0.name.ascending] }, [byName, byBirth])
    case 2: return ({ [$0.name.descending] }, [back(byName), back(byBirth)])
    case 3: return ({ [$0.valueInDollars.ascending] }, [byValue, byBirth])
    case 4: return ({ [$0.valueInDollars.descending] }, [back(byValue), back(byBirth)])
    case 5: return ({ [$0.name.ascending, $0.valueInDollars.descending] }, [byName, back(byValue), back(byBirth)])
    case 6: return ({ [$0.valueInDollars.descending, $0.weight.ascending] }, [back(byValue), byWeight, byBirth])
    case 7: return ({ [$0.weight.ascending] }, [byWeight, byBirth])
    default: return ({ [$0.owner.zip.ascending, $0.name.ascending] }, [byZip, byName, byBirth])
    }
  }

  private func expectSame(
    _ context: ObjectContext, _ people: [Person.ID], _ seed: UInt64, _ random: inout SeededGenerator
  ) throws {
    let all = try context.fetch(Fetch<Item>())
    for _ in 0..<12 {
      let (condition, holds) = items.test(people, all, &random)
      let (keys, precedes) = order(&random)
      let offset = Int.random(in: 0..<3, using: &random) > 0 ? 0 : Int.random(in: 0...all.count, using: &random)
      let limit = [1, 3, 10, .max, nil].randomElement(using: &random) ?? nil
      var fetch = Fetch<Item>(condition).sorted(keys)
      if let limit { fetch = fetch.limit(limit, offset: offset) }
      var expected = all.filter(holds).sorted { left, right in
        for order in precedes {
          let result = order(left, right)
          if result != 0 { return result < 0 }
        }
        return false
      }
      if let limit { expected = Array(expected.dropFirst(offset).prefix(limit)) }
      XCTAssertEqual(try context.fetch(fetch).map(\.id), expected.map(\.id), "seed \(seed): \(fetch)")
      let tested = condition(Item.Fields(.root))
      for item in all.suffix(20) {
        XCTAssertEqual(try tested.holds(for: item), holds(item), "seed \(seed): \(tested) of \(item.id)")
      }
      XCTAssertEqual(try context.count(fetch), expected.count, "seed \(seed): the count of \(fetch)")
      XCTAssertEqual(try context.exists(fetch), !expected.isEmpty, "seed \(seed): whether \(fetch) exists")
      XCTAssertEqual(try context.fetchIDs(fetch), expected.map(\.id), "seed \(seed): the IDs of \(fetch)")
      let place = Int.random(in: 0...expected.count, using: &random)
      let object = place < expected.count ? expected[place] : all.randomElement(using: &random)
      if let object {
        let rank = try context.rank(of: object.id, in: fetch)
        XCTAssertEqual(rank, expected.firstIndex { $0 === object }, "seed \(seed): the rank in \(fetch)")
      }
      let values = try context.fetchValues(fetch) { ($0.weight, $0.owner.zip, $0.name) }
      XCTAssertEqual(values.map(\.values.0), expected.map(\.weight), "seed \(seed): the weights of \(fetch)")
      XCTAssertEqual(values.map(\.values.1), expected.map { $0.owner?.zip }, "seed \(seed): the zips of \(fetch)")
      XCTAssertEqual(values.map(\.values.2), expected.map(\.name), "seed \(seed): the names of \(fetch)")
    }
  }

  @MainActor
  func testAFetchFindsWhatALookAtEveryObjectFinds() async throws {
    for seed in testSeeds(8) {
      var random = SeededGenerator(seed: seed)
      let test = try TestStore()
      let root = RootContext(test.store)
      let other = RootContext(test.store)
      root.followsHead = false
      let people = (0..<4).map { root.insert(Person(name: "\($0)", zip: 10 * $0)).id }
      try await root.save()
      for _ in 0..<300 { try items.edit(root, people, &random) }
      try await root.save()
      let child = root.makeChild()
      for _ in 0..<4 {
        try other.refresh()
        for _ in 0..<10 { try items.edit(other, people, &random) }
        try await other.save(merging: .mine)
        for _ in 0..<6 { try items.edit(root, people, &random) }
        for _ in 0..<6 { try items.edit(child, people, &random) }
        for context in [root, child, other] { try expectSame(context, people, seed, &random) }
        if Bool.random(using: &random) { try root.refresh() }
      }
    }
  }

  /// Ten damaged records behind the rows that are asked for, which nobody needs to read.
  func testAFetchWithALimitReadsNothingBehindItsLastRow() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let items = (0..<500).map { context.insert(Item(name: "\(1000 + $0)", valueInDollars: $0)) }
    for item in items.suffix(10) { item.weight = 1 }
    try await context.save()
    let map = try XCTUnwrap(test.store.map.map(Item.entity.interned))
    try test.store.damageRecords(items.suffix(10).map(\.id.any), map)
    let reader = RootContext(test.store)
    let expected = items.prefix(7).map(\.id)
    XCTAssertEqual(try reader.fetch(Fetch<Item>().limit(7)).map(\.id), expected)
    XCTAssertEqual(try reader.fetch(Fetch<Item>().sorted { $0.name.ascending }.limit(7)).map(\.id), expected)
    let range = Fetch<Item> { $0.valueInDollars >= 0 }.sorted { $0.valueInDollars.ascending }
    XCTAssertEqual(try reader.fetch(range.limit(7)).map(\.id), expected)
    XCTAssertEqual(try reader.count(range), 500)
    let two = Fetch<Item> { $0.isInsured == false }.sorted { [$0.name.ascending, $0.weight.ascending] }
    XCTAssertEqual(try reader.fetch(two.limit(7)).map(\.id), expected)
    // Those that do need it say so.
    XCTAssertThrowsError(try reader.fetch(range))
    XCTAssertThrowsError(try reader.fetch(range.limit(500)))
  }
}
