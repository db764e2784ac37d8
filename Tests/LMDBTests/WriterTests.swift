import Dispatch
import Foundation
import RepriseLMDB
import XCTest

final class WriterTests: EnvironmentTestCase {
  func testWriteInsideAWriteIsAnErrorAndNoDeadlock() throws {
    let environment = try open()
    let table = environment["t"]
    try environment.write { transaction throws(StorageError) in
      try transaction.put(table, "a", "1")
      do throws(StorageError) {
        try environment.put(table, "a", "2")
        XCTFail("the inner write ran")
      } catch {
        XCTAssertEqual(error, .writeInsideWrite(StorageError.Site(.beginWrite, directory)))
      }
    }
    XCTAssertEqual(try environment.string(table, "a"), "1")
    try environment.put(table, "a", "3")
    XCTAssertEqual(try environment.string(table, "a"), "3")
  }

  func testNoCommitGoesIntoADeletedFile() throws {
    let environment = try open()
    let table = environment["t"]
    try environment.put(table, "a", "1")
    XCTAssertEqual(unlink(dataFile), 0)
    for _ in 0..<2 {
      do throws(StorageError) {
        try environment.put(table, "a", "2")
        XCTFail("committed")
      } catch {
        XCTAssertEqual(error, .fileDeleted(name: "data.mdb", StorageError.Site(.commit, directory)))
      }
    }
    XCTAssertEqual(try environment.string(table, "a"), "1")
  }

  func testWritersOfManyThreadsLoseNoUpdate() throws {
    let environment = try open()
    let table = environment["t"]
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<50 {
        try? environment.write { transaction throws(StorageError) in
          let count = Int(try transaction.view.string(table, "count") ?? "0") ?? 0
          try transaction.put(table, "count", "\(count + 1)")
        }
      }
    }
    XCTAssertEqual(try environment.string(table, "count"), "200")
    XCTAssertEqual(environment.counters[.commit], 200)
  }

  func testKilledWriterLeavesNothingAndDoesNotBlockTheNext() throws {
    let environment = try open()
    let table = environment["t"]
    try environment.put(table, "a", "1")
    let child = try ChildProcess("die in a write", in: directory)
    XCTAssertEqual(child.heard(), "writing")
    child.kill()
    XCTAssertEqual(try environment.string(table, "a"), "1")
    try environment.put(table, "b", "2")
    XCTAssertEqual(try environment.string(table, "a"), "1")
    XCTAssertEqual(try environment.string(table, "b"), "2")
  }

  func testWriteOfAnotherProcessIsSeenByTheNextRead() throws {
    let environment = try open()
    let before = try environment.lastTransactionID()
    let child = try ChildProcess("write", in: directory)
    XCTAssertEqual(child.heard(), "written")
    child.end()
    XCTAssertEqual(try environment.lastTransactionID(), before + 1)
    XCTAssertEqual(try environment.string(environment["t"], "of the child"), "1")
  }

  func testOpeningAStoreThatHasItsTablesDoesNotWaitForAWriter() throws {
    let environment = try open()
    try environment.put(environment["t"], "a", "1")
    try environment.write { transaction throws(StorageError) in
      try transaction.put(environment["t"], "a", "2")
      var said: String?
      if let child = try? ChildProcess("open", in: directory) {
        said = child.heard()
        child.end()
      }
      XCTAssertEqual(said, "read 1")
    }
  }

  func testKeysThatDoNotFitAreRefusedAndTheTransactionGoesOn() throws {
    let environment = try open()
    let table = environment["t"]
    XCTAssertEqual(environment.maximumKeySize, 511)
    let longest = String(repeating: "k", count: environment.maximumKeySize)
    try environment.write { transaction throws(StorageError) in
      for key in ["", longest + "k"] {
        do throws(StorageError) {
          try transaction.put(table, key, "1")
          XCTFail("\(key.utf8.count) bytes")
        } catch {
          XCTAssertEqual(error, .badValueSize(StorageError.Site(.put, directory)))
        }
      }
      try transaction.put(table, longest, "1")
    }
    XCTAssertEqual(try environment.string(table, longest), "1")
  }

  func testEmptyValueIsNotAMissingOne() throws {
    let environment = try open()
    try environment.put(environment["t"], "a", "")
    XCTAssertEqual(try environment.string(environment["t"], "a"), "")
  }

  func testCommitsInEveryDurabilityAreThereAfterReopening() throws {
    for durability in [Environment.Durability.full, .relaxed, .unflushed] {
      let environment = try open { $0.durability = durability }
      try environment.put(environment["t"], "\(durability)", "1")
      try environment.flush()
      environment.close()
    }
    let environment = try open()
    XCTAssertEqual(try environment.beginRead().id, 4)
    for key in ["full", "relaxed", "unflushed"] {
      XCTAssertEqual(try environment.string(environment["t"], key), "1")
    }
  }
}
