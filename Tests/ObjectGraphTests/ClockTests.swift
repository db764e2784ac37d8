import RepriseLMDB
import RepriseObjectModel
import RepriseSystem
import RepriseTestModels
import XCTest

@testable import RepriseEventStore
@testable import RepriseObjectGraph

/// Machines whose clocks are ahead, and are set back.
final class ClockTests: XCTestCase {
  private final class TestClock: Sendable {
    let microseconds = Guarded<Int64>(0)
  }

  private let clock = TestClock()
  private let second: Int64 = 1_000_000
  private let year: Int64 = 365 * 86_400 * 1_000_000
  /// 2026-01-01.
  private let start: Int64 = 1_767_225_600_000_000

  private func store() throws -> TestStore {
    let clock = clock
    return try TestStore(wallClock: { clock.microseconds.withLock { $0 } })
  }

  private func set(_ time: Int64) { clock.microseconds.withLock { $0 = time } }

  private func save(_ name: String, in store: Store, at time: Int64) async throws -> Position {
    set(time)
    let context = RootContext(store, isolation: nil)
    context.insert(Item(name: name))
    return try await context.save(name)
  }

  func testASaveByAFastClockDatesNoLaterSave() async throws {
    set(start)
    let test = try store()
    let ahead = try await save("ahead", in: test.store, at: start + 60 * year)
    var positions: [Position] = []
    for number in 1...5 {
      positions.append(try await save("now", in: test.store, at: start + Int64(number) * second))
    }
    XCTAssertEqual(try test.store.transaction(at: ahead)?.microseconds, start + 60 * year)
    for (number, position) in zip(1..., positions) {
      let time = start + Int64(number) * second
      XCTAssertEqual(try test.store.transaction(at: position)?.microseconds, time)
      XCTAssertEqual(try test.store.position(atMicroseconds: time), position)
      XCTAssertEqual(try test.store.position(atMicroseconds: time - 1), number == 1 ? 1 : position - 1)
    }
    XCTAssertEqual(try test.store.position(atMicroseconds: start + 70 * year), test.store.head)
    let report = try await test.store.verify()
    XCTAssertTrue(report.isSound, "\(report)")
  }

  func testNowIsTheHeadThoughTheClockWasAheadAtTheLastSave() async throws {
    set(start)
    let test = try store()
    let ahead = try await save("ahead", in: test.store, at: start + year)
    set(start + second)
    XCTAssertEqual(try test.store.position(atMicroseconds: start + second), ahead)
  }

  func testRetentionByAgeDropsWhatAFastClockSaved() async throws {
    set(start)
    let test = try store()
    _ = try await save("ahead", in: test.store, at: start + 60 * year)
    let old = try await save("old", in: test.store, at: start + second)
    let young = try await save("young", in: test.store, at: start + 60 * second)
    let report = try await test.store.retain(.younger(than: .seconds(10)))
    XCTAssertEqual(report.floor, young)
    XCTAssertGreaterThan(young, old)
    let verified = try await test.store.verify()
    XCTAssertTrue(verified.isSound, "\(verified)")
  }

  func testASaveBeforeTheClockWasSetBackIsFoundByItsID() async throws {
    set(start)
    let test = try store()
    let ahead = try await save("ahead", in: test.store, at: start + year)
    _ = try await save("later", in: test.store, at: start + second)
    let id = try XCTUnwrap(test.store.transaction(at: ahead)).id
    let found = try await test.store.position(ofTransaction: id)
    XCTAssertEqual(found, ahead)
  }

  func testAClockThatIsSetBackOftenIsFollowed() async throws {
    set(start)
    let test = try store()
    var times: [(time: Int64, position: Position)] = []
    var random = SystemRandomNumberGenerator()
    for number in 0..<60 {
      let time = start + Int64.random(in: 0..<10_000, using: &random) * second
      times.append((time, try await save("\(number)", in: test.store, at: time)))
    }
    set(start + year)
    for (time, _) in times {
      // The last one that says that it was saved by then.
      XCTAssertEqual(
        try test.store.position(atMicroseconds: time), times.last { $0.time <= time }?.position, "\(times)")
    }
    let rebuilt = try await rebuild(test)
    XCTAssertEqual(
      try rebuilt.position(atMicroseconds: times[30].time), times.last { $0.time <= times[30].time }?.position)
  }

  private func rebuild(_ test: TestStore) async throws -> Store {
    try await test.store.close()
    try await Store.rebuild(test.path)
    try test.open()
    let report = try await test.store.verify()
    XCTAssertTrue(report.isSound, "\(report)")
    return test.store
  }

  func testATransactionThatIsNotInTheLogIsNotFoundThoughLaterOnesAre() async throws {
    set(start)
    let test = try store()
    let (before, id) = (UniqueID(), UniqueID())
    let found = try await test.store.position(ofTransaction: id)
    XCTAssertNil(found)
    let saved = try await save("later", in: test.store, at: start + second)
    for id in [before, id, UniqueID(high: 1, low: 1), .greatest] {
      let found = try await test.store.position(ofTransaction: id)
      XCTAssertNil(found)
    }
    let transaction = try XCTUnwrap(test.store.transaction(at: saved))
    let position = try await test.store.position(ofTransaction: transaction.id)
    XCTAssertEqual(position, saved)
  }

  func testVerifyFindsAnIDThatIsGreaterThanTheGreatest() async throws {
    set(start)
    let test = try self.store()
    _ = try await save("one", in: test.store, at: start + second)
    let store = test.store
    try store.environment.write { (transaction) throws(StorageError) in
      let meta = MetaTable(store.tables.meta)
      guard let end = try meta.head(transaction.view) else { return XCTFail("no head") }
      let less = end.greatestID?.previous
      try meta.put(LogHead(position: end.position, hash: end.hash, time: 0, greatestID: less), transaction)
    }
    let report = try await store.verify()
    XCTAssertEqual(
      report.problems, ["The log has an ID that is greater than the greatest one that the store knows."])
    _ = try await rebuild(test)
  }

  func testAnImportDatesItsTransactions() async throws {
    set(start)
    let test = try store()
    let context = RootContext(test.store, isolation: nil)
    context.transactionMicroseconds = start - 10 * year
    context.insert(Item(name: "imported"))
    let position = try await context.save()
    XCTAssertEqual(try test.store.transaction(at: position)?.microseconds, start - 10 * year)
    XCTAssertEqual(try test.store.position(atMicroseconds: start - year), 0)
    context.transactionMicroseconds = nil
    set(start + second)
    context.insert(Item(name: "now"))
    let next = try await context.save()
    XCTAssertEqual(try test.store.transaction(at: next)?.microseconds, start + second)
    for time in [Int64.min, .max] {
      context.transactionMicroseconds = time
      context.insert(Item(name: "extreme"))
      let position = try await context.save()
      XCTAssertEqual(try test.store.transaction(at: position)?.microseconds, time)
    }
    let report = try await test.store.verify()
    XCTAssertTrue(report.isSound, "\(report)")
  }
}
