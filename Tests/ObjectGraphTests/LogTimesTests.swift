import RepriseLMDB
import RepriseTestModels
import RepriseTestSeeds
import XCTest

@testable import RepriseEventStore
@testable import RepriseObjectGraph

/// Look-ups by time, compared with the same rules over an array, and the rows of the clock steps.
final class LogTimesTests: ClockTestCase {
  private var hour: Int64 { 3_600 * second }

  /// The log times of the transactions, first to last.
  private struct Model {
    let times: [Int64]
    let now: Int64

    /// Whether the clock was behind.
    var areBehind: [Bool] {
      var found = times.map { _ in false }
      var place = 1
      while place < times.count {
        if times[place] <= times[place - 1], let end = end(from: place, found) {
          for index in place..<end { found[index] = true }
          place = end
        }
        place += 1
      }
      return found
    }

    private func end(from place: Int, _ areBehind: [Bool]) -> Int? {
      let (before, after) = (times[place - 1], times[place])
      let all = times + [now]
      guard let end = all.indices.first(where: { $0 > place && all[$0] > before }) else { return nil }
      let (jump, size) = (all[end] - all[end - 1], before - after)
      guard jump >= size, jump <= 2 * size else { return nil }
      var earlier = place - 1
      while earlier > 0, times[earlier - 1] < times[earlier], !areBehind[earlier - 1] { earlier -= 1 }
      if let last = (earlier..<place).last(where: { times[$0] <= after }), times[last + 1] - times[last] >= size {
        return nil
      }
      return end
    }

    func position(at time: Int64) -> Position {
      if time >= now { return Position(UInt64(times.count)) }
      let areBehind = areBehind
      guard var found = times.indices.last(where: { !areBehind[$0] && times[$0] <= time }) else { return 0 }
      while found + 1 < times.count, areBehind[found + 1] { found += 1 }
      return Position(UInt64(found) + 1)
    }

    /// The floor, if everything is dropped that was surely saved before.
    func floor(before limit: Int64) -> Position {
      var floor = 0
      for (place, time) in times.enumerated() {
        if time >= limit && time <= now { break }
        let earlier = times[...place].filter { $0 <= now }
        if time < limit, time == earlier.max() { floor = place + 1 }
      }
      return Position(UInt64(min(floor + 1, times.count)))
    }
  }

  /// Times by clocks that are now right, now wrong, far or near.
  private func times(_ count: Int, _ random: inout SeededGenerator) -> [Int64] {
    var time = start
    var offset: Int64 = 0
    var times: [Int64] = []
    for _ in 0..<count {
      time += Int64.random(in: 1...(Bool.random(using: &random) ? 10 : 1_000), using: &random) * 60 * second
      switch Int.random(in: 0..<10, using: &random) {
      case 0: offset = -time + Int64.random(in: 0..<1_000, using: &random) * second
      case 1: offset = year + Int64.random(in: 0..<1_000, using: &random) * second
      case 2: offset = Int64.random(in: -100...100, using: &random) * 300 * second
      case 3...6: offset = 0
      default: break
      }
      times.append(time + offset)
    }
    return times
  }

  func testLookUpsByTimeFollowTheirRulesWhateverTheClocksDid() async throws {
    for seed in testSeeds(25) {
      var random = SeededGenerator(seed: seed)
      let clocks = times(.random(in: 2...40, using: &random), &random)
      let test = try await store(savedAt: clocks)
      let times = try test.store.transactions(limit: 100).map(\.microseconds)
      let now = max(clocks[clocks.count - 1], start + Int64.random(in: 0...40, using: &random) * day)
      set(now)
      let model = Model(times: times, now: now)
      let about = "of \(times), now \(now), seed \(seed)"
      var last: Position = 0
      let questions: [Int64] = times + times.map { $0 - 1 } + [start, now - 1, now]
      for time in questions.sorted() {
        let found = try test.store.position(atMicroseconds: time)
        XCTAssertEqual(found, model.position(at: time), "at \(time) \(about)")
        XCTAssertGreaterThanOrEqual(found, last, "at \(time) \(about)")
        last = found
      }
      let age = Int64.random(in: 1...30, using: &random) * day
      let floor = try await test.store.retain(.younger(than: .microseconds(age))).floor
      XCTAssertEqual(floor, model.floor(before: now - age), "age \(age) \(about)")
      for (place, time) in times.enumerated() where time >= now - age && time <= now {
        XCTAssertLessThanOrEqual(floor, Position(UInt64(place) + 1), "age \(age) \(about)")
      }
      try await verify(test.store)
      _ = try await rebuild(test)
    }
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
    let times = try test.store.transactions(after: 9_990).map(\.microseconds)
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
    for number in [1, 500, 1_000] as [Int64] {
      XCTAssertEqual(
        try test.store.position(atMicroseconds: start + number * second), Position(2 * UInt64(number) + 1))
    }
    for floor in [700, 1_990] as [Position] {
      _ = try await test.store.retain(.from(floor))
      XCTAssertEqual(try steps(test.store).map(\.position), all.map(\.position).filter { $0 >= floor - 1 })
      XCTAssertEqual(try test.store.position(atMicroseconds: start + 999 * second), 1_999)
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
      let problems = try await store.verify().problems
      XCTAssertEqual(problems.count, 1)
      XCTAssertTrue(
        problems.first?.hasPrefix("The clock was set back at the transactions [3, 5]") ?? false, "\(problems)")
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
    let report = try await store.verify()
    XCTAssertFalse(report.isSound)
    XCTAssertThrowsError(try store.position(atMicroseconds: start + 90 * second))
    let rebuilt = try await rebuild(test)
    XCTAssertEqual(try steps(rebuilt), all)
  }
}
