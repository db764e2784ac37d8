import Foundation
import RepriseLMDB
import RepriseTestProcesses
import XCTest

/// Writes beside another process that has LMDB's lock for writing, and is stopped or takes long.
final class WaitingTests: EnvironmentTestCase {
  private func stoppedWriter() throws -> ChildProcess {
    let child = try ChildProcess("die in a write", in: directory)
    XCTAssertEqual(child.heard(), "writing")
    child.stop()
    return child
  }

  private func expectBusy(_ child: ChildProcess, _ milliseconds: Int, _ body: () throws -> Void) {
    XCTAssertThrowsError(try body()) {
      let (process, thread) = (child.identifier, child.identifier)
      XCTAssertEqual(
        $0 as? StorageError,
        .writerBusy(
          process: process, thread: thread, milliseconds: milliseconds, StorageError.Site(.beginWrite, directory)))
    }
  }

  func testAWriteBesideAStoppedProcessEndsAndNamesIt() throws {
    let environment = try open { $0.writerTimeout = 60 }
    let child = try stoppedWriter()
    expectBusy(child, 60) { try environment.put(environment["t"], "a", "1") }
    expectBusy(child, 7) {
      try environment.write(waiting: 7) { transaction throws(StorageError) in
        try transaction.put(environment["t"], "a", "1")
      }
    }
    XCTAssertNil(try environment.string(environment["t"], "a"))
    child.proceed()
    child.end()
    try environment.put(environment["t"], "b", "1")
    XCTAssertEqual(try environment.string(environment["t"], "a"), "of the dead")
  }

  func testAWriteThatWaitsCanBeCancelled() throws {
    let environment = try open { $0.writerTimeout = 600_000 }
    let child = try stoppedWriter()
    var asked: [Int] = []
    XCTAssertThrowsError(
      try environment.write {
        asked.append($0)
        return asked.count == 5
      } _: { transaction throws(StorageError) in
        try transaction.put(environment["t"], "b", "1")
      }
    ) { XCTAssertEqual($0 as? StorageError, .cancelled(StorageError.Site(.beginWrite, directory))) }
    XCTAssertEqual(asked, asked.sorted())
    child.kill()
    XCTAssertNil(try environment.string(environment["t"], "b"))
    try environment.put(environment["t"], "b", "2")
  }

  func testAWriteGoesOnOnceTheStoppedProcessDoes() throws {
    let environment = try open { $0.writerTimeout = 600_000 }
    let child = try stoppedWriter()
    var isLetGo = false
    try environment.write {
      if $0 > 20, !isLetGo {
        isLetGo = true
        child.proceed()
        child.goOn()
      }
      return false
    } _: { transaction throws(StorageError) in
      XCTAssertEqual(try transaction.view.string(environment["t"], "a"), "of the dead")
      try transaction.put(environment["t"], "a", "of the parent")
    }
    child.end()
    XCTAssertEqual(try environment.string(environment["t"], "a"), "of the parent")
  }

  func testAWriterThatTakesLongIsWaitedFor() throws {
    let environment = try open { $0.writerTimeout = 1000 }
    let child = try ChildProcess("work in a write", in: directory)
    XCTAssertEqual(child.heard(), "writing")
    try environment.put(environment["t"], "a", "of the parent")
    XCTAssertEqual(child.heard(), "written")
    XCTAssertEqual(try environment.string(environment["t"], "a"), "of the parent")
  }

  /// One of them waits for the other process, and the others for that one.
  func testAllThreadsThatWaitForAStoppedProcessEnd() throws {
    let environment = try open { $0.writerTimeout = 60 }
    let child = try stoppedWriter()
    let ends = (0..<4).map { number in
      let end = expectation(description: "write \(number)")
      Thread.detachNewThread {
        do throws(StorageError) {
          try environment.put(environment["t"], "a", "\(number)")
        } catch {
          if error.name == "writerBusy" { end.fulfill() }
        }
      }
      return end
    }
    wait(for: ends, timeout: 60)
    child.kill()
    try environment.put(environment["t"], "a", "5")
    XCTAssertEqual(try environment.string(environment["t"], "a"), "5")
  }

  func testAnEnvironmentThatIsClosedIsNotWaitedFor() throws {
    let environment = try open { $0.writerTimeout = 600_000 }
    let child = try stoppedWriter()
    XCTAssertThrowsError(
      try environment.write {
        if $0 > 20 { environment.close() }
        return false
      } _: { transaction throws(StorageError) in
        try transaction.put(environment["t"], "a", "1")
      }
    ) { XCTAssertEqual(($0 as? StorageError)?.name, "closed") }
    child.kill()
  }

  func testOpeningBesideAProcessThatIsStoppedBeforeItMadeTheTables() throws {
    let child = try ChildProcess("stop before the tables", in: directory)
    XCTAssertEqual(child.heard(), "writing")
    child.stop()
    XCTAssertThrowsError(try open { $0.writerTimeout = 60 }) {
      XCTAssertEqual(
        $0 as? StorageError,
        .writerBusy(
          process: child.identifier, thread: child.identifier, milliseconds: 60,
          StorageError.Site(.openTables, directory)))
    }
    var options = Environment.Options(tables: ["t"])
    options.makesTables = false
    XCTAssertThrowsError(try Environment.open(directory: directory, options)) {
      XCTAssertEqual(($0 as? StorageError)?.name, "tableMissing")
    }
    options.makesTables = true
    XCTAssertThrowsError(try Environment.open(directory: directory, options) { true }) {
      XCTAssertEqual(($0 as? StorageError)?.name, "cancelled")
    }
    child.proceed()
    child.end()
    let environment = try open()
    try environment.put(environment["t"], "a", "1")
  }
}
