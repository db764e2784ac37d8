import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// A past that is wrong by one value is worse than none.
final class PastContextTests: XCTestCase {
  func testWhatWasDeletedAndRenamedSinceIsThere() async throws {
    let opened = try TestStore()
    let context = RootContext(opened.store)
    let ada = context.insert(Person(name: "Ada"))
    let chair = context.insert(Item(name: "Chair"))
    chair.owner = ada
    let then = try await context.save()
    chair.name = "Stool"
    chair.owner = nil
    try await context.save()
    context.delete(ada)
    try await context.save()

    let past = try opened.store.context(at: then)
    XCTAssertEqual(try past.object(chair.id).name, "Chair")
    XCTAssertEqual(try past.object(chair.id).owner?.name, "Ada")
    XCTAssertEqual(try past.object(ada.id).items.map(\.id), [chair.id])
    XCTAssertEqual(try past.fetch(Fetch<Item> { $0.name == "Chair" }).map(\.id), [chair.id])
    XCTAssertEqual(try past.fetch(Fetch<Item> { $0.owner.name == "Ada" }).map(\.id), [chair.id])
    XCTAssertEqual(try past.count(Fetch<Person>()), 1)
    // Nothing of it is in the present, nor is the present in it.
    XCTAssertEqual(chair.name, "Stool")
    XCTAssertEqual(try past.fetch(Fetch<Item> { $0.name == "Stool" }), [])
    XCTAssertEqual(try opened.store.context(at: 0).count(Fetch<Item>()), 0)
    // It stays where it is.
    chair.name = "Bench"
    try await context.save()
    XCTAssertEqual(try past.count(Fetch<Item> { $0.name == "Chair" }), 1)
    XCTAssertEqual(past.position, then)
  }

  func testThereIsNoPastBeyondTheHead() throws {
    let opened = try TestStore()
    let head = opened.store.log.head
    XCTAssertThrowsError(try opened.store.context(at: head + 1)) { error in
      guard case StoreError.otherLog(_, head + 1, head) = error else { return XCTFail("\(error)") }
    }
  }

  /// At every position, in this process and after a kill, however much the window keeps, it reads as it was.
  func testEveryPositionReadsAsItWas() async throws {
    for (round, seed) in testSeeds(3).enumerated() {
      var random = SeededGenerator(seed: seed)
      let opened = try TestStore(
        windowBudget: [nil, 0, 2_000][round % 3], keyframes: Bool.random(using: &random) ? .frequent() : .frequent(7))
      var history: [Position: Moment] = [:]
      let context = RootContext(opened.store, isolation: nil)
      history[opened.store.log.head] = try Moment(context)
      // A context that stays behind keeps the window.
      let behind = Bool.random(using: &random) ? RootContext(opened.store, isolation: nil) : nil
      for _ in 0..<60 {
        try edit(context, &random)
        let position = try await context.save()
        history[position] = try Moment(context)
      }
      for position in history.keys.shuffled(using: &random).prefix(20) {
        let past = try opened.store.context(at: position)
        XCTAssertEqual(try Moment(past), history[position], "at \(position)")
      }
      _ = behind
      try await opened.kill()
      for position in history.keys.sorted() {
        let past = try opened.store.context(at: position)
        XCTAssertEqual(try Moment(past), history[position], "killed, at \(position)")
      }
    }
  }

  private func edit(_ context: RootContext, _ random: inout SeededGenerator) throws {
    let items = try context.fetch(Fetch<Item>())
    let people = try context.fetch(Fetch<Person>())
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1: context.insert(Item(name: "\(Int.random(in: 0..<9, using: &random))"))
      case 2: context.insert(Person(name: "\(Int.random(in: 0..<9, using: &random))"))
      case 3: if let item = items.randomElement(using: &random), item.state == .live { context.delete(item) }
      case 4: if let person = people.randomElement(using: &random), person.state == .live { context.delete(person) }
      case 5:
        guard let item = items.randomElement(using: &random), item.state == .live else { continue }
        item.owner = people.filter { $0.state == .live }.randomElement(using: &random)
      case 6:
        guard let item = items.randomElement(using: &random), item.state == .live else { continue }
        item.name = "\(Int.random(in: 0..<9, using: &random))"
      default:
        guard let item = items.randomElement(using: &random), item.state == .live else { continue }
        item.valueInDollars = Int.random(in: 0..<9, using: &random)
      }
    }
  }
}

/// All that a context reads at one position, by several ways that must agree.
struct Moment: Equatable {
  var items: [Item.ID: Item.Snapshot] = [:]
  var owned: [Person.ID: [Item.ID]] = [:]
  var byName: [Item.ID] = []
  var byValue: [Item.ID] = []
  var cheap: [Item.ID] = []
  var cheapCount = 0
  var named: [Item.ID] = []
  var ofNamedOwner: [Item.ID] = []
  var ranks: [Int?] = []

  init(_ context: ObjectContext) throws {
    for item in try context.fetch(Fetch<Item>()) { items[item.id] = item.snapshot }
    for person in try context.fetch(Fetch<Person>()) { owned[person.id] = person.items.map(\.id).sorted() }
    byName = try context.fetch(Fetch<Item>().sorted { $0.name.ascending }).map(\.id)
    byValue = try context.fetchIDs(Fetch<Item>().sorted { $0.valueInDollars.descending }.limit(7))
    cheap = try context.fetchIDs(Fetch<Item> { $0.valueInDollars < 4 })
    cheapCount = try context.count(Fetch<Item> { $0.valueInDollars < 4 })
    named = try context.fetch(Fetch<Item> { $0.name == "3" }).map(\.id)
    ofNamedOwner = try context.fetchIDs(Fetch<Item> { $0.owner.name == "3" })
    let order = Fetch<Item>().sorted { $0.valueInDollars.ascending }
    ranks = try byName.map { try context.rank(of: $0, in: order) }
  }
}
