import RepriseEventStore
import RepriseObjectModel
import RepriseQuery
import RepriseSystem
import RepriseTestModels
import XCTest

@testable import RepriseObjectGraph

/// Operations in several saves.
final class BatchTests: XCTestCase {
  private final class Flag: Sendable {
    let isSet = Guarded(false)
  }

  private func filled(_ count: Int) async throws -> TestStore {
    let test = try TestStore()
    let root = RootContext(test.store)
    for number in 0..<count { root.insert(Item(name: "\(number % 3)", valueInDollars: number)) }
    try await root.save()
    return test
  }

  func testAnUpdateInBatchesChangesWhatMatchesAndReportsEachSave() async throws {
    let test = try await filled(100)
    let before = test.store.log.head
    let background = BackgroundContext(test.store)
    let reports = Guarded<[BatchProgress]>([])
    let done = try await background.update(
      Fetch<Item> { $0.valueInDollars >= 25 }, batchSize: 20, name: "Insure",
      progress: { report in
        reports.withLock { $0.append(report) }
      }
    ) { [$0.isInsured.set(to: true), $0.valueInDollars.increase(by: 1000)] }
    XCTAssertEqual(done.saved, 75)
    XCTAssertEqual(done.batches, 4)
    XCTAssertEqual(test.store.log.head.number, before.number + 4)
    XCTAssertEqual(reports.withLock { $0 }.map(\.saved), [20, 40, 60, 75])
    XCTAssertEqual(reports.withLock { $0 }.last, done)
    let context = RootContext(test.store)
    XCTAssertEqual(try context.count(Fetch<Item> { $0.isInsured == true }), 75)
    XCTAssertEqual(try context.aggregate(Fetch<Item>()) { $0.valueInDollars.sum }, 99 * 50 + 75_000)
    // What is so already is no change.
    let again = try await background.update(Fetch<Item>()) { $0.isInsured.set(to: true) }
    XCTAssertEqual(again.saved, 25)
    let nothing = try await background.update(Fetch<Item>()) { $0.isInsured.set(to: true) }
    XCTAssertEqual(nothing.batches, 0)
  }

  func testADeletionInBatchesFollowsTheRules() async throws {
    let test = try TestStore()
    let root = RootContext(test.store)
    for zip in 0..<30 {
      let person = root.insert(Person(name: "", zip: zip))
      for _ in 0..<3 { root.insert(Item(name: "")).owner = person }
    }
    try await root.save()
    let done = try await BackgroundContext(test.store).deleteAll(Fetch<Person> { $0.zip < 20 }, batchSize: 7)
    XCTAssertEqual(done.batches, 3)
    XCTAssertEqual(done.saved, 80)
    let context = RootContext(test.store)
    XCTAssertEqual(try context.count(Fetch<Person>()), 10)
    XCTAssertEqual(try context.count(Fetch<Item>()), 30)
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertTrue(report.isSound, report.description)
  }

  /// Pages of IDs, from an index whose order is not theirs, with objects that leave the fetch as they are changed.
  func testEveryPageGoesOnBehindTheLast() async throws {
    let test = try await filled(90)
    let context = RootContext(test.store)
    let fetch = Fetch<Item> { $0.name == "1" || $0.valueInDollars > 10 }.sorted { $0.valueInDollars.descending }
    let expected = try context.fetch(fetch).map(\.id).sorted()
    for limit in [1, 4, 7, 1000] {
      let compiled = try CompiledFetch(fetch, schema: test.store.map.schema)
      let map = try XCTUnwrap(test.store.map.map(Item.entity.interned))
      var seen: [Item.ID] = []
      let update = try PlannedUpdate(fetch, { [$0.weight.set(to: Double(limit))] }, in: context)
      let done = try await context.inBatches(of: 3, compiled, map, name: nil, pageLimit: limit, progress: { _ in }) {
        batch, context in
        seen += batch.map { Item.ID(uuid: $0) }
        return try context.projection.stillMatching(batch, compiled, map).compactMap { id, values in
          try update.change(values, id).map { (id, $0) }
        }
      }
      XCTAssertEqual(seen, expected, "limit \(limit)")
      XCTAssertEqual(done.saved, expected.count)
    }
    // A limit of the fetch itself bounds all of it.
    let done = try await BackgroundContext(test.store).update(fetch.limit(10), batchSize: 4) {
      $0.isInsured.set(to: true)
    }
    XCTAssertEqual(done.saved, 10)
    XCTAssertEqual(
      try RootContext(test.store).count(Fetch<Item> { $0.isInsured == true && $0.valueInDollars >= 80 }), 10)
  }

