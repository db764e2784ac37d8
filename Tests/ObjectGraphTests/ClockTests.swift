import RepriseLMDB
import RepriseObjectGraph
import RepriseObjectModel
import RepriseTestModels
import XCTest

@testable import RepriseEventStore

/// Machines whose clocks are ahead, and are set back.
final class ClockTests: ClockTestCase {
  func testASaveByAFastClockDatesNoLaterSave() async throws {
    set(start)
    let test = try store()
    let ahead = try await save("ahead", in: test.store, at: start + 60 * year)
    var positions: [Position] = []
    for number in 1...5 {
      positions.append(try await save("now", in: test.store, at: start + Int64(number) * second))
    }
    XCTAssertEqual(try test.store.log.transaction(at: ahead)?.microseconds, start + 60 * year)
    for (number, position) in zip(1..., positions) {
      let time = start + Int64(number) * second
      XCTAssertEqual(try test.store.log.transaction(at: position)?.microseconds, time)
      XCTAssertEqual(try test.store.log.position(atMicroseconds: time), position)
      XCTAssertEqual(try test.store.log.position(atMicroseconds: time - 1), position - 1)
    }
    XCTAssertEqual(try test.store.log.position(atMicroseconds: start + 70 * year), test.store.log.head)
    try await verify(test.store)
  }

  /// A program asks its clock before the store does.
  func testNowHasEverySaveThoughTheClockWasAhead() async throws {
    letTimePass()
    for error in [5 * second, 3_600 * second, year] {
      for savesLater in [false, true] {
        set(start)
        let test = try store()
        _ = try await save("ahead", in: test.store, at: start + 60 * second + error)
        set(start + 61 * second)
        if savesLater { _ = try await save("right", in: test.store, at: start + 62 * second) }
        XCTAssertEqual(try test.store.log.position(atMicroseconds: look()), test.store.log.head, "\(error)")
        set(start + 63 * second)
        let before = try test.store.log.position(atMicroseconds: start + 61 * second)
        XCTAssertGreaterThanOrEqual(before, 2, "\(error)")
      }
    }
  }

  func testRetentionTellsThatClocksKeptTransactions() async throws {
    set(start)
    let test = try store()
    _ = try await save("old", in: test.store, at: start + second)
    for number in 1...3 { _ = try await save("ahead", in: test.store, at: start + year + Int64(number)) }
    set(start + day)
    let report = try await test.store.log.retain(.younger(than: .seconds(60)))
    XCTAssertEqual(report.firstPosition, 3)
    XCTAssertEqual(report.blockedBy, [.clock(2)])
    // A clock that begins in 1970 cannot tell what is old.
    set(second)
    let slow = try await test.store.log.retain(.younger(than: .seconds(60)))
    XCTAssertEqual(slow, RetentionReport(firstPosition: 3, droppedTransactions: 0, blockedBy: [.clock(2)]))
    let right = try await save("right", in: test.store, at: start + 2 * day)
    set(start + 3 * day)
    let last = try await test.store.log.retain(.younger(than: .seconds(60)))
    XCTAssertEqual(last, RetentionReport(firstPosition: right, droppedTransactions: 3, blockedBy: []))
    try await verify(test.store)
  }

  func testRetentionByAgeDropsWhatAFastClockSaved() async throws {
    set(start)
    let test = try store()
    _ = try await save("ahead", in: test.store, at: start + 60 * year)
    let old = try await save("old", in: test.store, at: start + second)
    let young = try await save("young", in: test.store, at: start + 60 * second)
    let report = try await test.store.log.retain(.younger(than: .seconds(10)))
    XCTAssertEqual(report.firstPosition, young)
    XCTAssertEqual(report.blockedBy, [])
    XCTAssertGreaterThan(young, old)
    try await verify(test.store)
  }

