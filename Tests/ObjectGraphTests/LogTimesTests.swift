import RepriseLMDB
import RepriseObjectGraph
import RepriseTestModels
import RepriseTestSeeds
import XCTest

@testable import RepriseEventStore
@testable import RepriseLog

/// Look-ups by time in logs of machines whose clocks are now right, now wrong, and the rows of the clock steps.
final class LogTimesTests: ClockTestCase {
  private var hour: Int64 { 3_600 * second }

  /// Saves by a right clock, and now and then up to three by one that is ahead, or by one that begins in 1970.
  private func saves(_ count: Int, ahead: Int64?, _ random: inout SeededGenerator) -> [TimedSave] {
    var time = start
    var saves = [TimedSave(made: time, date: time)]
    while saves.count < count {
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        time += Int64.random(in: 1...600, using: &random) * second
        saves.append(TimedSave(made: time, date: ahead.map { time + $0 } ?? time - start))
      }
      for number in 0..<Int.random(in: 1...4, using: &random) {
        // A clock that was ahead is corrected before its error has passed.
        time += Int64.random(in: 1...(number == 0 ? 600 : 60_000), using: &random) * second
        saves.append(TimedSave(made: time, date: time))
      }
    }
    return Array(saves.prefix(count))
  }

  func testNoLookUpByTimeMissesASaveAndNoYoungSaveIsDropped() async throws {
    for seed in testSeeds(25) {
      var random = SeededGenerator(seed: seed)
      let ahead = Bool.random(using: &random) ? Int64.random(in: 1...20_000, using: &random) * hour : nil
      let saves = saves(.random(in: 2...40, using: &random), ahead: ahead, &random)
      let test = try await store(savedAt: saves.map(\.date))
      let about = "seed \(seed)"
      XCTAssertEqual(try test.store.log.transactions(limit: 100).map(\.microseconds), saves.map(\.date), about)
      let now = saves[saves.count - 1].made + Int64.random(in: 1...10_000, using: &random) * second
      try assertPast(saves, of: test.store, now: now, about)
      try await assertRetention(of: saves, in: test, now: now, age: .random(in: 1...300_000, using: &random), about)
      _ = try await rebuild(test)
    }
  }

  /// - Parameter age: In seconds.
  private func assertRetention(
    of saves: [TimedSave], in test: TestStore, now: Int64, age: Int64, _ about: String
  ) async throws {
    set(now)
    let report = try await test.store.log.retain(.younger(than: .seconds(age)))
    let about = "\(report), age \(age), now \(now), of \(saves), \(about)"
    let limit = now - age * second
    let kept = Int(report.firstPosition.number) - 1
    // The last transaction stays in any case.
    let young = saves.firstIndex { $0.made >= limit } ?? saves.endIndex - 1
    XCTAssertLessThanOrEqual(kept, young, about)
    // An old save by a right clock goes, if no save before it is later by its date.
    let old = saves.indices.last { place in
      let save = saves[place]
      return save.isRight && save.made < limit
        && saves[..<place].allSatisfy { $0.date <= save.made || $0.date > now }
    }
    XCTAssertGreaterThanOrEqual(kept, min(old.map { $0 + 1 } ?? 0, saves.endIndex - 1), about)
    if report.blockedBy.isEmpty {
      XCTAssertFalse(saves[kept...].dropLast().contains { $0.date < limit }, about)
    } else {
      XCTAssertTrue(saves[kept...].contains { $0.date < limit || $0.date > now }, about)
    }
    try await verify(test.store)
  }

  // MARK: Rows

  private func steps(_ store: Store) throws -> [ClockStep] {
    try store.environment.read { (transaction) throws(StorageError) in
      try MetaTable(store.tables.meta).clockSteps(from: 1, transaction.view)
    }
  }

  func testClocksThatAreSecondsApartAddNoSteps() async throws {
    set(start)
    let test = try store()
    let context = RootContext(test.store, isolation: nil)
    for number in 1...10_000 {
      let time = start + Int64(number) * second
      set(number.isMultiple(of: 2) ? time : time - 4 * second)
      context.insert(Item(name: "at \(time)"))
      try await context.save()
    }
    XCTAssertEqual(try steps(test.store), [])
    let times = try test.store.log.transactions(after: 9_990).map(\.microseconds)
    XCTAssertEqual(times, times.sorted())
    XCTAssertLessThan(abs(times[9] - (start + 10_000 * second)), 10 * second)
    try await verify(test.store)
  }

  /// A row for each of them, so that a save writes one however many there are.
  func testClocksThatAreHoursApartAddARowForEachStepUntilItIsDropped() async throws {
    set(start)
    let test = try store()
    for number in 1...1_000 {
      let time = start + Int64(number) * second
      _ = try await save("ahead", in: test.store, at: time + 2 * hour)
      _ = try await save("right", in: test.store, at: time)
    }
    let all = try steps(test.store)
    XCTAssertEqual(all.map(\.position), (1...1_000).map { Position(2 * $0 + 1) })
    XCTAssertEqual(Set(all.map { $0.encoded().count }), [28])
    for number in [1, 500, 1_000] as [UInt64] {
      // The next save by the clock that is ahead may have been made by then.
      let found = min(Position(2 * number + 2), test.store.log.head)
      XCTAssertEqual(try test.store.log.position(atMicroseconds: start + Int64(number) * second), found)
    }
    for floor in [700, 1_990] as [Position] {
      _ = try await test.store.log.retain(.from(floor))
      XCTAssertEqual(try steps(test.store).map(\.position), all.map(\.position).filter { $0 >= floor - 1 })
      XCTAssertEqual(try test.store.log.position(atMicroseconds: start + 999 * second), 2_000)
      try await verify(test.store)
    }
  }

  func testVerifyFindsClockStepsThatTheLogDoesNotHave() async throws {
    let test = try await store(savedAt: [start, start + hour, start + 60 * second, start + 2 * hour, start + hour])
    let (store, all) = (test.store, try steps(test.store))
    XCTAssertEqual(all.map(\.position), [3, 5])
    for wrong in [
      [], [all[0]], all + [ClockStep(position: 4, before: start, time: start)],
      [all[0], ClockStep(position: 5, before: all[1].before + 1, time: all[1].time)],
    ] {
      try store.environment.write { (transaction) throws(StorageError) in
        try MetaTable(store.tables.meta).put(wrong, after: 0, transaction)
      }
      let problems = try await StoreMaintenance.verify(store).problems
      XCTAssertEqual(problems.count, 1)
      XCTAssertTrue(
        problems.first?.hasPrefix("According to the log, the clock was set back at the transactions [3, 5]") ?? false,
        "\(problems)")
    }
    let rebuilt = try await rebuild(test)
    XCTAssertEqual(try steps(rebuilt), all)
  }

  func testADamagedClockStepIsFoundAndRebuilt() async throws {
    let test = try await store(savedAt: [start, start + hour, start + 60 * second, start + 2 * hour, start + hour])
    let (store, all) = (test.store, try steps(test.store))
    try store.environment.write { (transaction) throws(StorageError) in
      // The row of another position.
      let meta = MetaTable(store.tables.meta)
      try meta.put(MetaKey.clockStep(3), all[1].encoded(), transaction)
    }
    let report = try await StoreMaintenance.verify(store)
    XCTAssertFalse(report.isSound)
    XCTAssertThrowsError(try store.log.position(atMicroseconds: start + 90 * second))
    let rebuilt = try await rebuild(test)
    XCTAssertEqual(try steps(rebuilt), all)
  }
}
