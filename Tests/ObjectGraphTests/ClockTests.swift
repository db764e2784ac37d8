import RepriseLMDB
import RepriseObjectModel
import RepriseTestModels
import XCTest

@testable import RepriseEventStore
@testable import RepriseObjectGraph

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
    XCTAssertEqual(try test.store.transaction(at: ahead)?.microseconds, start + 60 * year)
    for (number, position) in zip(1..., positions) {
      let time = start + Int64(number) * second
      XCTAssertEqual(try test.store.transaction(at: position)?.microseconds, time)
      XCTAssertEqual(try test.store.position(atMicroseconds: time), position)
      XCTAssertEqual(try test.store.position(atMicroseconds: time - 1), number == 1 ? 1 : position - 1)
    }
    XCTAssertEqual(try test.store.position(atMicroseconds: start + 70 * year), test.store.head)
    try await verify(test.store)
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
    try await verify(test.store)
  }

  /// Each fast save is between two right ones, of which the later ones are past its time in the end.
  func testThePastHasEverySaveMadeBeforeThoughAClockWasFast() async throws {
    let hour: Int64 = 3_600 * second
    for fast in [0.3, 1.1, 2, 3, 4, 5, 30] {
      var times = (0..<8).map { start + $0 * hour }
      times[2] += Int64(fast * Double(hour))
      let test = try await store(savedAt: times)
      for now in [times[7] + second, times[7] + 3 * day] {
        set(now)
        for save in [0, 1, 3, 4, 5, 6, 7] {
          XCTAssertEqual(try test.store.position(atMicroseconds: times[save]), Position(UInt64(save) + 1), "\(fast)")
        }
      }
    }
  }

  func testThePastHasEverySaveMadeBeforeThoughTheClockWasSetBackForGood() async throws {
    let hour: Int64 = 3_600 * second
    let times = (0..<4).map { start + year + $0 * hour } + (4..<12).map { start + $0 * hour }
    let test = try await store(savedAt: times)
    for now in [times[11] + second, start + 3 * year] {
      set(now)
      XCTAssertEqual(try test.store.position(atMicroseconds: times[4] - 1), 0)
      for save in 4..<12 {
        XCTAssertEqual(try test.store.position(atMicroseconds: times[save]), Position(UInt64(save) + 1))
      }
    }
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
    let test = try await store(savedAt: [start, start + second])
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
    try await verify(test.store)
  }
}
