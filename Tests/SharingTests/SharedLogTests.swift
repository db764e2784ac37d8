import RepriseEventStore
import RepriseLog
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseSharing
import RepriseTesting
import RepriseTestModels
import XCTest

/// Servers that save into one shared log.
@MainActor
final class SharedLogTests: XCTestCase {
  private static let schema = Schema(Parcel.self, Depot.self, Guest.self, Hotel.self)

  func testASaveOfOneServerReachesTheOther() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one")
    let two = try await servers.open("two", from: one)
    let context = RootContext(one.store)
    let depot = context.insert(Depot("Harbour"))
    try await context.save("Add")
    try await servers.wait(for: two, toReach: one)
    let other = RootContext(two.store)
    XCTAssertEqual(try other.fetch(Fetch<Depot>()).map(\.name), ["Harbour"])
    try other.fetch(Fetch<Depot>())[0].name = "Port"
    try await other.save("Rename")
    try await servers.wait(for: one, toReach: two)
    try context.refresh()
    XCTAssertEqual(depot.name, "Port")
    try await servers.end(one, two)
  }

  func testASaveWhoseAnswerIsLostIsMadeOnce() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one")
    let two = try await servers.open("two", from: one)
    for answer in [MemoryLogConnection.LostAnswer.afterAppending, .beforeAppending, .whileConnecting] {
      one.connection.loseNextAnswer(answer)
      one.connection.loseNextAnswer(answer)
      let context = RootContext(one.store)
      context.insert(Depot("\(answer)"))
      try await context.save()
    }
    XCTAssertEqual(try servers.packets(one).count, 4)
    try await servers.wait(for: two, toReach: one)
    XCTAssertEqual(try RootContext(two.store).count(Fetch<Depot>()), 3)
    try await servers.end(one, two)
  }

  func testServersThatSaveAtOnceLoseNothing() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one")
    let all = [one, try await servers.open("two", from: one), try await servers.open("three", from: one)]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for server in all {
        let (store, name) = (server.store, server.name)
        for number in 0..<40 {
          group.addTask {
            try await store.write { context in _ = context.insert(Depot("\(name) \(number)")) }
          }
        }
      }
      try await group.waitForAll()
    }
    for server in all.dropFirst() { try await servers.wait(for: server, toReach: one) }
    for server in all { try await servers.wait(for: one, toReach: server) }
    for server in all { XCTAssertEqual(try RootContext(server.store).count(Fetch<Depot>()), 120, server.name) }
    try await servers.end(all)
  }

  func testASaveMeetsTheSavesOfOtherServers() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one")
    let two = try await servers.open("two", from: one)
    let (left, right) = (RootContext(one.store), RootContext(two.store))
    let guest = left.insert(Guest("Ada", "Love", age: 10))
    left.insert(Parcel("a")).code = 7
    try await left.save()
    try await servers.wait(for: two, toReach: one)
    try right.refresh()
    let same = try XCTUnwrap(right.fetch(Fetch<Guest>()).first)
    // Counters add up, and no two objects have one unique value.
    guest.age = 11
    same.age = 15
    try await left.save()
    try await right.save()
    XCTAssertEqual(same.age, 16)
    right.insert(Parcel("b")).code = 7
    do {
      try await right.save()
      XCTFail("The code is taken.")
    } catch SaveError.refused(let refusal) {
      XCTAssertEqual(refusal.violations.count, 1)
    }
    right.discard()
    try await servers.wait(for: one, toReach: two)
    // A name that both change is a conflict.
    try left.refresh()
    guest.last = "Byron"
    same.last = "King"
    try await left.save()
    do {
      try await right.save(merging: .error)
      XCTFail("Both changed the name.")
    } catch SaveError.refused(let refusal) {
      XCTAssertEqual(refusal.conflicts.count, 1)
    }
    try await servers.end(one, two)
  }

  func testASerializableSaveNoticesAnotherServer() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one")
    let two = try await servers.open("two", from: one)
    let (left, right) = (RootContext(one.store), RootContext(two.store))
    right.isSerializable = true
    XCTAssertEqual(try right.count(Fetch<Depot>()), 0)
    left.insert(Depot("first"))
    try await left.save()
    right.insert(Depot("only"))
    do {
      try await right.save()
      XCTFail("There is a depot now.")
    } catch SaveError.overtaken {}
    try await servers.end(one, two)
  }

  func testManySavesBecomeFewPackets() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one")
    let store = one.store
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<700 {
        group.addTask { try await store.write { context in _ = context.insert(Depot("\(number)")) } }
      }
      try await group.waitForAll()
    }
    XCTAssertEqual(try RootContext(store).count(Fetch<Depot>()), 700)
    let packets = try servers.packets(one)
    XCTAssertLessThan(packets.count, 300)
    XCTAssertGreaterThanOrEqual(packets.count, 3, "A packet has at most 256 transactions.")
    try await servers.end(one)
  }

  // MARK: Without the shared log

  func testWithoutTheSharedLogOnlySavesFail() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one", patience: 50_000_000)
    let context = try RootContext(one.store, draft: "desk")
    context.insert(Depot("Harbour"))
    try await context.save()
    one.connection.isConnected = false
    let depot = context.insert(Depot("Port"))
    do {
      try await context.save()
      XCTFail("The shared log cannot be reached.")
    } catch SaveError.unavailable(let reason) {
      XCTAssertTrue(reason.contains("Disconnected"), reason)
    }
    XCTAssertEqual(try context.count(Fetch<Depot>()), 2)
    context.undo()
    XCTAssertEqual(try context.count(Fetch<Depot>()), 1)
    context.redo()
    try await one.store.flush()
    one.connection.isConnected = true
    try await servers.save(context)
    XCTAssertEqual(depot.name, "Port")
    XCTAssertEqual(try servers.packets(one).count, 3)
    try await servers.end(one)
  }

  func testAnUndecidedSaveIsFoundLater() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one", patience: 50_000_000)
    let two = try await servers.open("two", from: one)
    let context = RootContext(one.store)
    context.insert(Depot("Harbour"))
    one.connection.loseNextAnswer(.afterAppending)
    one.connection.disconnectsAfterLostAnswer = true
    var transaction: UniqueID?
    do {
      try await context.save()
      XCTFail("Nobody knows the outcome.")
    } catch SaveError.outcomeUnknown(let id) {
      transaction = id
    }
    context.discard()
    let id = try XCTUnwrap(transaction)
    one.connection.isConnected = true
    try await servers.wait(for: two, toReach: one)
    while try await one.store.log.position(ofTransaction: id) == nil {
      try await Task.sleep(for: .milliseconds(1))
    }
    XCTAssertEqual(try RootContext(one.store).count(Fetch<Depot>()), 1)
    XCTAssertEqual(try servers.packets(one).count, 2)
    try await servers.end(one, two)
  }

  func testAStoreOpensWithoutTheSharedLog() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one")
    let context = RootContext(one.store)
    context.insert(Depot("Harbour"))
    try await context.save()
    try await servers.end(one)
    let again = try await servers.open("one") { $0.isConnected = false }
    XCTAssertEqual(try RootContext(again.store).count(Fetch<Depot>()), 1)
    try await servers.end(again)
  }

  // MARK: Kills

  /// The shared log has the save of the draft "desk", and the server is killed before it knows.
  private func saveADraftAndDie() async throws -> (SharedStores, head: Position) {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one", patience: 50_000_000)
    let context = try RootContext(one.store, draft: "desk")
    context.insert(Depot("Harbour"))
    try await one.store.flush()
    one.connection.loseNextAnswer(.afterAppending)
    one.connection.disconnectsAfterLostAnswer = true
    do {
      try await context.save()
      XCTFail("The process ends before it knows the outcome.")
    } catch SaveError.outcomeUnknown {}
    let head = try one.store.refreshedHead()
    await one.store.abandon()
    return (servers, head)
  }

  func testADraftDoesNotComeBackAfterItsSave() async throws {
    let (servers, head) = try await saveADraftAndDie()
    let again = try await servers.open("one")
    while try again.store.refreshedHead() == head { try await Task.sleep(for: .milliseconds(1)) }
    let resumed = try RootContext(again.store, draft: "desk")
    XCTAssertFalse(resumed.hasChanges)
    XCTAssertEqual(try resumed.count(Fetch<Depot>()), 1)
    try await servers.end(again)
  }

  /// The packet would end edits that the context has already, and the context would conflict with its save.
  func testADraftIsResumedAfterThePacketThatSavedIt() async throws {
    let (servers, _) = try await saveADraftAndDie()
    let again = try await servers.open("one")
    let resumed = try RootContext(again.store, draft: "desk")
    XCTAssertFalse(resumed.hasChanges)
    XCTAssertEqual(try resumed.count(Fetch<Depot>()), 1)
    try await servers.end(again)
  }

  func testADraftDoesNotWaitForASharedLogThatIsAway() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one")
    let context = try RootContext(one.store, draft: "desk")
    context.insert(Depot("Harbour"))
    try await one.store.flush()
    await one.store.abandon()
    let again = try await servers.open("one") { $0.isConnected = false }
    XCTAssertTrue(try RootContext(again.store, draft: "desk").hasChanges)
    try await servers.end(again)
  }

  // MARK: The log of other servers

  func testALogThatWasSetBackIsNoticed() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one")
    let context = RootContext(one.store)
    for name in ["a", "b", "c"] {
      context.insert(Depot(name))
      try await context.save()
    }
    servers.log.forget(after: 1)
    context.insert(Depot("d"))
    do {
      try await context.save()
      XCTFail("The log lost two packets.")
    } catch SaveError.store(.sharing(_, SharedLogError.rolledBack)) {}
    guard case .rolledBack? = one.sharing.status.failure else { return XCTFail("\(one.sharing.status)") }
    XCTAssertEqual(try context.count(Fetch<Depot>()), 4)
    await one.store.abandon()
    // Also by a process that begins.
    let again = try await servers.open("one")
    try await servers.waitForFailure(of: again, .rolledBack)
    try await servers.end(again)
  }

  func testAnotherEpochIsNoticed() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one")
    servers.log.raiseEpoch()
    one.sharing.lookForPackets()
    try await servers.waitForFailure(of: one, .rolledBack)
    try await servers.end(one)
  }

  func testReleasedPacketsAreNoticed() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one")
    let two = try await servers.open("two", from: one)
    try await servers.end(two)
    let context = RootContext(one.store)
    for name in ["a", "b"] {
      context.insert(Depot(name))
      try await context.save()
    }
    servers.log.release(one.store.logID, upTo: try Replica(one.store).place())
    let again = try await servers.open("two")
    try await servers.waitForFailure(of: again, .released)
    // A new seed has what is missing.
    let three = try await servers.open("three", from: one)
    XCTAssertEqual(try RootContext(three.store).count(Fetch<Depot>()), 2)
    try await servers.end(one, again, three)
  }

  func testEqualCopiesOfAStoreBothBeginTheLog() async throws {
    let servers = try SharedStores(Self.schema)
    let store = try Store.openNow(servers.path("one"), for: Self.schema, SharedStores.options(nil))
    for name in ["two", "three"] { try await StoreMaintenance.backup(store, to: servers.path(name)) }
    try await store.close()
    let one = try await servers.open("one")
    let two = try await servers.open("two")
    let context = RootContext(one.store)
    context.insert(Depot("a"))
    try await context.save()
    let three = try await servers.open("three")
    for server in [two, three] {
      try await servers.wait(for: server, toReach: one)
      XCTAssertEqual(try RootContext(server.store).count(Fetch<Depot>()), 1)
      XCTAssertEqual(try StoreMaintenance.verifyNow(server.store).problems, [], server.name)
    }
    XCTAssertEqual(Set(try [one, two, three].map { try Replica($0.store).sharedPlace()?.copy }).count, 3)
    try await servers.end(one, two, three)
  }

  func testAStoreWithOtherSavesCannotBeginTheLog() async throws {
    let servers = try SharedStores(Self.schema)
    let store = try Store.openNow(servers.path("one"), for: Self.schema, SharedStores.options(nil))
    try await StoreMaintenance.backup(store, to: servers.path("two"))
    try await store.close()
    let one = try await servers.open("one")
    let other = try Store.openNow(servers.path("two"), for: Self.schema, SharedStores.options(nil))
    let context = RootContext(other)
    context.insert(Depot("a"))
    try await context.save()
    try await other.close()
    do {
      _ = try await servers.open("two")
      XCTFail("The log began with other transactions.")
    } catch StoreError.sharing(_, SharedLogError.exists) {}
    // The refused store is as before.
    let alone = try Store.openNow(servers.path("two"), for: Self.schema, SharedStores.options(nil))
    XCTAssertEqual(try RootContext(alone).count(Fetch<Depot>()), 1)
    try await alone.close()
    try await servers.end(one)
  }

  func testACopyThatComesAfterAReleaseNeedsASeed() async throws {
    let servers = try SharedStores(Self.schema)
    let store = try Store.openNow(servers.path("one"), for: Self.schema, SharedStores.options(nil))
    try await StoreMaintenance.backup(store, to: servers.path("two"))
    try await store.close()
    let one = try await servers.open("one")
    try await one.sharing.release(upTo: try XCTUnwrap(one.sharing.status.place))
    do {
      _ = try await servers.open("two")
      XCTFail("The shared log has lost its first packet.")
    } catch StoreError.sharing(_, SharedLogError.exists) {}
    try await servers.end(one)
  }

  // MARK: Programs

  func testAStoreThatSharesItsLogIsRefusedWithoutIt() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one")
    try await servers.end(one)
    XCTAssertThrowsError(try Store.openNow(servers.path("one"), for: Self.schema, SharedStores.options(nil))) { error in
      guard case StoreError.sharesLog(_) = error else { return XCTFail("\(error)") }
    }
  }

  func testARunningProgramStopsWhenItsStoreIsShared() async throws {
    let servers = try SharedStores(Self.schema)
    let store = try Store.openNow(servers.path("one"), for: Self.schema, SharedStores.options(nil))
    let context = RootContext(store)
    context.insert(Depot("a"))
    try await context.save()
    // Another process opens the store to share it.
    try Replica(store).beginAlone()
    // A third process may have found the store unshared, too.
    try Replica(store).beginAlone()
    context.insert(Depot("b"))
    do {
      try await context.save()
      XCTFail("This program does not share the store.")
    } catch SaveError.store(.sharesLog(_)) {}
    XCTAssertThrowsError(try context.refresh())
    await store.abandon()
  }

  func testAdditionsToTheModelsReachAllServers() async throws {
    let servers = try SharedStores(Schema(PlainParcel.self, PlainDepot.self))
    let one = try await servers.open("one")
    let two = try await servers.open("two", from: one)
    let context = RootContext(one.store)
    for number in 0..<30 { context.insert(PlainParcel("parcel \(number)", rank: number % 7)) }
    try await context.save()
    try await servers.end(one)
    let again = try await servers.open("one", for: Self.schema)
    try await servers.wait(for: two, toReach: again)
    let old = RootContext(two.store)
    try old.fetch(Fetch<PlainParcel>())[0].rank = 70
    try await old.save()
    try await servers.wait(for: again, toReach: two)
    XCTAssertEqual(try RootContext(again.store).fetch(Fetch<Parcel>()).filter { $0.rank == 70 }.count, 1)
    try await servers.end(two)
    let packets = try servers.packets(again).count
    let second = try await servers.open("two", for: Self.schema)
    XCTAssertEqual(try servers.packets(again).count, packets, "The schema has the additions.")
    XCTAssertEqual(try RootContext(second.store).fetch(Fetch<Parcel>()).filter { $0.rank == 70 }.count, 1)
    for server in [again, second] {
      XCTAssertEqual(try StoreMaintenance.verifyNow(server.store).problems, [], server.name)
    }
    try await servers.end(again, second)
  }

  func testFeedsAndProjectionsFollowOtherServers() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one")
    let two = try await servers.open("two", from: one)
    try await two.store.log.install(Saves())
    var feed = two.store.log.feed(after: try await two.store.log.headToken()).makeAsyncIterator()
    let context = RootContext(one.store, author: "ada")
    for name in ["a", "b", "c"] {
      context.insert(Depot(name))
      try await context.save("Add \(name)")
    }
    for name in ["a", "b", "c"] {
      let next = try await feed.next()
      XCTAssertEqual(next?.name, "Add \(name)")
      XCTAssertEqual(next?.author, "ada")
    }
    XCTAssertEqual(try StoreMaintenance.verifyNow(two.store).problems, [])
    try await servers.end(one, two)
  }
}

/// The number of saves by each author.
private struct Saves: LogProjection {
  let name = "saves"
  let version = 1

  func apply(_ transaction: LoggedTransaction, to rows: inout ProjectionRows) {
    rows[number: [.string(transaction.author ?? "")]] += 1
  }
}
