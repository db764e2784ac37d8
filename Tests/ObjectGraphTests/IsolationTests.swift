import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseSharing
import RepriseTestModels
import XCTest

/// The anomalies that isolation levels are told apart by, one by one; Docs/Guarantees.md says which of them can happen.
@MainActor
class IsolationTests: XCTestCase {
  private var test: TestStore?

  /// Whether the two contexts are on two servers.
  var isShared: Bool { false }

  override func tearDown() async throws { if isShared { try await test?.requireAgreement() } }

  fileprivate func makeStore() async throws -> TestStore {
    let test = try await TestStore.make(isShared: isShared)
    self.test = test
    return test
  }

  /// Saves, and lets both servers follow.
  @discardableResult private func save(_ context: RootContext) async throws -> Position {
    let position = try await context.save()
    try await test?.followAll()
    return position
  }

  /// Two contexts that stay where they are, over two saved items.
  fileprivate func twoContexts(
    _ test: TestStore
  ) async throws -> (mine: RootContext, theirs: RootContext, ids: (first: Item.ID, second: Item.ID)) {
    let (mine, theirs) = (RootContext(test.store), RootContext(test.storeOfOther))
    mine.followsHead = false
    theirs.followsHead = false
    let first = mine.insert(Item(name: "first", valueInDollars: 1))
    let second = mine.insert(Item(name: "second", valueInDollars: 1))
    try await save(mine)
    try theirs.refresh()
    return (mine, theirs, (first.id, second.id))
  }

  fileprivate func conflicts(_ body: () async throws -> Void) async throws -> [Conflict.Kind] {
    do {
      try await body()
      return []
    } catch SaveError.refused(let refusal) {
      return refusal.conflicts.map(\.kind)
    }
  }

  // MARK: What cannot happen

  /// Dirty write: of two saves that each change two objects, both are from one of them.
  func testSavesAreNeverMixed() async throws {
    let test = try await makeStore()
    let (mine, theirs, ids) = try await twoContexts(test)
    for (context, name) in [(mine, "mine"), (theirs, "theirs")] {
      try context.object(ids.first).name = name
      try context.object(ids.second).name = name
    }
    try await save(theirs)
    let found = try await conflicts { try await save(mine) }
    XCTAssertEqual(found, [.attribute("name"), .attribute("name")])
    let reader = RootContext(test.store)
    XCTAssertEqual([try reader.object(ids.first).name, try reader.object(ids.second).name], ["theirs", "theirs"])
  }

  /// Dirty read, of what is not saved yet and of what never will be.
  func testNobodyReadsWhatIsNotSavedOrWasRefused() async throws {
    let test = try await makeStore()
    let (mine, theirs, ids) = try await twoContexts(test)
    try mine.object(ids.first).name = "pending"
    XCTAssertEqual(try RootContext(test.store).object(ids.first).name, "first")
    try theirs.object(ids.first).name = "saved"
    try await save(theirs)
    let found = try await conflicts { try await save(mine) }
    XCTAssertEqual(found, [.attribute("name")])
    XCTAssertEqual(try RootContext(test.store).object(ids.first).name, "saved")
  }

  /// Intermediate read.
  func testNobodyReadsHalfOfASave() async throws {
    let test = try await makeStore()
    let (mine, theirs, ids) = try await twoContexts(test)
    try mine.object(ids.first).name = "on the way"
    try mine.object(ids.first).name = "new"
    try mine.object(ids.second).name = "new"
    try await save(mine)
    let changes = try XCTUnwrap(
      try test.storeOfOther.objects.changed(after: theirs.position, upTo: mine.position))
    XCTAssertEqual(mine.position, theirs.position + 1)
    XCTAssertEqual(Set(changes), [ids.first.any, ids.second.any])
    XCTAssertEqual(
      [try theirs.object(ids.first).name, try theirs.object(ids.second).name], ["first", "second"],
      "all of it after the refresh, nothing before")
    try theirs.refresh()
    XCTAssertEqual([try theirs.object(ids.first).name, try theirs.object(ids.second).name], ["new", "new"])
  }

