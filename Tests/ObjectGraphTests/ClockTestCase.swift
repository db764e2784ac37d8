import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseSystem
import RepriseTestModels
import XCTest

/// A store on a machine whose clock is what the test says.
class ClockTestCase: XCTestCase {
  private final class TestClock: Sendable {
    private struct Time { var microseconds: Int64 = 0, tick: Int64 = 0 }
    private let time = Guarded(Time())

    func set(_ microseconds: Int64) { time.withLock { $0.microseconds = microseconds } }
    func tick(by microseconds: Int64) { time.withLock { $0.tick = microseconds } }

    func look() -> Int64 {
      time.withLock { time in
        time.microseconds += time.tick
        return time.microseconds
      }
    }
  }

  /// When a save was made, and the date that it has by the clock of its machine.
  struct TimedSave {
    let made: Int64
    let date: Int64
    var isRight: Bool { date == made }
  }

  private let clock = TestClock()
  let second: Int64 = 1_000_000
  let day: Int64 = 86_400 * 1_000_000
  let year: Int64 = 365 * 86_400 * 1_000_000
  /// 2026-01-01.
  let start: Int64 = 1_767_225_600_000_000

  func store() throws -> TestStore {
    let clock = clock
    return try TestStore(wallClock: { clock.look() })
  }

  func set(_ time: Int64) { clock.set(time) }

  /// From now on the clock goes on with each look at it.
  func letTimePass() { clock.tick(by: 1) }

  /// What the clock shows, as a program would ask it.
  func look() -> Int64 { clock.look() }

  func save(_ name: String, in store: Store, at time: Int64) async throws -> Position {
    set(time)
    let context = RootContext(store, isolation: nil)
    context.insert(Item(name: name))
    return try await context.save(name)
  }

  /// A store with a save at each time. The first of them is the one that makes the store.
  func store(savedAt times: [Int64]) async throws -> TestStore {
    set(times[0])
    let test = try store()
    for time in times.dropFirst() { _ = try await save("at \(time)", in: test.store, at: time) }
    XCTAssertEqual(test.store.log.head, Position(UInt64(times.count)))
    return test
  }

  /// Looks up moments: no save is missing that was made before, unless nothing shows that its clock was ahead, and no
  /// save is there that a right clock made later.
  func assertPast(_ saves: [TimedSave], of store: Store, now: Int64, _ about: String = "", line: UInt = #line) throws {
    set(now)
    let moments = saves.flatMap { [$0.made - 1, $0.made, $0.made + 90 * second] } + [now - 1, now]
    var last: Position = 0
    for moment in moments.sorted() where moment <= now {
      let found = try store.log.position(atMicroseconds: moment)
      let due = saves.indices.last { place in
        let save = saves[place]
        let isShown = saves[place...].contains { $0.isRight && $0.made < save.date } || now < save.date
        return save.made <= moment && (save.date <= moment || isShown)
      }
      let later = saves.firstIndex { $0.isRight && $0.made > moment } ?? saves.endIndex
      func message() -> String { "at \(moment) of \(saves), now \(now) \(about)" }
      XCTAssertGreaterThanOrEqual(found, Position(UInt64(due.map { $0 + 1 } ?? 0)), message(), line: line)
      XCTAssertLessThanOrEqual(found, Position(UInt64(later)), message(), line: line)
      XCTAssertGreaterThanOrEqual(found, last, message(), line: line)
      last = found
    }
  }

  func rebuild(_ test: TestStore) async throws -> Store {
    try await test.store.close()
    try await StoreMaintenance.rebuild(test.path)
    try test.open()
    try await verify(test.store)
    return test.store
  }

  func verify(_ store: Store) async throws {
    let report = try await StoreMaintenance.verify(store)
    XCTAssertTrue(report.isSound, "\(report)")
  }
}
