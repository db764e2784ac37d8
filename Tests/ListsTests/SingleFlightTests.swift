import RepriseLists
import XCTest

@MainActor
final class SingleFlightTests: XCTestCase {
  private struct Failure: Error, Equatable {}

  /// Work that lasts until it is let go.
  @MainActor private final class Gate {
    var begun = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func pass() async {
      begun += 1
      await withCheckedContinuation { waiting.append($0) }
    }

    func open() {
      let waiting = waiting
      self.waiting = []
      for continuation in waiting { continuation.resume() }
    }
  }

  private func settle() async { for _ in 0..<20 { await Task.yield() } }

  func testCallsDuringTheWorkDoNotRepeatIt() async throws {
    let flight = SingleFlight()
    let gate = Gate()
    let calls = (0..<5).map { _ in Task { try await flight.run { await gate.pass() } } }
    await settle()
    XCTAssertTrue(flight.isRunning)
    XCTAssertEqual(gate.begun, 1)
    gate.open()
    for call in calls { try await call.value }
    XCTAssertFalse(flight.isRunning)
    XCTAssertEqual(gate.begun, 1)
    let later = Task { try await flight.run { await gate.pass() } }
    await settle()
    gate.open()
    try await later.value
    XCTAssertEqual(gate.begun, 2, "later work is done again")
  }

  func testAFailureReachesAllWhoWait() async throws {
    let flight = SingleFlight()
    let gate = Gate()
    let calls = (0..<3).map { _ in
      Task {
        try await flight.run {
          await gate.pass()
          throw Failure()
        }
      }
    }
    await settle()
    gate.open()
    for call in calls {
      do {
        try await call.value
        XCTFail("it failed")
      } catch {
        XCTAssertTrue(error is Failure)
      }
    }
  }

  func testACancelledCallLeavesTheWorkToOneThatWaits() async throws {
    let flight = SingleFlight()
    let gate = Gate()
    let work: @MainActor () async throws -> Void = {
      await gate.pass()
      try Task.checkCancellation()
    }
    let first = Task { try await flight.run { try await work() } }
    await settle()
    let others = (0..<3).map { _ in Task { try await flight.run { try await work() } } }
    await settle()
    first.cancel()
    gate.open()
    await settle()
    XCTAssertEqual(gate.begun, 2, "one of those that wait has begun")
    gate.open()
    for other in others { try await other.value }
    let result = await first.result
    XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
    XCTAssertEqual(gate.begun, 2)
  }

  func testACancelledWaitEndsBeforeTheWork() async throws {
    let flight = SingleFlight()
    let gate = Gate()
    let first = Task { try await flight.run { await gate.pass() } }
    await settle()
    let waiting = Task { try await flight.run { await gate.pass() } }
    await settle()
    waiting.cancel()
    let result = await waiting.result
    XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
    XCTAssertTrue(flight.isRunning)
    gate.open()
    try await first.value
    XCTAssertEqual(gate.begun, 1)
  }
}