  /// Each fast save is between two right ones, of which the later ones are past its time in the end.
  func testThePastHasEverySaveMadeBeforeThoughAClockWasFast() async throws {
    let hour: Int64 = 3_600 * second
    for fast in [0.3, 1.1, 2, 3, 4, 5, 30, 40_000] {
      let saves = (Int64(0)..<8).map { (number: Int64) in
        let made = start + number * hour
        return TimedSave(made: made, date: number == 2 ? made + Int64(fast * Double(hour)) : made)
      }
      let test = try await store(savedAt: saves.map(\.date))
      for now in [saves[7].made + second, saves[7].made + 3 * day] {
        try assertPast(saves, of: test.store, now: now, "ahead by \(fast) hours")
      }
    }
  }

  func testThePastHasEverySaveMadeBeforeThoughTheClockWasSetBackForGood() async throws {
    let hour: Int64 = 3_600 * second
    let saves = (Int64(0)..<12).map { (number: Int64) in
      TimedSave(made: start + number * hour, date: start + number * hour + (number < 4 ? year : 0))
    }
    let test = try await store(savedAt: saves.map(\.date))
    for now in [saves[11].made + second, start + 3 * year] { try assertPast(saves, of: test.store, now: now) }
  }

  func testASaveBeforeTheClockWasSetBackIsFoundByItsID() async throws {
    set(start)
    let test = try store()
    let ahead = try await save("ahead", in: test.store, at: start + year)
    _ = try await save("later", in: test.store, at: start + second)
    let id = try XCTUnwrap(test.store.log.transaction(at: ahead)).id
    let found = try await test.store.log.position(ofTransaction: id)
    XCTAssertEqual(found, ahead)
  }

  func testATransactionThatIsNotInTheLogIsNotFoundThoughLaterOnesAre() async throws {
    set(start)
    let test = try store()
    let (before, id) = (UniqueID(), UniqueID())
    let found = try await test.store.log.position(ofTransaction: id)
    XCTAssertNil(found)
    let saved = try await save("later", in: test.store, at: start + second)
    for id in [before, id, UniqueID(high: 1, low: 1), .greatest] {
      let found = try await test.store.log.position(ofTransaction: id)
      XCTAssertNil(found)
    }
    let transaction = try XCTUnwrap(test.store.log.transaction(at: saved))
    let position = try await test.store.log.position(ofTransaction: transaction.id)
    XCTAssertEqual(position, saved)
  }

  func testVerifyFindsAnIDThatIsGreaterThanTheGreatest() async throws {
    let test = try await store(savedAt: [start, start + second])
    let store = test.store
    try store.environment.write { (transaction) throws(StorageError) in
      let meta = MetaTable(store.tables.meta)
      let end = try meta.head(transaction.view)
      let less = end.greatestID.previous ?? .zero
      try meta.put(LogHead(position: end.position, hash: end.hash, time: 0, greatestID: less), transaction)
    }
    let report = try await StoreMaintenance.verify(store)
    XCTAssertEqual(
      report.problems, ["The log has a UUID that is greater than the greatest UUID that the store recorded."])
    _ = try await rebuild(test)
  }

  func testAnImportDatesItsTransactions() async throws {
    set(start)
    let test = try store()
    let context = RootContext(test.store, isolation: nil)
    context.transactionMicroseconds = start - 10 * year
    context.insert(Item(name: "imported"))
    let position = try await context.save()
    XCTAssertEqual(try test.store.log.transaction(at: position)?.microseconds, start - 10 * year)
    XCTAssertEqual(try test.store.log.position(atMicroseconds: start - year), 0)
    context.transactionMicroseconds = nil
    set(start + second)
    context.insert(Item(name: "now"))
    let next = try await context.save()
    XCTAssertEqual(try test.store.log.transaction(at: next)?.microseconds, start + second)
    for time in [Int64.min, .max] {
      context.transactionMicroseconds = time
      context.insert(Item(name: "extreme"))
      let position = try await context.save()
      XCTAssertEqual(try test.store.log.transaction(at: position)?.microseconds, time)
    }
    try await verify(test.store)
  }
}
