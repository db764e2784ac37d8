import Foundation
import RepriseLMDB
import RepriseSystem
import RepriseTestProcesses
import XCTest

final class ReaderTests: EnvironmentTestCase {
  func testManyReadsUseOneSlot() throws {
    let environment = try open()
    try environment.put(environment["t"], "a", "1")
    for _ in 0..<1000 { _ = try environment.string(environment["t"], "a") }
    XCTAssertEqual(try environment.readers(), [Environment.Reader(process: Int(getpid()), transactionID: nil)])
  }

  func testOldSnapshotIsReportedAndKeepsPagesFromReuse() throws {
    let environment = try open()
    let table = environment["t"]
    try environment.put(table, "a", "0")
    let before: Int
    do {
      let old = try environment.beginRead()
      for number in 0..<50 { try environment.put(table, "a", "\(number)") }
      before = try environment.statistics().pageCount
      let statistics = try environment.statistics()
      XCTAssertEqual(statistics.readers.compactMap(\.transactionID).min(), statistics.lastTransactionID - 50)
      XCTAssertEqual(try old.view.string(table, "a"), "0")
    }
    XCTAssertNil(try environment.statistics().readers.compactMap(\.transactionID).min())
    XCTAssertGreaterThan(try environment.statistics().freePages, 50)
    for number in 0..<50 { try environment.put(table, "a", "\(number)") }
    XCTAssertEqual(try environment.statistics().pageCount, before)
  }

