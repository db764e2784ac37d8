import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseSystem
import RepriseTestModels
import XCTest

/// Answers of contexts that stay at their position, while another thread saves during the answer.
final class ReadsAmidSavesTests: XCTestCase {
  private typealias Question = (name: String, ask: (ObjectContext) throws -> AnyHashable)

  private struct Shop: Sendable {
    let owners: [Person.ID]
    let items: [Item.ID]
  }

  private enum Situation: CaseIterable {
    case atTheHead, behind, childAtTheHead, childBehind

    var isChild: Bool { self == .childAtTheHead || self == .childBehind }
    var isBehind: Bool { self == .behind || self == .childBehind }
  }

  // MARK: A save at each look at the head

  func testASaveDuringAnAnswerDoesNotChangeIt() async throws {
    let clock = LookingClock()
    let test = try TestStore { $0.clock = clock }
    let shop = try await stocked(RootContext(test.store))
    // As long as the journal of a dead process waits for its checkpoint, each look at the head reads the clock.
    do {
      let editor = try RootContext(test.store, draft: "editor")
      editor.insert(Item(name: "draft"))
      try test.store.journal.flush()
    }
    try await test.kill()
    let store = test.store
    var saves = 0
    for (name, ask) in questions(shop) {
      for situation in Situation.allCases {
        var look = 0
        while true {
          let contexts = try (0..<2).map { _ in try context(of: store, situation, shop) }
          if situation.isBehind { Self.saveElsewhere(store) { try Self.changeFirst(shop, $0) } }
          let expected = try ask(contexts[0])
          clock.run(atLook: look) { Self.saveElsewhere(store) { try Self.changeRest(shop, $0) } }
          let answer = try ask(contexts[1])
          guard clock.hasRun() else { break }
          XCTAssertEqual(answer, expected, "\(name), \(situation), saved at look \(look)")
          saves += 1
          look += 1
        }
      }
    }
    XCTAssertGreaterThan(saves, questions(shop).count, "the clock still is a seam")
  }

  private func stocked(_ context: RootContext) async throws -> Shop {
    let owners = (0..<3).map { context.insert(Person(name: "\($0)", zip: $0)) }
    let items = (0..<12).map { number in
      let item = context.insert(Item(name: "\(number % 4)", valueInDollars: number))
      item.weight = -Double(number)
      item.owner = owners[number % 3]
      return item
    }
    try await context.save()
    return Shop(owners: owners.map(\.id), items: items.map(\.id))
  }

  private func context(of store: Store, _ situation: Situation, _ shop: Shop) throws -> EditingContext {
    let root = RootContext(store, followsHead: false)
    guard situation.isChild else { return root }
    let child = root.makeChild()
    let items = try child.fetch(Fetch<Item>().sorted { $0.valueInDollars })
    child.delete(items[1])
    items[2].valueInDollars = 8
    items[3].owner = try child.object(shop.owners[0])
    return child
  }

  private static func saveElsewhere(
    _ store: Store, _ edit: @escaping @Sendable (RootContext) throws -> Void
  ) {
    let isDone = WakeUp()
    let isStarted = SystemThread.start {
      defer { isDone.wake() }
      do {
        let context = RootContext(store)
        try edit(context)
        try context.saveAndWait()
      } catch {
        XCTFail("\(error)")
      }
    }
    guard isStarted else { return XCTFail("no thread") }
    isDone.wait(until: nil)
  }

  private static func changeFirst(_ shop: Shop, _ context: RootContext) throws {
    try change(context.object(shop.items[0]), shop, context)
  }

  /// Changes every other item, replaces two, and moves the owners' zips.
  private static func changeRest(_ shop: Shop, _ context: RootContext) throws {
    let items = try context.fetch(Fetch<Item>()).dropFirst()
    for item in items.prefix(2) { context.delete(item) }
    for item in items.dropFirst(2) { try change(item, shop, context) }
    for value in [1, 10] {
      let item = context.insert(Item(name: "new", valueInDollars: value))
      item.owner = try context.object(shop.owners[value % 3])
    }
    for owner in try context.fetch(Fetch<Person>()) { owner.zip = (owner.zip + 1) % 3 }
  }

  private static func change(_ item: Item, _ shop: Shop, _ context: RootContext) throws {
    let owner = shop.owners.firstIndex { $0 == item.owner?.id } ?? 0
    item.owner = try context.object(shop.owners[(owner + 1) % 3])
    item.name = item.name == "1" ? "2" : "1"
    item.valueInDollars = 11 - item.valueInDollars
  }

