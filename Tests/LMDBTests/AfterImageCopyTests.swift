import Foundation
import RepriseLMDB
import XCTest

/// A copy begins without after-images, and a scan of a damaged file reads them.
final class AfterImageCopyTests: AfterImageTestCase {
  // MARK: Copies

  private func requireEmptyPlaces(line: UInt = #line) throws {
    for commit in 0..<2 {
      XCTAssertTrue(try placeBytes(of: commit).allSatisfy { $0 == 0 }, "place \(commit)", line: line)
    }
  }

  func testACompactedFileHasNoAfterImages() throws {
    try make()
    _ = try Environment.compact(directory: directory)
    try requireEmptyPlaces()
    let environment = try openDurably()
    try environment.put(environment["t"], "b", "2")
    XCTAssertEqual(environment.counters[.afterImage], 1)
    XCTAssertEqual(try rows(environment)["t"], ["a": "1", "b": "2"])
  }

  func testCompactionRepeatsAnInterruptedCommit() throws {
    try make()
    try loseCommit(put("b", "2"))
    _ = try Environment.compact(directory: directory)
    try requireEmptyPlaces()
    XCTAssertEqual(try rows(openDurably())["t"], ["a": "1", "b": "2"])
  }

  func testACopyForReadingLacksACommit() throws {
    try make()
    let complete = try openDurably { $0.readOnly = true }
    XCTAssertNil(try complete.interruptedCommit())
    complete.close()
    try loseCommit(put("b", "2"))
    let environment = try openDurably { $0.readOnly = true }
    let commit = try XCTUnwrap(environment.interruptedCommit())
    XCTAssertEqual(commit.number, try head(environment) + 1)
    XCTAssertEqual(try rows(environment)["t"], ["a": "1"])
    let copy = directory + "/data.mdb.copy"
    try Data().write(to: URL(fileURLWithPath: copy))
    let file = try XCTUnwrap(FileHandle(forUpdatingAtPath: copy))
    try environment.copy(to: file.fileDescriptor).wait { _ in }
    try file.close()
    try commit.repeat(inCopy: copy, directory)
    environment.close()
    // An opening for writing would repeat the commit in the first file.
    XCTAssertEqual(rename(copy, dataFile), 0)
    try requireEmptyPlaces()
    XCTAssertEqual(try rows(openDurably())["t"], ["a": "1", "b": "2"])
  }

  func testACopyOfAnOpenFileHasNoAfterImages() throws {
    let environment = try openDurably()
    try environment.put(environment["t"], "a", "1")
    let copy = directory + "/copy"
    try Data().write(to: URL(fileURLWithPath: copy))
    let file = try XCTUnwrap(FileHandle(forUpdatingAtPath: copy))
    try environment.copy(to: file.fileDescriptor).wait { _ in }
    try file.close()
    environment.close()
    try Data(contentsOf: URL(fileURLWithPath: copy)).write(to: URL(fileURLWithPath: dataFile))
    try requireEmptyPlaces()
    XCTAssertEqual(try rows(openDurably())["t"], ["a": "1"])
  }

  func testARewrittenFileHasNoAfterImages() throws {
    try make()
    var written: [String] = []
    _ = try Environment.rewrite(directory: directory) {
      (table, view, transaction) throws(StorageError) in
      written.append(table.name)
      try table.copyRows(view, to: transaction)
    }
    XCTAssertEqual(written, Self.tables)
    try requireEmptyPlaces()
    XCTAssertEqual(try rows(openDurably())["t"], ["a": "1"])
  }

  // MARK: Remains

  func testRowsOfAnInterruptedCommitAreSalvaged() throws {
    try make()
    try loseCommit(put("b", "2"))
    var found: [String: FoundRow.Standing] = [:]
    var offsets: [Int] = []
    let isLatest = try RowScan.run(of: directory, growing: "t") { row in
      XCTAssertNotEqual(row.table, "afterimages")
      found[String(decoding: row.key, as: UTF8.self)] = row.standing
      if row.key.elementsEqual("b".utf8) { offsets.append(row.offset) }
    }
    XCTAssertTrue(isLatest)
    XCTAssertEqual(found["b"], .inTree)
    XCTAssertEqual(found["a"], .cutOff, "the after-image of the last commit comes after the trees")
    let offset = try XCTUnwrap(offsets.last)
    XCTAssertEqual(try bytes()[offset], UInt8(ascii: "2"))
  }

  func testRowsThatACutOffCommitReplacesAreFree() throws {
    try make()
    try environment(putting: ["b", "c"])
    try loseCommit { environment in
      try environment.write { transaction throws(StorageError) in
        try transaction.put(environment["t"], "a", "new")
        try transaction.delete(environment["t"], key: Array("b".utf8).span.bytes)
        try transaction.put(environment["t"], "d", "early")
        try transaction.put(environment["t"], "d", "late")
        try transaction.put(environment["t"], "e", "1")
        try transaction.delete(environment["t"], key: Array("e".utf8).span.bytes)
      }
    }
    var found: [String: [String]] = [:]
    _ = try RowScan.run(of: directory, growing: "t") { row in
      if row.standing != .inTree { return }
      found[String(decoding: row.key, as: UTF8.self), default: []].append(String(decoding: row.value, as: UTF8.self))
    }
    let rows = found.filter { $0.key.count == 1 && $0.key != "t" && $0.key != "u" }
    XCTAssertEqual(rows, ["a": ["new"], "c": ["1"], "d": ["late"]])
  }

  private func environment(putting keys: [String]) throws {
    let environment = try openDurably()
    try environment.write { transaction throws(StorageError) in
      for key in keys { try transaction.put(environment["t"], key, "1") }
    }
    environment.close()
  }
}