  /// Non-repeatable read and read skew.
  func testReadsOfOnePositionFitTogetherWheneverTheyAreMade() async throws {
    let test = try await makeStore()
    let (mine, theirs, ids) = try await twoContexts(test)
    XCTAssertEqual(try mine.object(ids.first).valueInDollars, 1)
    try theirs.object(ids.first).valueInDollars -= 1
    try theirs.object(ids.second).valueInDollars += 1
    try await save(theirs)
    // Read for the first time, after the other save.
    XCTAssertEqual(try mine.object(ids.second).valueInDollars, 1)
    XCTAssertEqual(try mine.object(ids.first).valueInDollars, 1)
  }

  /// Phantoms.
  func testAFetchFindsTheSameWhateverOthersInsertOrDelete() async throws {
    let test = try await makeStore()
    let (mine, theirs, ids) = try await twoContexts(test)
    theirs.delete(try theirs.object(ids.first))
    theirs.insert(Item(name: "third", valueInDollars: 1))
    try await save(theirs)
    let cheap = Fetch<Item> { $0.valueInDollars == 1 }
    XCTAssertEqual(try mine.fetch(cheap).map(\.id), [ids.first, ids.second])
    XCTAssertEqual(try mine.count(cheap), 2)
  }

  /// Lost update: what rests on a value that has changed meanwhile is refused.
  func testAnUpdateOfWhatOthersUpdatedIsNeverLost() async throws {
    let test = try await makeStore()
    let (mine, theirs, ids) = try await twoContexts(test)
    try theirs.object(ids.first).valueInDollars += 10
    try mine.object(ids.first).valueInDollars += 5
    try await save(theirs)
    let found = try await conflicts { try await save(mine) }
    XCTAssertEqual(found, [.attribute("valueInDollars")])
  }

  /// Of two who add one, both have the same number to save, and one addition more than the log would have.
  func testTwoWhoAddTheSameToANumberAreInConflict() async throws {
    let test = try await makeStore()
    let (mine, theirs, ids) = try await twoContexts(test)
    for context in [mine, theirs] {
      try context.object(ids.first).valueInDollars += 1
      try context.object(ids.first).weight = 2
    }
    try await save(theirs)
    XCTAssertEqual(try mine.conflicts().map(\.kind), [.attribute("valueInDollars"), .attribute("weight")])
    let conflict = try XCTUnwrap(mine.conflicts().first)
    XCTAssertEqual([conflict.base, conflict.mine, conflict.theirs], [.int(1), .int(2), .int(2)])
    let found = try await conflicts { try await save(mine) }
    XCTAssertEqual(found, [.attribute("valueInDollars"), .attribute("weight")])
    for conflict in try mine.conflicts() { try mine.resolve(conflict, with: conflict.theirs) }
    XCTAssertFalse(mine.hasChanges)
  }

  func testAChildAndItsParentWhoAddTheSameAreInConflict() async throws {
    let test = try await makeStore()
    let (mine, _, ids) = try await twoContexts(test)
    let child = mine.makeChild()
    try child.object(ids.first).valueInDollars += 1
    try mine.object(ids.first).valueInDollars += 1
    XCTAssertEqual(try child.conflicts().map(\.kind), [.attribute("valueInDollars")])
    XCTAssertThrowsError(try child.save())
  }

  /// Whoever is refused reads anew and adds again.
  func testOfAdditionsAtTheSameTimeNoneVanishes() async throws {
    let test = try await makeStore()
    let (_, _, ids) = try await twoContexts(test)
    let stores = [test.store, test.storeOfOther]
    await withTaskGroup { group in
      for number in 0..<8 {
        group.addTask {
          let context = BackgroundContext(stores[number % 2])
          for _ in 0..<50 {
            await context.perform { context in
              for _ in 0..<10_000 {
                do {
                  try context.refresh()
                  try context.object(ids.first).valueInDollars += 1
                  try await context.save()
                  return
                } catch {
                  context.discard()
                }
              }
            }
          }
        }
      }
    }
    try await test.followAll()
    XCTAssertEqual(try RootContext(test.store).object(ids.first).valueInDollars, 401)
  }

