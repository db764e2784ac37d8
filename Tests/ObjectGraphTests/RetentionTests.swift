import Foundation
import RepriseObjectGraph
import RepriseQuery
import RepriseSystem
import RepriseTestModels
import XCTest

@testable import RepriseEventStore
@testable import RepriseLMDB
@testable import RepriseObjectModel

/// Dropping the beginning of a log.
final class RetentionTests: XCTestCase {
  private func failure(_ body: () async throws -> Void) async -> (any Error)? {
    do {
      try await body()
      return nil
    } catch {
      return error
    }
  }

  private func assertTruncated(
    _ floor: Position, line: UInt = #line, _ body: () async throws -> Void
  ) async {
    var error = await failure(body)
    if case RevertError.store(let inner)? = error { error = inner }
    guard case StoreError.truncated(_, _, floor)? = error else {
      return XCTFail("\(String(describing: error))", line: line)
    }
  }

  /// A store with an item that was renamed so many times, one that was never touched again, and one that was deleted.
  private func renamed(_ times: Int, in opened: TestStore) async throws -> (item: Item.ID, old: Item.ID, gone: Item.ID)
  {
    let context = RootContext(opened.store, author: "Ada", isolation: nil)
    let item = context.insert(Item(name: "0"))
    let old = context.insert(Item(name: "old", valueInDollars: 3))
    let gone = context.insert(Item(name: "gone"))
    try await context.save("Add")
    context.delete(gone)
    try await context.save("Delete")
    for number in 1...times {
      item.name = "\(number)"
      try await context.save("Rename")
    }
    return (item.id, old.id, gone.id)
  }

  func testWhatIsBeforeTheFloorIsRefusedAndAllElseIsExact() async throws {
    let opened = try TestStore()
    let ids = try await renamed(20, in: opened)
    let store = opened.store
    let (head, hash) = (store.log.head, try store.log.headToken())
    let floor = head - 4
    for reopening in [false, true] {
      if reopening {
        try await opened.store.close()
        try opened.open()
      } else {
        try await dropAll(upTo: floor, in: opened)
      }
      let store = opened.store
      XCTAssertEqual(try store.log.firstPosition, floor)
      XCTAssertEqual(store.log.head, head)
      XCTAssertEqual(try StoreMaintenance.verifyNow(store, against: hash).problems, [])
      for position in floor - 1...head {
        let past = try store.context(at: position)
        XCTAssertEqual(try past.object(ids.item).name, "\(position.number - 3)")
        XCTAssertEqual(try past.object(ids.old).name, "old")
        XCTAssertEqual(try past.fetch(Fetch<Item> { $0.name == "old" }).map(\.id), [ids.old])
        XCTAssertEqual(try past.count(Fetch<Item>()), 2)
      }
      await assertTruncated(floor) { _ = try store.context(at: floor - 2) }
      await assertTruncated(floor) { _ = try store.log.difference(from: 2, to: head) }
      await assertTruncated(floor) { _ = try store.log.transactions(after: floor - 2) }
      await assertTruncated(floor) { _ = try store.log.transaction(at: floor - 1) }
      await assertTruncated(floor) { _ = try store.log.position(atMicroseconds: 1) }
      await assertTruncated(floor) { for try await _ in store.log.feed(after: nil) {} }
      await assertTruncated(floor) {
        try RootContext(store, author: "Ada", isolation: nil).revert(transactionAt: floor - 1)
      }
      XCTAssertEqual(try store.log.transactions(after: floor - 1).map(\.position), Array(floor...head))
      XCTAssertEqual(try store.log.difference(from: floor - 1, to: head).changes.count, 1)
      XCTAssertEqual(try store.log.history(of: ids.item.any).map(\.position), (floor...head).reversed())
      XCTAssertEqual(try store.log.history(of: ids.old.any), [])
      XCTAssertEqual(try store.log.undoable(by: "Ada").map(\.position), (floor...head).reversed())
      let time = try XCTUnwrap(store.log.transaction(at: floor + 1)).microseconds
      XCTAssertEqual(try store.log.position(atMicroseconds: time), floor + 1)
      XCTAssertNil(try store.log.hash(at: floor - 2))
      XCTAssertNotNil(try store.log.hash(at: floor - 1))
    }
  }

