import Dispatch
import Foundation
import RepriseLMDB
import RepriseTestProcesses
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
        XCTAssertEqual(error, .fileDeleted(.data, StorageError.Site(.commit, directory)))
      }
    }
    XCTAssertEqual(try environment.string(table, "a"), "1")
  }

  /// Others would go on in the file at the path.
  func testNoCommitGoesIntoAFileThatAnotherOneReplaced() throws {
    for movesFolder in [false, true] {
      let environment = try open()
      let table = environment["t"]
      try environment.put(table, "a", "1")
      let aside = (movesFolder ? directory : dataFile) + ".aside"
      let original = movesFolder ? directory : dataFile
      XCTAssertEqual(rename(original, aside), 0)
      // As long as there is nothing at the path, it is the only one.
      try environment.put(table, "a", "2")
      try FileManager.default.copyItem(atPath: aside, toPath: original)
      for _ in 0..<2 {
        XCTAssertThrowsError(try environment.put(table, "a", "3"), "moves the folder: \(movesFolder)") {
          XCTAssertEqual(
            $0 as? StorageError, .fileDeleted(.data, StorageError.Site(.commit, directory)))
        }
      }
      XCTAssertEqual(try environment.string(table, "a"), "2")
      environment.close()
      let again = try open()
      XCTAssertEqual(try again.string(again["t"], "a"), "2")
      again.close()
      try FileManager.default.removeItem(atPath: aside)
    }
  }

  func testARelativePathMeansWhatItMeantWhenItWasOpened() throws {
    let before = FileManager.default.currentDirectoryPath
    defer { _ = FileManager.default.changeCurrentDirectoryPath(before) }
    let (parent, name) = ((directory as NSString).deletingLastPathComponent, (directory as NSString).lastPathComponent)
    XCTAssertTrue(FileManager.default.changeCurrentDirectoryPath(parent))
    let environment = try Environment.open(directory: name, Environment.Options(tables: ["t"]))
    // Where the same path leads to another store.
    try FileManager.default.createDirectory(atPath: directory + "/" + name, withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: directory + "/" + name + "/data.mdb"))
    XCTAssertTrue(FileManager.default.changeCurrentDirectoryPath(directory))
    try environment.put(environment["t"], "a", "1")
    XCTAssertEqual(try environment.string(environment["t"], "a"), "1")
    environment.close()
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
    let before = try environment.statistics().lastTransactionID
    let child = try ChildProcess("write", in: directory)
    XCTAssertEqual(child.heard(), "written")
    child.end()
    XCTAssertEqual(try environment.statistics().lastTransactionID, before + 1)
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

  func testCommitsWithAndWithoutFlushesSurvive() throws {
    for isUnflushed in [false, true] {
      let environment = try open { $0.isUnflushed = isUnflushed }
      try environment.put(environment["t"], "\(isUnflushed)", "1")
      environment.close()
    }
    let environment = try open()
    XCTAssertEqual(try environment.beginRead().id, 3)
    for key in ["false", "true"] { XCTAssertEqual(try environment.string(environment["t"], key), "1") }
  }
}
