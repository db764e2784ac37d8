import RepriseEventStore
import RepriseObjectModel
import RepriseSystem
import RepriseTestModels
import XCTest

@testable import RepriseObjectGraph

/// A store on a machine whose clock is what the test says.
class ClockTestCase: XCTestCase {
  private final class TestClock: Sendable {
    let microseconds = Guarded<Int64>(0)
  }

  private let clock = TestClock()
  let second: Int64 = 1_000_000
  let day: Int64 = 86_400 * 1_000_000
  let year: Int64 = 365 * 86_400 * 1_000_000
  /// 2026-01-01.
  let start: Int64 = 1_767_225_600_000_000

  func store() throws -> TestStore {
    let clock = clock
    return try TestStore(wallClock: { clock.microseconds.withLock { $0 } })
  }

  func set(_ time: Int64) { clock.microseconds.withLock { $0 = time } }

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
    XCTAssertEqual(test.store.head, Position(UInt64(times.count)))
    return test
  }

  func rebuild(_ test: TestStore) async throws -> Store {
    try await test.store.close()
    try await Store.rebuild(test.path)
    try test.open()
    try await verify(test.store)
    return test.store
  }

  func verify(_ store: Store) async throws {
    let report = try await store.verify()
    XCTAssertTrue(report.isSound, "\(report)")
  }
}
