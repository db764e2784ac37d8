import RepriseEventStore
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseObjectGraph

/// What contexts keep that nobody uses, and who follows the head.
@MainActor
final class IdleContextTests: XCTestCase {
  private var test: TestStore!

  override func setUp() async throws { test = try TestStore() }

  private func saveItems(_ count: Int) async throws {
    let other = RootContext(test.store, isolation: nil)
    for number in 0..<count {
      other.insert(Item(name: "\(number)"))
      try await other.save()
    }
  }

  func testAnIdleBackgroundContextKeepsNothingOfWhatOthersSave() async throws {
    let background = BackgroundContext(test.store)
    try await saveItems(20)
    XCTAssertEqual(test.store.window.count, 0)
    let count = try await background.perform { context in try context.count(Fetch<Item>()) }
    XCTAssertEqual(count, 20, "it reads at the head when it is used again")
    let names = try await background.perform { context in try context.fetch(Fetch<Item>()).map(\.name).count }
    XCTAssertEqual(names, 20)
    try await saveItems(20)
    XCTAssertEqual(test.store.window.count, 0, "nobody holds what it fetched")
  }

  func testAllThatOneUseOfABackgroundContextReadsAnswersForOnePosition() async throws {
    let background = BackgroundContext(test.store)
    let store = test.store
    try await saveItems(3)
    let counts = try await background.perform { context in
      let before = try context.count(Fetch<Item>())
      let other = RootContext(store, isolation: nil)
      other.insert(Item(name: "new"))
      try await other.save()
      return [before, try context.count(Fetch<Item>()), try context.fetch(Fetch<Item>()).count]
    }
    XCTAssertEqual(counts, [3, 3, 3])
    let after = try await background.perform { context in try context.count(Fetch<Item>()) }
    XCTAssertEqual(after, 4)
  }

  func testTwoUsesOfABackgroundContextAtATimeAnswerForOnePosition() async throws {
    let background = BackgroundContext(test.store)
    try await saveItems(1)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let (goOn, letGo) = AsyncStream.makeStream(of: Void.self)
    async let counts = background.perform { context in
      let before = try context.count(Fetch<Item>())
      begin.yield()
      for await _ in goOn { break }
      return [before, try context.count(Fetch<Item>())]
    }
    for await _ in begun { break }
    _ = await background.perform { context in context.hasChanges }
    try await saveItems(1)
    letGo.yield()
    let found = try await counts
    XCTAssertEqual(found, [1, 1])
  }

  func testABackgroundContextWithSomethingUncommittedStaysWhereItIs() async throws {
    let background = BackgroundContext(test.store)
    try await saveItems(1)
    try await background.perform { context in
      for item in try context.fetch(Fetch<Item>()) { item.name = "mine" }
    }
    try await saveItems(2)
    let seen = try await background.perform { context in
      (try context.count(Fetch<Item>()), context.canUndo, context.position)
    }
    XCTAssertEqual(seen.0, 1)
    XCTAssertTrue(seen.1)
    XCTAssertLessThan(seen.2, test.store.log.head)
    await background.perform { context in
      context.undo()
      context.discard()
    }
    let count = try await background.perform { context in try context.count(Fetch<Item>()) }
    XCTAssertEqual(count, 3)
  }

  func testAContextKeepsNoRoomForObjectsThatAreGone() async throws {
    let context = RootContext(test.store)
    var held = (0..<5_000).map { context.insert(Item(name: "\($0)")) }
    let kept = context.insert(Item(name: "kept"))
    XCTAssertGreaterThan(context.instances.size, held.count)
    held = []
    try await context.save()
    XCTAssertLessThan(context.instances.size, 1_000)
    XCTAssertTrue(try context.object(kept.id) === kept)
    do {
      let all = try context.fetch(Fetch<Item>())
      XCTAssertGreaterThan(context.instances.size, all.count)
    }
    try await saveItems(1)
    try context.refresh()
    XCTAssertLessThan(context.instances.size, 1_000)
    XCTAssertTrue(try context.object(kept.id) === kept)
  }

  // MARK: Following

  func testAContextOfNoIsolationDoesNotSayThatItFollows() async throws {
    let context = RootContext(test.store, isolation: nil)
    XCTAssertFalse(context.followsHead)
    try await saveItems(1)
    context.followsHead = true
    XCTAssertFalse(context.followsHead)
    XCTAssertEqual(try context.count(Fetch<Item>()), 0)
    XCTAssertTrue(RootContext(test.store).followsHead)
  }

  func testAContextMadeInAnActorFollowsOrSaysThatItDoesNot() async throws {
    let keeper = Keeper(test.store)
    let later = LateKeeper(test.store)
    await later.begin()
    let head = test.store.log.head
    try await saveItems(1)
    let says = await (keeper.followsHead, later.followsHead)
    XCTAssertEqual(says.0, false)
    XCTAssertEqual(says.1, true)
    for _ in 0..<10_000 where await later.position == head { await Task.yield() }
    let positions = await (keeper.position, later.position)
    XCTAssertEqual(positions.0, head)
    XCTAssertEqual(positions.1, test.store.log.head)
  }
}

private actor Keeper {
  private let context: RootContext
  init(_ store: Store) { context = RootContext(store) }
  var followsHead: Bool { context.followsHead }
  var position: Position { context.position }
}

private actor LateKeeper {
  private let store: Store
  private var context: RootContext?
  init(_ store: Store) { self.store = store }
  func begin() { context = RootContext(store) }
  var followsHead: Bool? { context?.followsHead }
  var position: Position? { context?.position }
}
