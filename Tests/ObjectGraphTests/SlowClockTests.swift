import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import XCTest

/// Machines whose clocks begin in 1970, until they have asked for the time.
final class SlowClockTests: ClockTestCase {
  private let minute: Int64 = 60 * 1_000_000
  private var hour: Int64 { 60 * minute }

  func testRetentionByAgeKeepsYoungSavesBeforeOneOfASlowClock() async throws {
    let now = start
    let test = try await store(savedAt: [now - 2 * hour, now - hour, now - 30 * minute, 0, now - 5 * minute])
    set(now)
    let report = try await test.store.log.retain(.younger(than: .seconds(86_400)))
    XCTAssertEqual(report.droppedTransactions, 0)
    XCTAssertEqual(report.blockedBy, [.clock(0)])
    XCTAssertEqual(try test.store.log.firstPosition, 1)
    try await verify(test.store)
  }

  func testRetentionByAgeKeepsTheSaveOfASlowClock() async throws {
    let now = start
    let test = try await store(savedAt: [now - 9 * day, now - 8 * day, 0, 5 * second, now - 5 * minute])
    set(now)
    for _ in 1...2 {
      // The second time, the log begins with the slow clock's save.
      let report = try await test.store.log.retain(.younger(than: .seconds(86_400)))
      XCTAssertEqual(report.firstPosition, 3)
      XCTAssertEqual(report.blockedBy, [.clock(2)])
      try await verify(test.store)
    }
    set(now + 2 * day)
    _ = try await save("later", in: test.store, at: now + 2 * day)
    let report = try await test.store.log.retain(.younger(than: .seconds(86_400)))
    XCTAssertEqual(report.firstPosition, 6)
    XCTAssertEqual(report.blockedBy, [])
    try await verify(test.store)
  }

  func testThePastLacksLaterSavesDespiteASlowClock() async throws {
    let (june, july, august) = (start, start + 30 * day, start + 60 * day)
    let test = try await store(savedAt: [june, july, 0, 7 * second, august])
    set(august + day)
    for isRebuilt in [false, true] {
      let store = isRebuilt ? try await rebuild(test) : test.store
      XCTAssertEqual(try store.log.position(atMicroseconds: june - day), 0)
      XCTAssertEqual(try store.log.position(atMicroseconds: june + 14 * day), 1)
      XCTAssertEqual(try store.log.position(atMicroseconds: july - 1), 1)
      // The slow clock's saves followed that of July at an unknown time.
      XCTAssertEqual(try store.log.position(atMicroseconds: july), 4)
      XCTAssertEqual(try store.log.position(atMicroseconds: august - 1), 4)
      XCTAssertEqual(try store.log.position(atMicroseconds: august), 5)
    }
  }

  func testThePastLacksLaterSavesWhileTheLastOneIsOfASlowClock() async throws {
    let test = try await store(savedAt: [start, start + 30 * day, 0])
    set(start + 31 * day)
    XCTAssertEqual(try test.store.log.position(atMicroseconds: start + day), 1)
    XCTAssertEqual(try test.store.log.position(atMicroseconds: start + 31 * day - 1), 3)
  }

  func testThePastLacksLaterSavesThoughTheSlowClockBeganTwice() async throws {
    let times = [
      start, start + day, 20 * second, 90 * second, 20 * second, start + 2 * day, 30 * second, start + 3 * day,
    ]
    let test = try await store(savedAt: times)
    set(start + 4 * day)
    XCTAssertEqual(try test.store.log.position(atMicroseconds: start), 1)
    XCTAssertEqual(try test.store.log.position(atMicroseconds: start + day - 1), 1)
    XCTAssertEqual(try test.store.log.position(atMicroseconds: start + day), 5)
    XCTAssertEqual(try test.store.log.position(atMicroseconds: start + 2 * day - 1), 5)
    XCTAssertEqual(try test.store.log.position(atMicroseconds: start + 2 * day), 7)
    XCTAssertEqual(try test.store.log.position(atMicroseconds: start + 3 * day), 8)
  }
}