  /// Others change the same values between reading and saving a batch.
  func testABatchInConflictIsMadeAgainFromWhatOthersSaved() async throws {
    let test = try await filled(10)
    let context = RootContext(test.store)
    let compiled = try CompiledFetch(Fetch<Item>(), schema: test.store.map.schema)
    let map = try XCTUnwrap(test.store.map.map(Item.entity.interned))
    let update = try PlannedUpdate(Fetch<Item>(), { [$0.valueInDollars.increase(by: 100)] }, in: context)
    func run(meddling most: Int, attempts: Int) async throws -> BatchProgress {
      var times = 0
      return try await context.inBatches(of: 4, compiled, map, name: nil, attempts: attempts, progress: { _ in }) {
        batch, context in
        let found = try context.projection.stillMatching(batch, compiled, map)
        if times < most, let (id, values) = found.first {
          times += 1
          let change = PropertyChange(slot: 1, old: values[1], new: .int(Int64(times)))
          try test.store.appendAsAnotherProcess([(id, .updated([change]))])
        }
        return try found.compactMap { id, values in try update.change(values, id).map { (id, $0) } }
      }
    }
    let done = try await run(meddling: 12, attempts: 13)
    XCTAssertEqual(done.saved, 10)
    XCTAssertEqual(try context.aggregate(Fetch<Item>()) { $0.valueInDollars.sum }, 45 + 12 + 1000)
    // Not for ever.
    do {
      _ = try await run(meddling: .max, attempts: 4)
      XCTFail("saved over others")
    } catch {
      guard case SaveError.refused = error else { throw error }
      XCTAssertFalse(context.hasChanges)
    }
  }

  /// A run of a batch takes longer than a run of a write, so a write would overtake it each time.
  func testABatchIsSavedAmongWritesWithoutAPause() async throws {
    let test = try await filled(200)
    let store = test.store
    let hot = try await store.read { context in try XCTUnwrap(context.fetch(Fetch<Item>()).first).id }
    let done = Flag()
    let writers = (0..<4).map { _ in
      Task {
        var count = 0
        while !done.isSet.withLock({ $0 }) {
          try await store.write { try $0.object(hot).valueInDollars += 1 }
          count += 1
        }
        return count
      }
    }
    let background = BackgroundContext(store)
    var failures: [String] = []
    for _ in 0..<20 {
      do {
        try await background.update(Fetch<Item>()) { $0.valueInDollars.increase(by: 1_000) }
      } catch {
        failures.append("\(error)")
      }
    }
    done.isSet.withLock { $0 = true }
    var written = 0
    for writer in writers { written += try await writer.value }
    XCTAssertEqual(failures, [])
    let sum = try await store.read { try $0.aggregate(Fetch<Item>()) { $0.valueInDollars.sum } }
    XCTAssertEqual(sum, 199 * 100 + written + 20 * 200 * 1_000)
  }

  /// Delete rules can make a save of few objects too large.
  func testABatchThatIsTooLargeIsDivided() async throws {
    let test = try await filled(20)
    let context = RootContext(test.store)
    let compiled = try CompiledFetch(Fetch<Item>(), schema: test.store.map.schema)
    let map = try XCTUnwrap(test.store.map.map(Item.entity.interned))
    var sizes: [Int] = []
    func run(limit: Int) async throws -> BatchProgress {
      try await context.inBatches(of: 16, compiled, map, name: nil, progress: { _ in }) { batch, context in
        sizes.append(batch.count)
        if batch.count > limit { throw SaveError.tooLarge(events: batch.count, limit: limit) }
        return try context.deletion(of: batch.map { AnyObjectID(map.entity.interned, $0) })
      }
    }
    do {
      _ = try await run(limit: 0)
      XCTFail("saved what is too large")
    } catch {
      guard case SaveError.tooLarge = error else { throw error }
    }
    XCTAssertEqual(sizes, [16, 8, 4, 2, 1])
    let done = try await run(limit: 5)
    XCTAssertEqual(done.saved, 20)
    XCTAssertEqual(done.batches, 5)
    XCTAssertEqual(try context.count(Fetch<Item>()), 0)
  }

  func testCancellingEndsBetweenTwoBatchesAndKeepsWhatWasSaved() async throws {
    let test = try await filled(100)
    let background = BackgroundContext(test.store)
    let saved = Guarded(0)
    let task = Task {
      try await background.update(
        Fetch<Item>(), batchSize: 10,
        progress: { report in
          saved.withLock { $0 = report.saved }
          if report.saved == 30 { withUnsafeCurrentTask { $0?.cancel() } }
        }
      ) { $0.isInsured.set(to: true) }
    }
    do {
      _ = try await task.value
      XCTFail("not cancelled")
    } catch is CancellationError {}
    XCTAssertEqual(saved.withLock { $0 }, 30)
    XCTAssertEqual(try RootContext(test.store).count(Fetch<Item> { $0.isInsured == true }), 30)
    let pending = await background.perform { $0.hasChanges }
    XCTAssertFalse(pending)
  }

