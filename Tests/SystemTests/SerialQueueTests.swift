import RepriseSystem
import XCTest

final class SerialQueueTests: XCTestCase {
  private func order(of queue: SerialQueue, threads: Int, each: Int) async -> [[Int]] {
    let seen = Shared([[Int]](repeating: [], count: threads))
    await withTaskGroup { group in
      for thread in 0..<threads {
        group.addTask {
          for number in 0..<each { queue.run { seen.value.withLock { $0[thread].append(number) } } }
        }
      }
    }
    await withCheckedContinuation { continuation in queue.run { continuation.resume() } }
    return seen.value.withLock { $0 }
  }

  func testNothingIsLostOrOvertakenBetweenAThreadThatEndsAndTheNext() async {
    for idleTime: UInt64 in [0, 1, 1_000_000_000] {
      let queue = SerialQueue(idleTime: idleTime)
      for _ in 0..<50 {
        let seen = await order(of: queue, threads: 4, each: 50)
        XCTAssertEqual(seen, Array(repeating: Array(0..<50), count: 4), "idleTime \(idleTime)")
      }
    }
  }

  func testTwoNeverRunAtOnce() async {
    let queue = SerialQueue(idleTime: 0)
    let running = Shared(0)
    let most = Shared(0)
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<200 {
            queue.run {
              let count = running.value.withLock { count in
                count += 1
                return count
              }
              most.value.withLock { $0 = max($0, count) }
              running.value.withLock { $0 -= 1 }
            }
          }
        }
      }
    }
    await withCheckedContinuation { continuation in queue.run { continuation.resume() } }
    XCTAssertEqual(most.value.withLock { $0 }, 1)
  }

  func testAskedForInsideItselfItWaitsItsTurn() async {
    let queue = SerialQueue()
    let seen = Guarded<[String]>([])
    await withCheckedContinuation { continuation in
      queue.run {
        queue.checkIsCurrent()
        queue.run {
          seen.withLock { $0.append("inner") }
          continuation.resume()
        }
        seen.withLock { $0.append("outer") }
      }
    }
    XCTAssertEqual(seen.withLock { $0 }, ["outer", "inner"])
  }

  func testAQueueThatNobodyHoldsEndsWithItsThread() async {
    weak var gone: SerialQueue?
    do {
      let queue = SerialQueue(idleTime: 0)
      gone = queue
      await withCheckedContinuation { continuation in queue.run { continuation.resume() } }
    }
    for _ in 0..<10_000 where gone != nil { try? await Task.sleep(for: .milliseconds(1)) }
    XCTAssertNil(gone)
  }
}

/// A guarded value has one owner.
private final class Shared<Value: Sendable>: Sendable {
  let value: Guarded<Value>
  init(_ value: Value) { self.value = Guarded(value) }
}
