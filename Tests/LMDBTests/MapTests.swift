import Dispatch
import RepriseLMDB
import RepriseTestProcesses
import Synchronization
import XCTest

private let value = String(repeating: "x", count: 3000)

private func fill(_ transaction: borrowing WriteTransaction, _ table: Table, _ name: String) throws(StorageError) {
  for number in 0..<500 { try transaction.put(table, "\(name) \(number)", value) }
}

final class MapTests: EnvironmentTestCase {
  private func assertFilled(_ environment: Environment, _ name: String) throws {
    let transaction = try environment.beginRead()
    for number in 0..<500 {
      XCTAssertEqual(try transaction.view.string(environment["t"], "\(name) \(number)"), value)
    }
  }

  func testFullMapGrowsAndTheBodyRunsAgain() throws {
    let environment = try open { $0.mapSize = 1 << 18 }
    try environment.put(environment["t"], "a", "1")
    var runs = 0
    let result = try environment.write { transaction throws(StorageError) in
      runs += 1
      try fill(transaction, environment["t"], "b")
      return runs
    }
    XCTAssertGreaterThan(runs, 1)
    XCTAssertEqual(result, runs)
    XCTAssertEqual(environment.counters[.commit], 2)
    XCTAssertEqual(environment.counters[.mapResize], runs - 1)
    try assertFilled(environment, "b")
    XCTAssertEqual(try environment.string(environment["t"], "a"), "1")
  }

  func testFullMapThatTheBodySwallowsIsNotCommittedHalf() throws {
    let environment = try open { $0.mapSize = 1 << 18 }
    try environment.write { transaction throws(StorageError) in
      for number in 0..<500 { try? transaction.put(environment["t"], "b \(number)", value) }
    }
    try assertFilled(environment, "b")
  }

  func testBodyThatThrowsItsOwnErrorForAFullMapRunsAgain() throws {
    struct StoreError: StorageErrorConvertible {
      init(_: StorageError) {}
    }
    let environment = try open { $0.mapSize = 1 << 18 }
    try environment.write { transaction throws(StoreError) in
      do throws(StorageError) { try fill(transaction, environment["t"], "b") } catch { throw StoreError(error) }
    }
    try assertFilled(environment, "b")
  }

  func testReaderHeldAcrossAGrowingWriteIsAnErrorAndNoHang() throws {
    let environment = try open {
      $0.mapSize = 1 << 18
      $0.resizeTimeout = 30
    }
    try environment.put(environment["t"], "a", "1")
    do {
      let held = try environment.beginRead()
      XCTAssertThrowsError(
        try environment.write { transaction throws(StorageError) in try fill(transaction, environment["t"], "b") }
      ) {
        let site = StorageError.Site(.setMapSize, directory)
        XCTAssertEqual($0 as? StorageError, .mapGrowthBlocked(liveTransactions: 1, site))
      }
      XCTAssertEqual(try held.view.string(environment["t"], "a"), "1")
    }
    try environment.write { transaction throws(StorageError) in try fill(transaction, environment["t"], "b") }
    try assertFilled(environment, "b")
  }

  func testReaderInsideAReadIsLetInWhileTheMapWaitsToGrow() throws {
    let environment = try open { $0.mapSize = 1 << 18 }
    let table = environment["t"]
    try environment.put(table, "a", "1")
    let grown = DispatchSemaphore(value: 0)
    do {
      let outer = try environment.beginRead()
      DispatchQueue.global().async {
        try? environment.write { transaction throws(StorageError) in try fill(transaction, table, "b") }
        grown.signal()
      }
      // The writer finds the map full at once, and waits for the outer one from then on.
      while environment.counters[.abort] == 0 { usleep(100) }
      XCTAssertEqual(try environment.string(table, "a"), "1")
      XCTAssertEqual(try outer.view.string(table, "a"), "1")
    }
    grown.wait()
    try assertFilled(environment, "b")
  }

  func testMapGrowsWhileOtherThreadsRead() throws {
    let environment = try open { $0.mapSize = 1 << 18 }
    let table = environment["t"]
    try environment.put(table, "a", "1")
    let isDone = Atomic<Bool>(false)
    let wrong = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: 4) { index in
      if index == 0 {
        for name in ["b", "c", "d", "e"] {
          try? environment.write { transaction throws(StorageError) in try fill(transaction, table, name) }
        }
        isDone.store(true, ordering: .releasing)
        return
      }
      while !isDone.load(ordering: .acquiring) {
        let read = try? environment.string(table, "a")
        if read != "1" { wrong.wrappingAdd(1, ordering: .relaxed) }
      }
    }
    XCTAssertEqual(wrong.load(ordering: .relaxed), 0)
    XCTAssertGreaterThan(environment.counters[.mapResize], 2)
    for name in ["b", "c", "d", "e"] { try assertFilled(environment, name) }
  }

  func testMapGrownByAnotherProcessIsTakenOverByTheNextReader() throws {
    let environment = try growInAnotherProcess()
    XCTAssertEqual(try environment.string(environment["t"], "of the child 999"), value)
    XCTAssertEqual(environment.counters[.mapResize], 1)
  }

  func testMapGrownByAnotherProcessIsTakenOverByTheNextWriter() throws {
    let environment = try growInAnotherProcess()
    try environment.put(environment["t"], "a", "2")
    XCTAssertEqual(environment.counters[.mapResize], 1)
    XCTAssertEqual(try environment.string(environment["t"], "a"), "2")
    XCTAssertEqual(try environment.string(environment["t"], "of the child 999"), value)
  }

  private func growInAnotherProcess() throws -> Environment {
    let environment = try open { $0.mapSize = 1 << 20 }
    try environment.put(environment["t"], "a", "1")
    let child = try ChildProcess("fill the map", in: directory)
    let said = try XCTUnwrap(child.heard())
    child.end()
    XCTAssertTrue(said.hasPrefix("map "), said)
    XCTAssertEqual(environment.counters[.mapResize], 0)
    return environment
  }
}
