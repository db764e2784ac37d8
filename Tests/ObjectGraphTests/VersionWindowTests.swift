import RepriseEventStore
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

@testable import RepriseObjectGraph

/// What is kept in memory for contexts behind the head, and that they read the same when it is not.
@MainActor
final class VersionWindowTests: XCTestCase {
  func testTheWindowKeepsNoMoreThanItsBudgetHoweverMuchOthersSave() async throws {
    let test = try TestStore(windowBudget: 20_000)
    let reader = RootContext(test.store)
    reader.followsHead = false
    let item = reader.insert(Item(name: "old"))
    try await reader.save()
    let other = RootContext(test.store, isolation: nil)
    for number in 1...200 {
      for _ in 0..<10 { other.insert(Item(name: "new", valueInDollars: number)) }
      try other.object(item.id).name = String(repeating: "x", count: number)
      try await other.save()
      XCTAssertLessThanOrEqual(test.store.window.size, 20_000)
      if number.isMultiple(of: 50) {
        reader.invalidateAll()
        XCTAssertEqual(item.name, "old")
        XCTAssertEqual(try reader.count(Fetch<Item>()), 1)
        XCTAssertEqual(try reader.fetch(Fetch<Item>()).map(\.name), ["old"])
      }
    }
    XCTAssertGreaterThan(test.store.window.count, 0)
    try reader.refresh()
    XCTAssertEqual(item.name.utf8.count, 200)
    XCTAssertEqual(try reader.count(Fetch<Item>()), 2_001)
  }

  func testWhatAnotherProcessSavedIsNeverInMemoryBeyondTheBudget() async throws {
    let test = try TestStore(windowBudget: 20_000)
    let reader = RootContext(test.store)
    reader.followsHead = false
    let item = reader.insert(Item(name: "old"))
    try await reader.save()
    var old = PropertyValue.string("old")
    for number in 1...100 {
      let new = PropertyValue.string(String(repeating: "x", count: 10 * number))
      try test.store.appendAsAnotherProcess([
        (item.id.any, .updated([PropertyChange(slot: 0, old: old, new: new)]))
      ])
      old = new
    }
    reader.invalidateAll()
    XCTAssertEqual(item.name, "old")
    XCTAssertLessThanOrEqual(test.store.window.size, 20_000)
    try reader.refresh()
    XCTAssertEqual(item.name.utf8.count, 1_000)
  }

  func testNoBytesOfASavedTextAreCountedTwiceOrForgotten() async throws {
    let test = try TestStore()
    let reader = RootContext(test.store, isolation: nil)
    let other = RootContext(test.store, isolation: nil)
    let item = other.insert(Item(name: "old"))
    try await other.save()
    item.name = String(repeating: "x", count: 5_000)
    try await other.save()
    XCTAssertGreaterThan(test.store.window.size, 5_000)
    XCTAssertLessThan(test.store.window.size, 7_000)
    try reader.refresh()
    XCTAssertEqual(test.store.window.size, 0)
    XCTAssertEqual(test.store.window.count, 0)
  }

  // MARK: Against a plain model

  private struct Facts: Equatable {
    var name: String
    var dollars: Int
    var owner: Int?
  }

  private typealias World = [Item.ID: Facts]

  private struct Reader {
    let context: RootContext
    var world: World
    var held: [Item]
  }

  func testReadersBehindTheHeadSeeTheirPositionHoweverLittleTheWindowKeeps() async throws {
    let seed = testSeed()
    for budget in [0, 500, 5_000, 1 << 24] {
      var random = SeededGenerator(seed: seed)
      do {
        try await run(budget, &random)
      } catch {
        XCTFail("seed \(seed), budget \(budget): \(error)")
      }
    }
  }