  func testAnImportKeepsNoMoreObjectsThanABatchHas() async throws {
    let test = try TestStore()
    let background = BackgroundContext(test.store)
    let most = Guarded(0)
    let done = try await background.importObjects(of: 0..<1000, batchSize: 64, name: "Import") { context, number in
      context.insert(Item(name: "\(number)", valueInDollars: number))
      let live = context.instances.live.count
      most.withLock { $0 = max($0, live) }
    }
    XCTAssertEqual(done.saved, 1000)
    XCTAssertEqual(done.batches, 16)
    XCTAssertEqual(test.store.log.head, done.position)
    XCTAssertLessThanOrEqual(most.withLock { $0 }, 64)
    let context = RootContext(test.store)
    XCTAssertEqual(try context.aggregate(Fetch<Item>()) { $0.valueInDollars.sum }, 999 * 500)
    let left = await background.perform { context in (context.instances.live.count, context.canUndo) }
    XCTAssertEqual(left.0, 0)
    XCTAssertFalse(left.1)
  }

  func testAnImportThatFailsKeepsTheBatchesBefore() async throws {
    struct Refused: Error {}
    let test = try TestStore()
    let background = BackgroundContext(test.store)
    await background.perform { context in _ = context.insert(Item(name: "before", valueInDollars: -1)) }
    let saved = Guarded(0)
    do {
      try await background.importObjects(
        of: 0..<50, batchSize: 20, progress: { report in saved.withLock { $0 = report.saved } }
      ) { context, number in
        if number == 45 { throw Refused() }
        context.insert(Item(name: "", valueInDollars: number))
      }
      XCTFail("not refused")
    } catch is Refused {}
    XCTAssertEqual(saved.withLock { $0 }, 40)
    let context = RootContext(test.store)
    XCTAssertEqual(try context.count(Fetch<Item> { $0.valueInDollars >= 0 }), 40)
    XCTAssertEqual(try context.count(Fetch<Item> { $0.name == "before" }), 1, "What was pending was saved first.")
    let pending = await background.perform { $0.hasChanges }
    XCTAssertFalse(pending)
    for size in [0, -1] {
      do {
        try await background.importObjects(of: 0..<5, batchSize: size) { _, _ in }
        XCTFail("a batch of \(size)")
      } catch let error as UpdateError {
        XCTAssertEqual(error, .batchSize(size))
      }
    }
  }

  func testAnAsynchronousSequenceIsImportedAsItComes() async throws {
    struct Broken: Error {}
    let test = try TestStore()
    let background = BackgroundContext(test.store)
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    for number in 0..<25 { continuation.yield(number) }
    continuation.finish()
    let done = try await background.importObjects(of: stream, batchSize: 10) { context, number in
      let item = try context.findOrInsert(Fetch<Item> { $0.name == "\(number % 12)" }) { Item(name: "\(number % 12)") }
      item.valueInDollars += 1
    }
    XCTAssertEqual(done.saved, 25)
    XCTAssertEqual(done.batches, 3)
    let context = RootContext(test.store)
    XCTAssertEqual(try context.count(Fetch<Item>()), 12)
    XCTAssertEqual(try context.aggregate(Fetch<Item>()) { $0.valueInDollars.sum }, 25)
    let (failing, source) = AsyncThrowingStream<Int, any Error>.makeStream()
    for number in 0..<15 { source.yield(number) }
    source.finish(throwing: Broken())
    do {
      try await background.importObjects(of: failing, batchSize: 10) { context, number in
        context.insert(Item(name: "second"))
      }
      XCTFail("not broken")
    } catch is Broken {}
    XCTAssertEqual(try RootContext(test.store).count(Fetch<Item> { $0.name == "second" }), 10)
  }

  /// A sequence may end when its reader is cancelled: what came until then is no whole batch.
  func testACancelledImportIsNotTakenForTheEndOfTheSequence() async throws {
    struct Numbers: AsyncSequence, AsyncIteratorProtocol {
      var next = 0
      func makeAsyncIterator() -> Numbers { self }
      mutating func next() async -> Int? {
        next += 1
        if next <= 25 { return next }
        withUnsafeCurrentTask { $0?.cancel() }
        return nil
      }
    }
    let test = try TestStore()
    let background = BackgroundContext(test.store)
    let task = Task {
      try await background.importObjects(of: Numbers(), batchSize: 10) { context, _ in context.insert(Item(name: "")) }
    }
    do {
      _ = try await task.value
      XCTFail("not cancelled")
    } catch is CancellationError {}
    XCTAssertEqual(try RootContext(test.store).count(Fetch<Item>()), 20)
    let pending = await background.perform { $0.hasChanges }
    XCTAssertFalse(pending)
  }
}