  /// One account, from which two move the same amount, each into an account of their own.
  func testMoneyThatIsMovedByTwoAtTheSameTimeIsNotMade() async throws {
    let test = try await makeStore()
    let (mine, theirs, ids) = try await twoContexts(test)
    for (context, name) in [(theirs, "theirs"), (mine, "mine")] {
      try context.object(ids.first).valueInDollars -= 1
      context.insert(Item(name: name, valueInDollars: 1))
    }
    try await save(theirs)
    let found = try await conflicts { try await save(mine) }
    XCTAssertEqual(found, [.attribute("valueInDollars")])
    let all = try RootContext(test.store).fetch(Fetch<Item>())
    XCTAssertEqual(all.map(\.valueInDollars).reduce(0, +), 2)
  }

  // MARK: What can happen

  /// Two who put the same text, truth value, date or reference in place agree: nothing of either is missing afterwards.
  func testEqualValuesThatAreNoNumbersAgree() async throws {
    let test = try await makeStore()
    let (mine, theirs, ids) = try await twoContexts(test)
    for context in [mine, theirs] {
      try context.object(ids.first).name = "same"
      try context.object(ids.first).isInsured = true
      try context.object(ids.second).photo = [1, 2]
    }
    try await save(theirs)
    let position = try await save(mine)
    XCTAssertEqual(position, theirs.position, "nothing is left to save")
  }

  /// Write skew: each rests on what the other changes, and neither changes what the other does.
  func testWriteSkewIsNotNoticed() async throws {
    let test = try await makeStore()
    let (mine, theirs, ids) = try await twoContexts(test)
    try mine.object(ids.first).isInsured = true
    try mine.object(ids.second).isInsured = true
    try await save(mine)
    try theirs.refresh()
    // One of the two is to stay insured, and each sees that the other one is.
    XCTAssertTrue(try mine.object(ids.second).isInsured)
    try mine.object(ids.first).isInsured = false
    XCTAssertTrue(try theirs.object(ids.first).isInsured)
    try theirs.object(ids.second).isInsured = false
    try await save(theirs)
    try await save(mine)
    let reader = RootContext(test.store)
    XCTAssertEqual([try reader.object(ids.first).isInsured, try reader.object(ids.second).isInsured], [false, false])
  }

  /// The same with a condition: neither has changed what the other found, and both have inserted what it would find.
  func testWriteSkewOfAConditionIsNotNoticed() async throws {
    let test = try await makeStore()
    let (mine, theirs, _) = try await twoContexts(test)
    let dear = Fetch<Item> { $0.valueInDollars > 100 }
    for context in [mine, theirs] where try context.count(dear) == 0 {
      context.insert(Item(name: "the only dear one", valueInDollars: 200))
    }
    try await save(theirs)
    try await save(mine)
    XCTAssertEqual(try RootContext(test.store).count(dear), 2)
  }
}

/// The same on two servers that share a log.
final class SharedIsolationTests: IsolationTests {
  override var isShared: Bool { true }

  func testALaggingServerLosesNoUpdate() async throws {
    let test = try await makeStore()
    let (mine, theirs, ids) = try await twoContexts(test)
    let connection = try XCTUnwrap(test.server?.connection)
    connection.isConnected = false
    try theirs.object(ids.first).valueInDollars += 10
    try mine.object(ids.first).valueInDollars += 5
    try await theirs.save()
    let saving = Task { try await conflicts { try await mine.save() } }
    while test.store.sharing?.status.waiting == 0 { try await Task.sleep(for: .milliseconds(1)) }
    connection.isConnected = true
    let found = try await saving.value
    XCTAssertEqual(found, [.attribute("valueInDollars")])
  }
}