  private func run(_ budget: Int, _ random: inout SeededGenerator) async throws {
    let test = try TestStore(windowBudget: budget)
    let writer = RootContext(test.store, isolation: nil)
    let people = (0..<3).map { writer.insert(Person(name: "\($0)")) }
    try await writer.save()
    var world: World = [:]
    var readers: [Reader] = []
    var deleted: [Item] = []
    for _ in 0..<60 {
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        edit(writer, people, &world, &deleted, &random)
      }
      if Bool.random(using: &random) {
        try await writer.save()
      } else {
        // As another process: this one finds it in the log.
        try test.store.appendAsAnotherProcess(writer.overlay.changes.map { ($0.key, $0.value) })
        writer.discard()
        try writer.refresh()
        deleted = []
      }
      switch Int.random(in: 0..<4, using: &random) {
      case 0 where readers.count < 5:
        let context = RootContext(test.store, isolation: nil)
        let held = try context.fetch(Fetch<Item>()).filter { _ in Bool.random(using: &random) }
        readers.append(Reader(context: context, world: world, held: held))
      case 1 where !readers.isEmpty: readers.remove(at: Int.random(in: 0..<readers.count, using: &random))
      case 2 where !readers.isEmpty:
        let place = Int.random(in: 0..<readers.count, using: &random)
        try readers[place].context.refresh()
        readers[place].world = world
      default: break
      }
      guard test.store.window.size <= budget else { throw Difference(what: "size \(test.store.window.size)") }
      for reader in readers + [Reader(context: writer, world: world, held: [])] { try compare(reader, people) }
    }
  }

  private func edit(
    _ writer: RootContext, _ people: [Person], _ world: inout World, _ deleted: inout [Item],
    _ random: inout SeededGenerator
  ) {
    let id = world.keys.sorted { $0.any < $1.any }.randomElement(using: &random)
    let item = id.flatMap { writer.find($0) }
    switch Int.random(in: 0..<7, using: &random) {
    case 0, 1:
      let new = writer.insert(Item(name: "new", valueInDollars: Int.random(in: 0..<5, using: &random)))
      world[new.id] = Facts(name: "new", dollars: new.valueInDollars, owner: nil)
    case 2:
      guard let item else { return }
      // Long enough for a splice.
      item.name = String(repeating: "long ", count: 300) + "\(Int.random(in: 0..<9, using: &random))"
      world[item.id]?.name = item.name
    case 3:
      guard let item else { return }
      item.valueInDollars = Int.random(in: 0..<5, using: &random)
      world[item.id]?.dollars = item.valueInDollars
    case 4:
      guard let item else { return }
      let owner = Int.random(in: -1..<3, using: &random)
      item.owner = owner < 0 ? nil : writer.find(people[owner].id)
      world[item.id]?.owner = owner < 0 ? nil : owner
    case 5:
      guard let item else { return }
      writer.delete(item)
      world[item.id] = nil
      deleted.append(item)
    default:
      guard let item = deleted.popLast(), world[item.id] == nil else { return }
      writer.insert(item)
      let owner = people.firstIndex { $0.id == item.owner?.id }
      world[item.id] = Facts(name: item.name, dollars: item.valueInDollars, owner: owner)
    }
  }

  private func compare(_ reader: Reader, _ people: [Person]) throws {
    let context = reader.context
    context.invalidateAll()
    func facts(_ item: Item) -> Facts {
      let owner = item.owner
      return Facts(
        name: item.name, dollars: item.valueInDollars, owner: people.firstIndex { $0.id == owner?.id })
    }
    func expect<It: Equatable>(_ found: It, _ expected: It, _ what: String) throws {
      if found != expected { throw Difference(what: "\(what) at \(context.position): \(found), not \(expected)") }
    }
    for item in reader.held {
      if let expected = reader.world[item.id] {
        try expect(facts(item), expected, "a held object")
      } else {
        try expect(item.state, .deleted, "a held object that is gone")
      }
    }
    let all = try context.fetch(Fetch<Item>())
    try expect(Dictionary(uniqueKeysWithValues: all.map { ($0.id, facts($0)) }), reader.world, "all")
    try expect(try context.count(Fetch<Item>()), reader.world.count, "the count")
    let dear = try context.fetch(Fetch<Item> { $0.valueInDollars >= 3 })
    try expect(Set(dear.map(\.id)), Set(reader.world.filter { $0.value.dollars >= 3 }.keys), "those of an index")
    for (number, person) in people.enumerated() {
      let members = try context.object(person.id).items.map(\.id)
      try expect(Set(members), Set(reader.world.filter { $0.value.owner == number }.keys), "the members of \(number)")
    }
    let map = try XCTUnwrap(context.store.map.map(Item.entity.interned))
    let index = try XCTUnwrap(context.projection.index(map, slot: 1))
    let rows = try (0..<index.count()).map { try index.rowKey(at: $0).flatMap { RowKey.uuid($0) } }
    let sorted = reader.world.sorted { ($0.value.dollars, $0.key.any) < ($1.value.dollars, $1.key.any) }
    try expect(rows, sorted.map(\.key.any.uuid), "the rows of an index")
  }

  private struct Difference: Error, CustomStringConvertible {
    let what: String
    var description: String { what }
  }
}
