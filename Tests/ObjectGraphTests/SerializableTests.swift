import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// What one has made sure of, another must not break by changing something else.
final class SerializableTests: XCTestCase {
  private var test: TestStore!

  override func setUpWithError() throws { test = try TestStore() }

  private func context(isSerializable: Bool = true) -> RootContext {
    let context = RootContext(test.store, isolation: nil)
    context.isSerializable = isSerializable
    return context
  }

  nonisolated(nonsending) private func overtaken(_ context: RootContext) async -> [AnyObjectID]? {
    do {
      try await context.save()
      return nil
    } catch SaveError.overtaken(let objects) {
      return objects
    } catch {
      XCTFail("\(error)")
      return nil
    }
  }

  nonisolated(nonsending) private func made(_ values: Int...) async throws -> [Item.ID] {
    let context = RootContext(test.store, isolation: nil)
    let items = values.map { context.insert(Item(name: "\($0)", valueInDollars: $0)) }
    try await context.save()
    return items.map(\.id)
  }

  /// Two make sure that another one stays, and each takes its own away.
  func testWriteSkewIsRefusedWhereThatIsAskedFor() async throws {
    for isSerializable in [false, true] {
      let ids = try await made(1, 1)
      let both = (context(isSerializable: isSerializable), context(isSerializable: isSerializable))
      for (context, own) in [(both.0, 0), (both.1, 1)] {
        XCTAssertEqual(try context.object(ids[1 - own]).valueInDollars, 1)
        try context.object(ids[own]).valueInDollars = 0
      }
      try await both.0.save()
      let second = await overtaken(both.1)
      XCTAssertEqual(second, isSerializable ? [ids[0].any] : nil)
      // Decided anew, with what the other has done.
      if isSerializable {
        both.1.discard()
        try both.1.refresh()
        XCTAssertEqual(try both.1.object(ids[0]).valueInDollars, 0)
        try both.1.object(ids[1]).name = "on call"
        try await both.1.save()
      }
    }
  }

  func testWhatAFetchWouldFindBesidesIsNoticedAndWhatItWouldNotIsNot() async throws {
    _ = try await made(1, 5, 9)
    let questions: [(ObjectContext) throws -> Void] = [
      { _ = try $0.count(Fetch<Item> { $0.valueInDollars > 4 }) },
      { _ = try $0.fetch(Fetch<Item> { $0.valueInDollars > 4 }) },
      { _ = try $0.fetchIDs(Fetch<Item> { $0.valueInDollars > 4 }) },
      { _ = try $0.exists(Fetch<Item> { $0.valueInDollars > 100 }) },
      { _ = try $0.fetchValues(Fetch<Item> { $0.valueInDollars > 4 }, { $0.name }) },
      { _ = try $0.aggregate(Fetch<Item> { $0.valueInDollars > 4 }) { $0.valueInDollars.sum } },
    ]
    for (number, ask) in questions.enumerated() {
      for value in [1, 1_000] {
        let reader = context()
        try ask(reader)
        reader.insert(Item(name: "decided"))
        let others = try await made(value)
        let isOvertaken = await overtaken(reader) != nil
        // An aggregate is overtaken by any save.
        XCTAssertEqual(isOvertaken, value == 1_000 || number == 5, "question \(number), value \(value)")
        let cleaner = RootContext(test.store, isolation: nil)
        for id in others { cleaner.delete(try cleaner.object(id)) }
        try await cleaner.save()
      }
    }
  }

  func testMembersAndLookUpsOfWhatIsNotThereAreRead() async throws {
    let maker = RootContext(test.store, isolation: nil)
    let ada = maker.insert(Person(name: "Ada"))
    let chair = maker.insert(Item(name: "Chair"))
    try await maker.save()
    let reader = context()
    XCTAssertEqual(try reader.object(ada.id).items.count, 0)
    reader.insert(Item(name: "decided"))
    chair.owner = ada
    try await maker.save()
    let byMembers = await overtaken(reader)
    XCTAssertNotNil(byMembers)

    let seeker = context()
    let later = AnyObjectID(Item.entity.interned, UniqueID())
    XCTAssertThrowsError(try seeker.object(later))
    seeker.insert(Item(name: "decided"))
    try test.store.appendAsAnotherProcess([(later, .inserted(Item.entity.defaults))])
    let byAbsence = await overtaken(seeker)
    XCTAssertEqual(byAbsence, [later])
  }

  /// A context that follows the head has moved past what overtook it.
  @MainActor func testWhatWasReadBeforeTheContextFollowedCounts() async throws {
    let ids = try await made(1, 2)
    let reader = RootContext(test.store)
    reader.isSerializable = true
    XCTAssertEqual(try reader.count(Fetch<Item> { $0.valueInDollars > 1 }), 1)
    let other = RootContext(test.store, isolation: nil)
    for value in 2...40 {
      try other.object(ids[0]).valueInDollars = value
      try await other.save()
    }
    while reader.position < test.store.log.head { await Task.yield() }
    reader.insert(Item(name: "decided"))
    let isOvertaken = await overtaken(reader) != nil
    XCTAssertTrue(isOvertaken)
  }

  func testAChildReadsForItsRoot() async throws {
    let ids = try await made(1, 2)
    let root = context()
    let child = root.makeChild()
    _ = try child.object(ids[0]).name
    try child.object(ids[1]).name = "decided"
    try child.save()
    let other = RootContext(test.store, isolation: nil)
    try other.object(ids[0]).name = "changed"
    try await other.save()
    let objects = await overtaken(root)
    XCTAssertEqual(objects, [ids[0].any])
  }

  /// Each inserts what the count says: in any serial order there is each number once.
  func testManyAtOnceDoAsOneAfterTheOther() async throws {
    let store = try XCTUnwrap(test.store)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<24 {
        group.addTask {
          try await store.write("Count", attempts: 1_000, isSerializable: true) { context in
            let count = try context.count(Fetch<Item>())
            await Task.yield()
            context.insert(Item(name: "item", valueInDollars: count))
          }
        }
      }
      try await group.waitForAll()
    }
    let values = try RootContext(store, isolation: nil).fetch(Fetch<Item>()).map(\.valueInDollars)
    XCTAssertEqual(values.sorted(), Array(0..<24))
  }
}
