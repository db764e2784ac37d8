import RepriseLMDB
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseEventStore
@testable import RepriseObjectGraph

@MainActor
final class SavingTests: XCTestCase {
  /// Lets other jobs of the main actor run until something holds.
  private func wait(_ what: String, until isDone: () throws -> Bool) async throws {
    for _ in 0..<2000 {
      if try isDone() { return }
      try await Task.sleep(nanoseconds: 1_000_000)
    }
    XCTFail("waited in vain: \(what)")
  }

  private func savedItem(_ context: RootContext) async throws -> Item {
    let item = context.insert(Item(name: "one"))
    try await context.save()
    return item
  }

  func testAHeadThatMovedDuringASaveIsNotMissed() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let item = try await savedItem(context)
    item.name = "mine"
    let release = test.store.holdWriter()
    let save = Task { try await context.save() }
    try await wait("the save") { context.changes.isEmpty }
    try test.store.appendAsAnotherProcess([
      (item.id.any, .updated([PropertyChange(slot: 0, old: .string("one"), new: .string("theirs"))]))
    ])
    // The news comes, and is passed over.
    _ = try test.store.refreshedHead()
    try await Task.sleep(nanoseconds: 20_000_000)
    release()
    do {
      _ = try await save.value
      XCTFail("no conflict")
    } catch SaveError.refused {}
    XCTAssertEqual(context.position, test.store.log.head)
  }

  func testARefusedSaveDoesNotHideWhatAnotherProcessSavesNext() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let item = try await savedItem(context)
    func saveElsewhere(_ old: String, _ new: String) throws {
      try test.store.appendAsAnotherProcess([
        (item.id.any, .updated([PropertyChange(slot: 0, old: .string(old), new: .string(new))]))
      ])
    }
    item.name = "mine"
    try saveElsewhere("one", "two")
    do {
      try await context.save()
      XCTFail("no conflict")
    } catch SaveError.refused {}
    context.discard()
    try saveElsewhere("two", "three")
    try context.refresh()
    item.name = "four"
    let position = try await context.save()
    XCTAssertEqual(position, 5, "after the schema's and three others")
    XCTAssertTrue(try StoreMaintenance.verifyNow(test.store).isSound)
  }

  func testASaveThatComesBeforeTheFlushSharesTheCommitAndIsCheckedOnItsOwn() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let item = try await savedItem(context)
    let commits = try test.store.lastCommit()
    func renaming(_ old: String, _ new: String) -> SaveRequest {
      SaveRequest(
        base: context.position,
        changes: [(item.id.any, .updated([PropertyChange(slot: 0, old: .string(old), new: .string(new))]))])
    }
    var requests = [renaming("one", "two")]
    var late = [[renaming("one", "three")], [renaming("two", "four")]]
    let results = try test.store.writer.append(&requests, to: test.store) { late.isEmpty ? [] : late.removeFirst() }
    XCTAssertEqual(results.map { try? $0.get().position }, [3, nil, 4])
    guard case .failure(.error(.refused(let refusal))) = results[1], !refusal.conflicts.isEmpty else {
      return XCTFail("\(results[1])")
    }
    XCTAssertEqual(try test.store.lastCommit(), commits + 1)
    XCTAssertTrue(try StoreMaintenance.verifyNow(test.store).isSound)
    try context.refresh()
    XCTAssertEqual(item.name, "four")
  }

  func testASaveSeesNewObjectsOfALargeSaveInItsGroup() async throws {
    let test = try TestStore()
    let ids = (0..<40).map { _ in AnyObjectID(Item.entity.interned, UniqueID()) }
    func values(_ number: Int) -> ContiguousArray<PropertyValue> {
      var values = Item.entity.defaults
      // Some take several rows, and some have a row for the text alone.
      values[0] = .string(String(repeating: "x", count: [1, 1_900, 1_930, 5_000, 20_000][number % 5]))
      values[1] = .int(Int64(number))
      return values
    }
    let base = test.store.log.head
    let first = SaveRequest(base: base, changes: ids.indices.map { (ids[$0], .inserted(values($0))) })
    let edits = ids.indices.map { place in
      let change = PropertyChange(slot: 1, old: .int(Int64(place)), new: .int(Int64(100 + place)))
      return (object: ids[place], change: ObjectChange.updated([change]))
    }
    var requests = [first, SaveRequest(base: base, changes: edits)]
    let results = try test.store.writer.append(&requests, to: test.store) { [] }
    XCTAssertEqual(results.map { try? $0.get().position }, [base + 1, base + 2])
    let context = RootContext(test.store)
    for (place, id) in ids.enumerated() {
      let item = try XCTUnwrap(try context.object(id) as? Item)
      XCTAssertEqual(.string(item.name), values(place)[0], "\(place)")
      XCTAssertEqual(item.valueInDollars, 100 + place)
    }
    XCTAssertTrue(try StoreMaintenance.verifyNow(test.store).isSound)
  }

  func testALargeSaveRestoresDeletedObjects() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let items = (0..<20).map { context.insert(Item(name: "\($0)")) }
    try await context.save()
    for item in items { context.delete(item) }
    try await context.save()
    for (place, item) in items.enumerated() {
      context.insert(item)
      context.insert(Item(name: "new \(place)"))
    }
    try await context.save()
    XCTAssertEqual(try RootContext(test.store).count(Fetch<Item>()), 40)
    XCTAssertTrue(try StoreMaintenance.verifyNow(test.store).isSound)
  }

  func testSavesThatKeepComingDoNotHoldUpACommitForEver() async throws {
    let test = try TestStore()
    let item = try await savedItem(RootContext(test.store))
    let same = PropertyChange(slot: 0, old: .string("one"), new: .string("one"))
    let request = SaveRequest(base: test.store.log.head, changes: [(item.id.any, .updated([same]))])
    var requests = [request]
    var joined = 0
    _ = try test.store.writer.append(&requests, to: test.store) {
      joined += 1
      return joined < 100_000 ? [request] : []
    }
    XCTAssertLessThan(joined, 100_000)
  }

  func testAnObjectThatARefreshFoundSavedIsNoLongerInserted() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let item = context.insert(Item(name: "one"))
    let before = test.store.log.head
    let release = test.store.holdWriter()
    let save = Task { try await context.save() }
    try await wait("the save") { context.changes.isEmpty }
    release()
    // The commit is done, and this turn has not ended: the context has not heard of it.
    while test.store.log.head == before { usleep(1000) }
    try context.refresh()
    XCTAssertEqual(item.name, "one")
    _ = try await save.value
    XCTAssertEqual(item.state, .live)
  }

  func testDiscardDuringASaveLeavesWhatIsBeingSavedInTheDraft() async throws {
    let test = try TestStore()
    let id: Item.ID
    do {
      let root = try RootContext(test.store, draft: "root")
      root.followsHead = false
      let item = try await savedItem(root)
      id = item.id
      let other = RootContext(test.store)
      try other.object(id).name = "theirs"
      try await other.save()
      item.name = "mine"
      let release = test.store.holdWriter()
      let save = Task { try await root.save() }
      try await wait("the save") { root.changes.isEmpty }
      item.name = "mine, and more"
      root.discard()
      XCTAssertEqual(item.name, "mine")
      release()
      do {
        _ = try await save.value
        XCTFail("no conflict")
      } catch SaveError.refused {}
      XCTAssertEqual(item.name, "mine")
      try test.store.journal.flush()
    }
    try await test.kill()
    XCTAssertEqual(try RootContext(test.store, draft: "root").object(id).name, "mine")
  }

  func testAssigningToAnObjectWhoseDeletionIsBeingSavedIsIgnored() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let item = try await savedItem(context)
    context.delete(item)
    let release = test.store.holdWriter()
    let save = Task { try await context.save() }
    try await wait("the save") { context.changes.isEmpty }
    item.name = "two"
    release()
    _ = try await save.value
    XCTAssertFalse(context.hasChanges)
  }

  func testASaveThatWasAcceptedIsDoneBeforeTheStoreCloses() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let item = context.insert(Item(name: "one"))
    let release = test.store.holdWriter()
    let save = Task { try await context.save() }
    try await wait("the save") { context.changes.isEmpty }
    // Handed over to the writer from another thread.
    try await Task.sleep(nanoseconds: 50_000_000)
    let close = Task { try await test.store.close() }
    try await wait("the close") { test.store.isClosed }
    release()
    _ = try await save.value
    try await close.value
    try test.open()
    XCTAssertEqual(try RootContext(test.store).object(item.id).name, "one")
  }

  func testSavesThatWaitShareACommitAndARefusedOneLeavesNoGap() async throws {
    let test = try TestStore()
    let item = try await savedItem(RootContext(test.store))
    let head = test.store.log.head
    let contexts = (0..<3).map { _ in RootContext(test.store) }
    for context in contexts { context.followsHead = false }
    try contexts[0].object(item.id).name = "first"
    try contexts[1].object(item.id).name = "in conflict with the first"
    contexts[2].insert(Item(name: "third"))
    let commits = try test.store.lastCommit()
    let release = test.store.holdWriter()
    var saves: [Task<Position?, Never>] = []
    for context in contexts {
      saves.append(Task { try? await context.save() })
      try await wait("the save") { context.changes.isEmpty }
    }
    // Handed over to the writer from another thread.
    try await Task.sleep(nanoseconds: 50_000_000)
    release()
    var positions: [Position?] = []
    for save in saves { positions.append(await save.value) }
    XCTAssertEqual(positions, [head + 1, nil, head + 2])
    XCTAssertEqual(try test.store.lastCommit(), commits + 1)
  }

  func testASaveThatMeetsADamagedRecordDoesNotTakeItsGroupDown() async throws {
    let test = try TestStore()
    let first = RootContext(test.store)
    let items = ["damaged", "sound"].map { first.insert(Item(name: $0)) }
    let head = try await first.save()
    let contexts = [RootContext(test.store), RootContext(test.store)]
    for (context, item) in zip(contexts, items) { try context.object(item.id).name = "edited" }
    let map = try XCTUnwrap(test.store.map.map(Item.entity.interned))
    let key = CollectionOfOne(ObjectKey(entity: map.number, uuid: items[0].id.uuid))
    try test.store.environment.write { (transaction) throws(StorageError) in
      try transaction.put(test.store.tables.objects, key: key.span.bytes, value: [1, 2, 3].span.bytes)
    }
    let release = test.store.holdWriter()
    var saves: [Task<Position?, Never>] = []
    for context in contexts {
      saves.append(Task { try? await context.save() })
      try await wait("the save") { context.changes.isEmpty }
    }
    try await Task.sleep(nanoseconds: 50_000_000)
    release()
    let damaged = await saves[0].value
    let sound = await saves[1].value
    XCTAssertNil(damaged)
    XCTAssertEqual(sound, head + 1)
  }

  func testASaveInAForkedChildIsRefusedAndDoesNotWaitForThreadsThatAreNotThere() async throws {
    let test = try TestStore()
    let item = try await savedItem(RootContext(test.store))
    let context = RootContext(test.store)
    try context.object(item.id).name = "two"
    typealias Fork = @convention(c) () -> pid_t
    let symbol = try XCTUnwrap(dlsym(dlopen(nil, RTLD_NOW), "fork"))
    let child = unsafeBitCast(symbol, to: Fork.self)()
    if child == 0 {
      do {
        try await context.save()
        _exit(1)
      } catch {
        if case SaveError.store(.forked) = error { _exit(0) } else { _exit(2) }
      }
    }
    var status: Int32 = -1
    for _ in 0..<500 where waitpid(child, &status, WNOHANG) == 0 { usleep(10_000) }
    if status == -1 { kill(child, SIGKILL) }
    XCTAssertEqual(status, 0, "what the child exited with; -1 if it hung")
    try await context.save()
  }

  func testAForkedChildThatClosesTheStoreOrWaitsBetweenCommitsGetsAnError() async throws {
    let test = try TestStore()
    _ = try await savedItem(RootContext(test.store))
    typealias Fork = @convention(c) () -> pid_t
    let symbol = try XCTUnwrap(dlsym(dlopen(nil, RTLD_NOW), "fork"))
    let child = unsafeBitCast(symbol, to: Fork.self)()
    if child == 0 {
      var errors = 0
      do throws(StoreError) {
        try await test.store.writer.perform(in: test.store) {}
      } catch {
        if case .forked = error { errors += 1 }
      }
      do {
        try await test.store.close()
      } catch {
        if case StoreError.forked = error { errors += 1 }
      }
      _exit(errors == 2 ? 0 : 1)
    }
    var status: Int32 = -1
    for _ in 0..<500 where waitpid(child, &status, WNOHANG) == 0 { usleep(10_000) }
    if status == -1 { kill(child, SIGKILL) }
    XCTAssertEqual(status, 0, "what the child exited with; -1 if it hung")
    try await test.store.close()
  }

  func testSavesAreCommittedInTheOrderInWhichTheyWereAskedFor() async throws {
    for round in 0..<50 {
      // The first saves of a store overtook each other most often.
      let test = try TestStore()
      let contexts = [RootContext(test.store), RootContext(test.store)]
      var saves: [Task<Position, any Error>] = []
      for (place, context) in contexts.enumerated() {
        context.insert(Item(name: "\(round).\(place)"))
        saves.append(Task { try await context.save("\(place)") })
        // A save has begun when its changes are no longer among the uncommitted ones.
        while !context.changes.isEmpty { await Task.yield() }
      }
      let positions = [try await saves[0].value, try await saves[1].value]
      XCTAssertLessThan(positions[0], positions[1], "round \(round)")
    }
  }

  func testASaveOfTooMuchIsRefusedAndMayBeMadeSmaller() async throws {
    let test = try TestStore()
    let values = Person.entity.defaults
    let changes = (0...SaveRequest.limit).map { _ in
      (object: AnyObjectID(Person.entity.interned, UniqueID()), change: ObjectChange.inserted(values))
    }
    let result = await test.store.save(SaveRequest(base: test.store.log.head, changes: changes))
    guard case .failure(.error(.tooLarge(events: 100_001, limit: 100_000))) = result else {
      return XCTFail("\(result)")
    }

    let context = RootContext(test.store)
    let item = context.insert(Item(name: String(repeating: "x", count: ChunkedRows.maximumSize)))
    do {
      try await context.save()
      XCTFail("saved")
    } catch {
      guard case SaveError.tooLong(limit: ChunkedRows.maximumSize) = error else { return XCTFail("\(error)") }
    }
    item.name = "short"
    try await context.save()
    XCTAssertEqual(try context.count(Fetch<Item>()), 1)
    XCTAssertEqual(try context.count(Fetch<Person>()), 0)
  }

  func testASaveIntoADeletedStoreIsRefusedAndWhatIsThereCanStillBeRead() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let item = try await savedItem(context)
    let name = item.name
    item.name = "later"
    XCTAssertEqual(unlink(test.path + "/data.mdb"), 0)
    do {
      try await context.save()
      XCTFail("saved")
    } catch {
      guard case SaveError.store(.deleted(path: test.path, file: .data)) = error else {
        return XCTFail("\(error)")
      }
    }
    XCTAssertEqual(item.name, "later")
    XCTAssertEqual(try RootContext(test.store).object(item.id).name, name)
  }

  func testARefreshAndAFeedNoticeAnotherFileAtThePath() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let item = try await savedItem(context)
    let (name, path) = (item.name, test.path + "/data.mdb")
    try FileManager.default.copyItem(atPath: path, toPath: path + ".other")
    XCTAssertEqual(rename(path, path + ".aside"), 0)
    try context.refresh()
    XCTAssertEqual(rename(path + ".other", path), 0)
    XCTAssertThrowsError(try context.refresh()) { error in
      guard case StoreError.deleted(path: test.path, file: .data) = error else { return XCTFail("\(error)") }
    }
    var feed = test.store.log.feed(after: try test.store.log.headToken()).makeAsyncIterator()
    do {
      _ = try await feed.next()
      XCTFail("fed")
    } catch {
      guard case StoreError.deleted(path: test.path, file: .data) = error else { return XCTFail("\(error)") }
    }
    XCTAssertEqual(try RootContext(test.store).object(item.id).name, name)
  }

  func testAnOlderSnapshotDoesNotBringBackAnOlderSchema() async throws {
    let test = try TestStore()
    let older = test.store.map
    var stored = older.stored
    stored.revision += 1
    let newer = SchemaMap(older.schema, stored)
    test.store.learn(newer)
    test.store.learn(older)
    XCTAssertTrue(test.store.map === newer)
  }

  func testANewContextSeesWhatAnotherProcessSaved() async throws {
    let test = try TestStore()
    let item = try await savedItem(RootContext(test.store))
    try test.store.appendAsAnotherProcess([
      (item.id.any, .updated([PropertyChange(slot: 0, old: .string("one"), new: .string("two"))]))
    ])
    XCTAssertEqual(try RootContext(test.store).object(item.id).name, "two")
  }
}