  private func questions(_ shop: Shop) -> [Question] {
    let (owners, items) = (shop.owners, shop.items)
    let all = Fetch<Item>()
    let byValue = all.sorted { $0.valueInDollars }
    let byName = all.grouped { $0.name }
    return [
      ("count", { AnyHashable(try $0.count(all)) }),
      ("count of a range", { AnyHashable(try $0.count(Fetch<Item> { $0.valueInDollars < 6 })) }),
      ("count without an index", { AnyHashable(try $0.count(Fetch<Item> { $0.weight < -5 })) }),
      ("count of an owner", { AnyHashable(try $0.count(Fetch<Item> { $0.owner == owners[0] })) }),
      ("count of owners", { AnyHashable(try $0.count(Fetch<Item> { $0.owner.isIn([owners[0], owners[1]]) })) }),
      ("count behind a to-one", { AnyHashable(try $0.count(Fetch<Item> { $0.owner.zip == 1 })) }),
      (
        "count behind a to-many",
        { AnyHashable(try $0.count(Fetch<Person> { $0.items.any { $0.valueInDollars < 2 } })) }
      ),
      ("exists", { AnyHashable(try $0.exists(Fetch<Item> { $0.valueInDollars == 7 })) }),
      ("first", { AnyHashable(try $0.first(Fetch<Item> { $0.name == "1" })?.id) }),
      ("n-th", { AnyHashable(try $0.fetchIDs(byValue.limit(1, offset: 5))) }),
      ("rank", { AnyHashable(try $0.rank(of: items[0], in: byValue)) }),
      ("values", { AnyHashable(try $0.fetch(byValue).map { [$0.name, "\($0.valueInDollars)"] }) }),
      (
        "a range in another order",
        { AnyHashable(try $0.fetchIDs(Fetch<Item> { $0.valueInDollars < 6 }.sorted { $0.weight })) }
      ),
      ("order by a to-one", { AnyHashable(try $0.fetchIDs(all.sorted { $0.owner.zip }.limit(3))) }),
      ("sum", { AnyHashable(try $0.aggregate(all) { $0.valueInDollars.sum }) }),
      ("number", { AnyHashable(try $0.aggregate(Fetch<Item> { $0.owner == owners[1] }) { $0.objectCount }) }),
      ("least", { AnyHashable(try $0.aggregate(all) { $0.valueInDollars.minimum }) }),
      ("different", { AnyHashable(try $0.aggregate(all) { $0.valueInDollars.distinctCount }) }),
      ("distinct", { AnyHashable(try $0.distinct(all) { $0.valueInDollars }) }),
      ("groups", { AnyHashable(try $0.fetch(byName).map { [$0.key ?? "", "\($0.count)"] }) }),
      ("members", { AnyHashable(try $0.object(owners[0]).items.map(\.id)) }),
    ]
  }

  // MARK: Saves beside the answers

  /// Each save inserts the item whose value is the number of saves before it.
  func testCountsAmidSavesBelongToThePosition() async throws {
    let test = try TestStore()
    let store = test.store
    let start = store.log.head
    let isDone = Flag()
    let saves = Task.detached {
      try await SystemThread.run { () throws in
        let context = RootContext(store, followsHead: false)
        var number = 0
        while !isDone.isSet {
          context.insert(Item(name: "new", valueInDollars: number))
          try context.saveAndWait()
          number += 1
        }
      }
    }
    var skew: String?
    for round in 0..<4000 where skew == nil {
      let root = RootContext(store, followsHead: false)
      skew = try Self.skew(root, after: start)
      if skew == nil, round % 8 == 0 { skew = try Self.skew(root.makeChild(), after: start) }
      // Now it is behind the head.
      if skew == nil, round % 8 == 0 { skew = try Self.skew(root, after: start) }
      if skew == nil, round % 64 == 0 {
        skew = try await Self.skew(inTheBackgroundOf: store, after: start)
      }
    }
    isDone.set()
    try await saves.value
    XCTAssertNil(skew)
  }

  private static func skew(inTheBackgroundOf store: Store, after start: Position) async throws -> String? {
    try await BackgroundContext(store).perform { context in try skew(context, after: start) }
  }

  /// How the answers differ from the answers for the context's position. `nil` if they do not.
  private static func skew(_ context: ObjectContext, after start: Position) throws -> String? {
    let saved = start.distance(to: context.position)
    let all = Fetch<Item>()
    let byValue = all.sorted { $0.valueInDollars }
    let count = try context.count(all)
    let low = try context.count(Fetch<Item> { $0.valueInDollars < saved + 1 })
    let exists = try context.exists(Fetch<Item> { $0.valueInDollars >= saved })
    let greatest = try context.aggregate(all) { $0.valueInDollars.maximum }
    let last = try context.fetchIDs(byValue.limit(2, offset: max(0, saved - 1)))
    let rank = try last.first.flatMap { try context.rank(of: $0, in: byValue) }
    let end = saved == 0 ? nil : saved - 1
    let isRight =
      count == saved && low == saved && !exists && greatest == end && last.count == min(1, saved) && rank == end
    if isRight { return nil }
    return "after \(saved) saves: \(count), \(low), \(exists), \(String(describing: greatest)), \(last), "
      + String(describing: rank)
  }
}

/// Runs a body at one of the times that the journal reads the clock.
private final class LookingClock: JournalClock {
  private struct State {
    var left: Int?
    var body: (@Sendable () -> Void)?
  }

  private let state = Guarded(State())
  private let work = WakeUp()

  func run(atLook look: Int, _ body: @escaping @Sendable () -> Void) {
    state.withLock { $0 = State(left: look, body: body) }
  }

  /// Whether the body has run. Otherwise it never will.
  func hasRun() -> Bool {
    state.withLock { state in
      defer { state = State() }
      return state.body == nil
    }
  }

  func now() -> UInt64 {
    let body = state.withLock { state -> (@Sendable () -> Void)? in
      guard let left = state.left else { return nil }
      state.left = left == 0 ? nil : left - 1
      if left > 0 { return nil }
      defer { state.body = nil }
      return state.body
    }
    body?()
    return 0
  }

  func wallTime() -> UInt64 { 1_790_000_000_000_000 }
  func start(_ body: @escaping @Sendable () -> Void) -> Bool { SystemThread.start(body) }
  func afterTurn(_ body: @escaping @Sendable () -> Void) {}
  func wait(until deadline: UInt64?) { work.wait(until: nil) }
  func wake() { work.wake() }
  func detach(_ body: @escaping @Sendable () -> Void) { if !SystemThread.start(body) { body() } }
}

private final class Flag: Sendable {
  private let state = Guarded(false)
  var isSet: Bool { state.withLock { $0 } }
  func set() { state.withLock { $0 = true } }
}