  private func dropAll(upTo floor: Position, in opened: TestStore) async throws {
    let steps = Guarded<[Double]>([])
    let report = try await opened.store.log.retain(.from(floor)) { done in steps.withLock { $0.append(done) } }
    let told = steps.withLock { $0 }
    XCTAssertEqual(told.last, 1)
    XCTAssertEqual(told, told.sorted())
    XCTAssertEqual(report.firstPosition, floor)
    XCTAssertEqual(report.blockedBy, [])
    let frames = try opened.store.environment.read { (transaction) throws(StorageError) in
      try opened.store.files.log.firstPosition(transaction.view)
    }
    XCTAssertEqual(frames, floor)
    XCTAssertTrue(try opened.store.cleaning.isClean(opened.store))
    // What was deleted before has left nothing, either.
    let objects = try opened.store.environment.read { (transaction) throws(StorageError) in
      try transaction.view.entryCount(opened.store.tables.objects)
    }
    XCTAssertEqual(objects, 2)
  }

  func testUndoEndsAtTheFloorAndRedoGoesOn() async throws {
    let opened = try TestStore()
    let ids = try await renamed(5, in: opened)
    let context = RootContext(opened.store, author: "Ada", isolation: nil)
    context.undoesSaves = true
    context.undo()
    XCTAssertEqual(try context.object(ids.item).name, "4")
    try await context.save()
    try await opened.store.log.retain(.last(1))
    try await opened.store.close()
    try opened.open()
    let later = RootContext(opened.store, author: "Ada", isolation: nil)
    later.undoesSaves = true
    XCTAssertFalse(later.canUndo)
    later.undo()
    XCTAssertFalse(later.hasChanges)
    XCTAssertEqual(try opened.store.log.redoable(by: "Ada").count, 1)
    later.redo()
    XCTAssertEqual(try later.object(ids.item).name, "5")
    try await later.save()
    XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
  }

  func testByNumberAndByAgeAtLeastThatMuchStays() async throws {
    let opened = try TestStore()
    _ = try await renamed(10, in: opened)
    let head = opened.store.log.head
    let all = try await opened.store.log.retain(.younger(than: .seconds(3_600)))
    XCTAssertEqual(all, RetentionReport(firstPosition: 1, droppedTransactions: 0, blockedBy: []))
    let half = try await opened.store.log.retain(.last(5))
    XCTAssertEqual(half.firstPosition, head - 4)
    XCTAssertEqual(half.droppedTransactions, Int(head.number) - 5)
    let less = try await opened.store.log.retain(.from(2))
    XCTAssertEqual(less.firstPosition, head - 4)
    let one = try await opened.store.log.retain(.younger(than: .zero))
    XCTAssertEqual(one.firstPosition, head)
    do {
      _ = try await opened.store.log.retain(.from(head + 100))
      XCTFail("a position that the log does not have")
    } catch StoreError.otherLog(_, head + 100, head) {}
    XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
  }

  func testAContextHoldsItsPositionAndWhatComesAfterIt() async throws {
    let opened = try TestStore()
    let ids = try await renamed(10, in: opened)
    let head = opened.store.log.head
    var past: PastContext? = try opened.store.context(at: 7)
    let held = try await opened.store.log.retain(.last(1))
    XCTAssertEqual(held.firstPosition, 8)
    XCTAssertEqual(held.blockedBy, [.context(7)])
    XCTAssertEqual(try past?.object(ids.item).name, "4")
    past = nil
    let free = try await opened.store.log.retain(.last(1))
    XCTAssertEqual(free, RetentionReport(firstPosition: head, droppedTransactions: Int(head.number) - 8, blockedBy: []))
  }

  func testAContextThatFollowsTheHeadHoldsNothing() async throws {
    let opened = try TestStore()
    let context = RootContext(opened.store, isolation: nil)
    let item = context.insert(Item(name: ""))
    for number in 0..<200 {
      item.name = "\(number)"
      try await context.save()
    }
    let report = try await opened.store.log.retain(.last(3))
    XCTAssertEqual(report.firstPosition, opened.store.log.head - 2)
    item.name = "on"
    try await context.save()
    XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
  }

  /// How many items each name has.
  private struct Names: LogProjection {
    let name = "names"
    var version = 1

    func apply(_ transaction: LoggedTransaction, to rows: inout ProjectionRows) throws {
      for change in transaction.changes {
        guard case .value(_, let to)? = change["name"], case .string(let name) = to else { continue }
        rows[number: [.string(name)]] += 1
      }
    }
  }