  /// LMDB notes the number of the last commit, and looks at the page with its tables next. Whoever is held up in
  /// between while others commit would get the tables of a later commit under the number of the earlier one.
  func testASnapshotIsThatOfItsNumberHoweverManyCommitsComeWhileItIsTaken() throws {
    let environment = try open()
    let table = environment["t"]
    try environment.write { transaction throws(StorageError) in try transaction.put(table, "a", "\(transaction.id)") }
    let isDone = Guarded(false)
    let wrong = Guarded<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 6) { index in
      if index == 0 {
        for _ in 0..<30_000 {
          try? environment.write { transaction throws(StorageError) in
            try transaction.put(table, "a", "\(transaction.id)")
          }
        }
        return isDone.withLock { $0 = true }
      }
      while !isDone.withLock({ $0 }) {
        guard let transaction = try? environment.beginRead() else { continue }
        let written = (try? transaction.view.string(table, "a")) ?? "nothing"
        if written != "\(transaction.id)" { wrong.withLock { $0.append("\(written) in \(transaction.id)") } }
      }
    }
    XCTAssertEqual(wrong.withLock { $0 }, [])
  }

  func testTooManyReadersIsAnErrorAndPassesWhenOneEnds() throws {
    let environment = try open { $0.maxReaders = 3 }
    try environment.put(environment["t"], "a", "1")
    let most = try environment.statistics().maxReaders
    func nest(_ depth: Int) throws {
      guard depth < most else {
        XCTAssertThrowsError(try environment.string(environment["t"], "a")) {
          XCTAssertEqual($0 as? StorageError, .readersFull(StorageError.Site(.beginRead, directory)))
        }
        return
      }
      let held = try environment.beginRead()
      try nest(depth + 1)
      XCTAssertEqual(try held.view.string(environment["t"], "a"), "1")
    }
    try nest(0)
    XCTAssertEqual(try environment.string(environment["t"], "a"), "1")
  }

  func testSlotsOfAKilledProcessAreFreedWhenAllAreTaken() throws {
    let environment = try open { $0.maxReaders = 3 }
    try environment.put(environment["t"], "a", "1")
    let most = try environment.statistics().maxReaders
    let child = try ChildProcess("hold readers", in: directory)
    XCTAssertEqual(child.heard(), "holding 2 2")
    child.kill()
    XCTAssertEqual(try environment.readers().filter { $0.process == child.identifier }.count, 2)
    func nest(_ depth: Int) throws {
      guard depth < most else { return }
      let held = try environment.beginRead()
      try nest(depth + 1)
      XCTAssertEqual(held.id, 2)
    }
    try nest(0)
    XCTAssertEqual(environment.counters[.readerCheck], 1)
    XCTAssertEqual(try environment.readers().filter { $0.process == child.identifier }, [])
  }

  func testSnapshotOfAKilledProcessDoesNotPinPagesAfterTheNextOpen() throws {
    try open().close()
    // Someone has to have the store open all the time: the first one in clears the whole table anyway.
    let witness = try ChildProcess("hold readers", in: directory)
    XCTAssertNotNil(witness.heard())
    let victim = try ChildProcess("hold readers", in: directory)
    XCTAssertNotNil(victim.heard())
    victim.kill()
    let environment = try open()
    let processes = Set(try environment.readers().map(\.process))
    XCTAssertTrue(processes.contains(Int(witness.identifier)))
    XCTAssertFalse(processes.contains(Int(victim.identifier)))
    witness.end()
  }

  func testSnapshotOfAKilledProcessPinsPagesForSomeCommitsOnly() throws {
    let environment = try open()
    let table = environment["t"]
    try environment.put(table, "a", "1")
    let victim = try ChildProcess("hold readers", in: directory)
    XCTAssertNotNil(victim.heard())
    victim.kill()
    for number in 0..<256 { try environment.put(table, "a", "\(number)") }
    XCTAssertNil(try environment.readers().compactMap(\.transactionID).min())
    let pages = try environment.statistics().pageCount
    for number in 0..<256 { try environment.put(table, "a", "\(number)") }
    XCTAssertLessThan(try environment.statistics().pageCount, pages + 16)
  }

  /// The first process of a container has the ID of the one before, and LMDB takes its slots for its own.
  func testSnapshotOfAnEarlierProcessWithThisIDDoesNotPinPages() throws {
    try open().close()
    let witness = try ChildProcess("hold readers", in: directory)
    XCTAssertNotNil(witness.heard())
    let victim = try ChildProcess("hold readers", in: directory)
    XCTAssertNotNil(victim.heard())
    victim.kill()
    try renumberReaders(from: victim.identifier, to: getpid())
    let environment = try open()
    XCTAssertEqual(try environment.readers().filter { $0.process == Int(getpid()) && $0.transactionID != nil }, [])
    XCTAssertTrue(try environment.readers().contains { $0.process == witness.identifier && $0.transactionID != nil })
    witness.end()
  }

  /// Gives the slots of a process to another one, in the table of readers behind the locks.
  private func renumberReaders(from old: Int32, to new: Int32) throws {
    let url = URL(fileURLWithPath: directory + "/lock.mdb")
    let bytes = [UInt8](try Data(contentsOf: url))
    let file = try FileHandle(forUpdating: url)
    for slot in stride(from: 128, to: bytes.count - 64, by: 64) {
      let process = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: slot + 8, as: Int32.self) }
      guard process == old else { continue }
      try file.seek(toOffset: UInt64(slot + 8))
      try file.write(contentsOf: withUnsafeBytes(of: new) { Data($0) })
    }
    try file.close()
  }

  func testSecondOpenInTheProcessDoesNotDropTheLocksOfTheFirst() throws {
    let environment = try open()
    try environment.put(environment["t"], "a", "1")
    let held = try environment.beginRead()
    try open().close()
    // If the locks were gone, the child would take itself for the first one in and clear the table of readers.
    let child = try ChildProcess("tell the readers", in: directory)
    let said = try XCTUnwrap(child.heard())
    child.end()
    XCTAssertTrue(said.split(separator: " ").contains("\(getpid())"), said)
    XCTAssertEqual(try held.view.string(environment["t"], "a"), "1")
  }

  func testReadTransactionMayEndOnAnotherThread() throws {
    final class Box {
      let transaction: ReadTransaction
      init(_ transaction: consuming ReadTransaction) { self.transaction = transaction }
    }
    let environment = try open()
    let table = environment["t"]
    try environment.put(table, "a", "1")
    for _ in 0..<10 {
      let box = Guarded<Box?>(Box(try environment.beginRead()))
      let here = pthread_self()
      let ended = expectation(description: "ended")
      Thread.detachNewThread {
        XCTAssertEqual(pthread_equal(here, pthread_self()), 0)
        box.withLock { box in
          if let box { XCTAssertEqual(try? string(box.transaction, table, "a"), "1") }
          box = nil
        }
        ended.fulfill()
      }
      wait(for: [ended], timeout: 60)
    }
    XCTAssertEqual(try environment.readers().map(\.transactionID), [nil])
  }
}

/// A property of a class cannot lend its view; a parameter can.
private func string(
  _ transaction: borrowing ReadTransaction, _ table: Table, _ key: String
) throws(StorageError) -> String? {
  try transaction.view.string(table, key)
}