  func testAProjectionHoldsWhatItHasNotTakenUp() async throws {
    let opened = try TestStore()
    _ = try await renamed(10, in: opened)
    try await opened.store.log.install(Names())
    try await opened.store.log.waitForProjections()
    try await opened.store.close()
    try opened.open()
    // A program without the projection.
    let context = RootContext(opened.store, isolation: nil)
    let mark = opened.store.log.head
    for number in 0..<5 {
      context.insert(Item(name: "late \(number)"))
      try await context.save()
    }
    let report = try await opened.store.log.retain(.last(1))
    XCTAssertEqual(report.firstPosition, mark + 1)
    XCTAssertEqual(report.blockedBy, [.projection(name: "names", mark)])
    try await opened.store.log.install(Names())
    try await opened.store.log.waitForProjections()
    XCTAssertEqual(try context.number(of: Names(), at: [.string("late 3")]), 1)
    XCTAssertEqual(try context.number(of: Names(), at: [.string("3")]), 1)
    let free = try await opened.store.log.retain(.last(1))
    XCTAssertEqual(free.firstPosition, opened.store.log.head)
    XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
    context.insert(Item(name: "later"))
    try await context.save()
    XCTAssertEqual(try context.number(of: Names(), at: [.string("later")]), 1)
    try await opened.store.close()
    try opened.open()
    // What a new version needs is gone: it says so, and saves go on.
    try await opened.store.log.install(Names(version: 2))
    let error = await failure { try await opened.store.log.waitForProjections() }
    guard case ProjectionError.failed(name: "names", at: 1, reason: let reason)? = error else {
      return XCTFail("\(String(describing: error))")
    }
    XCTAssertEqual(
      reason,
      "`retain` deleted all transactions before transaction \(free.firstPosition), so the rows of a new projection or "
        + "version can no longer be computed from this log. Keep the former version, or do not install the projection")
    let writer = RootContext(opened.store, isolation: nil)
    writer.insert(Item(name: "on"))
    try await writer.save()
    XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
  }

  /// Its rows would be those of a part of the log.
  func testAProjectionThatIsNewAboveAFloorSaysSoAndTakesNothingUp() async throws {
    let opened = try TestStore()
    _ = try await renamed(10, in: opened)
    try await opened.store.log.retain(.last(2))
    try await opened.store.log.install(Names())
    let error = await failure { try await opened.store.log.waitForProjections() }
    guard case ProjectionError.failed(name: "names", at: 1, reason: let reason)? = error else {
      return XCTFail("\(String(describing: error))")
    }
    let first = try opened.store.log.firstPosition
    XCTAssertEqual(
      reason,
      "`retain` deleted all transactions before transaction \(first), so the rows of a new projection or version can "
        + "no longer be computed from this log. Keep the former version, or do not install the projection")
    let context = RootContext(opened.store, isolation: nil)
    context.insert(Item(name: "on"))
    try await context.save()
    XCTAssertThrowsError(try context.number(of: Names(), at: [.string("on")]))
    XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
  }

  func testADraftHoldsNothingAndIsResumed() async throws {
    let opened = try TestStore()
    let ids = try await renamed(3, in: opened)
    var desk: RootContext? = try RootContext(opened.store, author: "Bob", draft: "desk", isolation: nil)
    try desk?.object(ids.old).name = "typed"
    try await opened.store.flush()
    desk = nil
    let writer = RootContext(opened.store, isolation: nil)
    for number in 0..<20 {
      try writer.object(ids.item).name = "more \(number)"
      try await writer.save()
    }
    try await opened.store.close()
    try opened.open()
    let report = try await opened.store.log.retain(.last(1))
    XCTAssertEqual(report.firstPosition, opened.store.log.head)
    let again = try RootContext(opened.store, author: "Bob", draft: "desk", isolation: nil)
    XCTAssertEqual(try again.object(ids.old).name, "typed")
    try await again.save()
    XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
  }

  func testWhatASliceLeftIsRemovedByTheNextOpening() async throws {
    let opened = try TestStore(cleaningDelay: 0)
    let ids = try await renamed(30, in: opened)
    let floor = opened.store.log.head - 2
    let task = Task { [store = opened.store] in
      // Cancelled as soon as the floor has moved.
      try await store.log.retain(.from(floor)) { done in if done >= 0.6 { withUnsafeCurrentTask { $0?.cancel() } } }
    }
    _ = await failure { _ = try await task.value }
    try await moveFloorOnly(to: floor, in: opened.store)
    XCTAssertFalse(try opened.store.cleaning.isClean(opened.store))
    XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
    await assertTruncated(floor) { _ = try opened.store.context(at: floor - 2) }
    XCTAssertEqual(try opened.store.context(at: floor - 1).object(ids.item).name, "\(floor.number - 4)")
    try await opened.kill()
    try? await opened.store.cleaning.wait()
    XCTAssertTrue(try opened.store.cleaning.isClean(opened.store))
    XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
  }

  /// As a kill behind the commit that moves the floor: puts rows of the log back.
  private func moveFloorOnly(to floor: Position, in store: Store) async throws {
    try await store.log.retain(.from(floor))
    try store.environment.write { (transaction) throws(StorageError) in
      for position in Position(1)..<floor {
        let key = withUnsafeBytes(of: position.number.bigEndian) { [UInt8]($0) } + [0, 0]
        try transaction.put(store.tables.log, key: key.span.bytes, value: [0].span.bytes)
      }
    }
  }

  func testACancelledCallBeforeTheFloorMovesChangesNothing() async throws {
    let opened = try TestStore()
    _ = try await renamed(10, in: opened)
    let store = opened.store
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await store.log.retain(.last(1))
    }
    let error = await failure { _ = try await task.value }
    XCTAssertTrue(error is CancellationError)
    XCTAssertEqual(try store.log.firstPosition, 1)
    XCTAssertEqual(try StoreMaintenance.verifyNow(store).problems, [])
  }

  func testAStoreThatSavesAndRetainsInTurnStaysAsLongAsItIs() async throws {
    let opened = try TestStore()
    let context = RootContext(opened.store, isolation: nil)
    var sizes: [Int] = []
    for _ in 0..<12 {
      for _ in 0..<40 {
        let items = (0..<20).map { context.insert(Item(name: String(repeating: "\($0)", count: 200))) }
        try await context.save()
        for item in items { context.delete(item) }
        try await context.save()
      }
      try await opened.store.log.retain(.last(10))
      sizes.append(try FileManager.default.attributesOfItem(atPath: opened.path + "/data.mdb")[.size] as? Int ?? 0)
    }
    // All that was ever saved would be more than ten times as long.
    XCTAssertLessThan(sizes[11], sizes[0] * 3 / 2, "\(sizes)")
    XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
  }

  func testWhatOnlyDroppedTransactionsReferredToGoesAndWhatIsNeededStays() async throws {
    let opened = try TestStore(Schema(Photo.self))
    let store = opened.store
    let gone = try await Blob([UInt8](repeating: 1, count: 10_000), in: store)
    let present = try await Blob([UInt8](repeating: 2, count: 9_000), in: store)
    let past = try await Blob([UInt8](repeating: 3, count: 8_000), in: store)
    let context = RootContext(store, isolation: nil)
    let photo = context.insert(Photo(name: "a", original: gone))
    context.insert(Photo(name: "b", original: present))
    try await context.save()
    photo.original = past
    try await context.save()
    photo.original = .empty
    let last = try await context.save()
    try await store.close()
    try opened.open()
    try await opened.store.log.retain(.from(last))
    let report = try StoreMaintenance.verifyNow(opened.store)
    XCTAssertEqual(report.problems, [])
    XCTAssertEqual(report.blobs, 2)
    let before = try opened.store.context(at: last - 1)
    let bytes = try await before.object(photo.id).original.bytes(in: opened.store)
    XCTAssertEqual(bytes.count, 8_000)
  }

  func testAnErasureAfterwardsReachesWhatTheFloorStillKnew() async throws {
    let opened = try TestStore()
    let secret = "correct horse battery staple"
    let context = RootContext(opened.store, isolation: nil)
    let item = context.insert(Item(name: secret, valueInDollars: 2))
    let gone = context.insert(Item(name: secret + "!"))
    try await context.save()
    try await context.save()
    item.valueInDollars = 3
    let floor = try await context.save()
    item.name = "open"
    context.delete(gone)
    try await context.save()
    try await opened.store.log.retain(.from(floor))
    try await opened.store.close()
    try await StoreMaintenance.erase([Erasure(of: item.id.any), Erasure(of: gone.id.any)], in: opened.path)
    for name in try FileManager.default.subpathsOfDirectory(atPath: opened.path) where name != "journals" {
      let data = try Data(contentsOf: URL(fileURLWithPath: opened.path + "/" + name))
      XCTAssertNil(data.range(of: Data(secret.utf8)), name)
    }
    try opened.open()
    XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
    XCTAssertEqual(try RootContext(opened.store, isolation: nil).object(item.id).name, "open")
    XCTAssertEqual(try opened.store.context(at: floor).object(item.id).name, "")
  }

  func testRebuildsBackupsAndCompactionsKeepTheFloor() async throws {
    let opened = try TestStore()
    let ids = try await renamed(20, in: opened)
    let floor = opened.store.log.head - 3
    try await opened.store.log.retain(.from(floor))
    let copy = opened.path + "-backup"
    addTeardownBlock { try? FileManager.default.removeItem(atPath: copy) }
    try await StoreMaintenance.backup(opened.store, to: copy)
    try await opened.store.close()
    try await StoreMaintenance.compact(opened.path)
    let report = try await StoreMaintenance.rebuild(opened.path)
    XCTAssertEqual(report.transactions, 4)
    XCTAssertEqual(report.objects, 2)
    for path in [opened.path, copy] {
      var options = StoreOptions()
      options.mapSize = 1 << 36
      let store = try Store.openNow(path, for: opened.schema, options)
      XCTAssertEqual(try store.log.firstPosition, floor)
      XCTAssertEqual(try StoreMaintenance.verifyNow(store).problems, [])
      XCTAssertEqual(try store.context(at: floor).object(ids.item).name, "\(floor.number - 3)")
      XCTAssertEqual(try RootContext(store, isolation: nil).fetch(Fetch<Item> { $0.name == "old" }).count, 1)
      try await store.close()
    }
  }

  func testASalvagedStoreHasTheFloor() async throws {
    let opened = try TestStore()
    let ids = try await renamed(20, in: opened)
    try await opened.store.log.retain(.last(3))
    try await opened.store.close()
    let copy = opened.path + "-salvaged"
    addTeardownBlock { try? FileManager.default.removeItem(atPath: copy) }
    let report = try await StoreMaintenance.salvage(opened.path, to: copy)
    XCTAssertTrue(report.isComplete, report.description)
    XCTAssertEqual(report.transactions, 3)
    var options = StoreOptions()
    options.mapSize = 1 << 36
    let store = try Store.openNow(copy, for: opened.schema, options)
    XCTAssertEqual(try StoreMaintenance.verifyNow(store).problems, [])
    XCTAssertEqual(try RootContext(store, isolation: nil).object(ids.item).name, "20")
    XCTAssertEqual(try RootContext(store, isolation: nil).object(ids.old).name, "old")
    XCTAssertEqual(try store.context(at: store.log.firstPosition - 1).object(ids.item).name, "17")
    XCTAssertEqual(try store.log.history(of: ids.item.any).count, 3)
    try await store.close()
  }

  func testVerificationFindsAnObjectFromBeforeTheFloorThatIsAnother() async throws {
    let opened = try TestStore()
    let ids = try await renamed(6, in: opened)
    try await opened.store.log.retain(.last(2))
    let store = opened.store
    let map = try XCTUnwrap(store.map.map(Item.entity.interned))
    try store.environment.write { (transaction) throws(StorageError) in
      let key = ObjectKey(entity: map.number, uuid: ids.old.any.uuid).bytes
      var record: [UInt8] = []
      _ = try store.files.objects.rows.read(transaction.view, key: key.span.bytes) { record = [UInt8]($0) }
      // "old" becomes "odd", under a right checksum.
      guard let place = record.firstIndex(of: UInt8(ascii: "l")) else { return }
      record[place] = UInt8(ascii: "d")
      var writer = ByteWriter.sealing(reserving: record.count)
      writer.append(record[4...])
      let sealed = writer.sealed()
      try transaction.put(store.tables.objects, key: key.span.bytes, value: sealed.span.bytes)
    }
    let problems = try StoreMaintenance.verifyNow(store).problems
    let floor = try store.log.firstPosition
    XCTAssertTrue(
      problems.contains(
        "When `retain` deleted the log before transaction \(floor), it recorded a checksum of all objects at that "
          + "point. The stored objects, with all later changes reverted, do not match this checksum."),
      "\(problems)")
    try await store.close()
    let error = await failure { try await StoreMaintenance.rebuild(opened.path) }
    guard case StoreError.damaged(opened.path, let reason)? = error else { return XCTFail("\(error as Any)") }
    XCTAssertEqual(
      reason,
      "the objects cannot be rebuilt. With all changes in the log reverted, they do not match the checksum that "
        + "`retain` recorded when it deleted the earlier log")
  }

  func testWhereTheLogAndTheObjectsDoNotFitTheFloorStays() async throws {
    let opened = try TestStore()
    let ids = try await renamed(6, in: opened)
    let store = opened.store
    let map = try XCTUnwrap(store.map.map(Item.entity.interned))
    try store.environment.write { (transaction) throws(StorageError) in
      let key = ObjectKey(entity: map.number, uuid: ids.item.any.uuid).bytes
      try transaction.delete(store.tables.objects, key: key.span.bytes)
    }
    let error = await failure { _ = try await store.log.retain(.last(2)) }
    guard case StoreError.damaged? = error else { return XCTFail("\(String(describing: error))") }
    XCTAssertEqual(try store.log.firstPosition, 1)
  }
}
