import Foundation
import RepriseTestSeeds
@testable import RepriseLMDB
import XCTest

final class DamageTests: EnvironmentTestCase {
  private let pageSize = Int(getpagesize())
  private let values = Dictionary(
    uniqueKeysWithValues: (0..<40).map { ("key \($0)", String(repeating: "\($0) ", count: 1 + $0 * 40)) })

  /// A closed store with many pages, some of them free.
  private func makeStore() throws {
    let environment = try open()
    let table = environment["t"]
    for (key, value) in values { try environment.put(table, key, value) }
    try environment.write { transaction throws(StorageError) in
      for number in 0..<200 { try transaction.put(table, "gone \(number)", String(repeating: "x", count: 900)) }
    }
    try environment.write { transaction throws(StorageError) in
      for number in 0..<200 {
        let key = Array("gone \(number)".utf8)
        try transaction.delete(table, key: key.span.bytes)
      }
    }
    environment.close()
  }

  private func assertValuesAreThere(_ message: String) throws {
    let environment = try open()
    defer { environment.close() }
    let transaction = try environment.beginRead()
    for (key, value) in values {
      XCTAssertEqual(try transaction.view.string(environment["t"], key), value, message)
    }
  }

  private func nameOfOpenError() -> String? {
    do throws(StorageError) {
      try open().close()
      return nil
    } catch {
      return error.name
    }
  }

  private func replace(_ bytes: [UInt8], at offset: Int) throws {
    let file = try XCTUnwrap(FileHandle(forUpdatingAtPath: dataFile))
    try file.seek(toOffset: UInt64(offset))
    file.write(Data(bytes))
    try file.close()
  }

  func testFileCutAtAnyPageIsATypedErrorOrWholeNeverABusError() throws {
    try makeStore()
    try assertValuesAreThere("uncut")
    let whole = try Data(contentsOf: URL(fileURLWithPath: dataFile))
    var refused = 0
    for page in 1..<whole.count / pageSize {
      for size in [page * pageSize, page * pageSize + 100] {
        try whole[..<size].write(to: URL(fileURLWithPath: dataFile))
        switch nameOfOpenError() {
        case "fileTruncated": refused += 1
        case nil: try assertValuesAreThere("cut to \(size) bytes")
        case let name: XCTFail("cut to \(size) bytes: \(name ?? "")")
        }
      }
    }
    // Only the free pages at the end may be missing.
    XCTAssertGreaterThan(refused, values.count)
  }

  func testFileCutInsideItsFirstPageIsRefused() throws {
    try makeStore()
    let whole = try Data(contentsOf: URL(fileURLWithPath: dataFile))
    for size in [1, 15, 20, 40, 100] {
      try whole[..<size].write(to: URL(fileURLWithPath: dataFile))
      XCTAssertNotNil(nameOfOpenError(), "\(size) bytes")
    }
  }

  func testPagesTakenAndGivenBackInOneTransactionDoNotMakeTheFileLookCut() throws {
    try makeStore()
    let environment = try open()
    // Only a transaction that has free pages at hand adds pages that it gives back to them.
    try environment.write { transaction throws(StorageError) in
      try transaction.put(environment["t"], "small", "1")
      try transaction.put(environment["t"], "large", String(repeating: "x", count: 1_000_000))
      try transaction.delete(environment["t"], key: Array("large".utf8).span.bytes)
    }
    let pages = try environment.statistics().pageCount
    environment.close()
    let size = try XCTUnwrap(FileManager.default.attributesOfItem(atPath: dataFile)[.size] as? Int)
    XCTAssertLessThan(size, pages * pageSize)
    try assertValuesAreThere("short")
  }

  func testDamagedListOfFreePagesOfAShortFileNeverCrashesTheCheck() throws {
    try makeStore()
    let whole = try Data(contentsOf: URL(fileURLWithPath: dataFile))
    let short = whole[..<(whole.count - pageSize)]
    var random = SeededGenerator(seed: testSeed())
    for _ in 0..<300 {
      var damaged = short
      // Not the first two pages: with other roots it would be another file.
      for _ in 0..<40 {
        let offset = Int.random(in: 2 * pageSize..<damaged.count, using: &random)
        damaged[offset] = UInt8.random(in: 0...255, using: &random)
      }
      try damaged.write(to: URL(fileURLWithPath: dataFile))
      if let file = try? DataFile(directory: directory) { _ = try? file.check() }
    }
  }

  func testEmptyFileIsANewStore() throws {
    try Data().write(to: URL(fileURLWithPath: dataFile))
    let environment = try open()
    try environment.put(environment["t"], "a", "1")
    XCTAssertEqual(try environment.string(environment["t"], "a"), "1")
  }

  func testFileOfSomethingElseIsLeftAsItIs() throws {
    for content in [Data("SQLite format 3\0".utf8), Data(count: 8192), Data((0..<20_000).map { UInt8($0 % 251) })] {
      try content.write(to: URL(fileURLWithPath: dataFile))
      XCTAssertEqual(nameOfOpenError(), "notAnLMDBFile")
      XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: dataFile)), content)
    }
  }

  func testNewerFormatIsNotOpened() throws {
    try makeStore()
    try replace([2, 0, 0, 0], at: pageSize + 20)
    XCTAssertThrowsError(try open()) {
      XCTAssertEqual(
        $0 as? StorageError, .newerFormat(found: 2, supported: 1, StorageError.Site(.checkFile, directory)))
    }
  }

  func testImpossiblePageSizeIsNotOpened() throws {
    try makeStore()
    try replace([0xE8, 3, 0, 0], at: 40)
    XCTAssertThrowsError(try open()) {
      XCTAssertEqual($0 as? StorageError, .foreignPageSize(found: 1000, StorageError.Site(.checkFile, directory)))
    }
  }

  func testFileOfAMachineWithAnotherByteOrderIsToldApart() throws {
    try makeStore()
    try replace([0xBE, 0xEF, 0xC0, 0xDE], at: 16)
    XCTAssertEqual(nameOfOpenError(), "foreignArchitecture")
  }

  func testFileOfAMachineWithLargerPagesOpens() throws {
    try makeStore()
    var page = try Data(contentsOf: URL(fileURLWithPath: dataFile))[..<pageSize]
    let size = 4 * pageSize
    func put(_ number: UInt64, _ width: Int, at offset: Int) {
      for byte in 0..<width { page[offset + byte] = UInt8(truncatingIfNeeded: number >> (8 * UInt64(byte))) }
    }
    // The first page of an empty store: its page size, two empty trees, last page 1, transaction 0.
    put(UInt64(size), 4, at: 40)
    for tree in [40, 88] {
      put(0, 2, at: tree + 6)
      for field in 0..<4 { put(0, 8, at: tree + 8 + 8 * field) }
      put(UInt64.max, 8, at: tree + 40)
    }
    put(1, 8, at: 136)
    put(0, 8, at: 144)
    var file = page + Data(count: size - pageSize)
    put(1, 8, at: 0)
    file += page + Data(count: size - pageSize)
    try file.write(to: URL(fileURLWithPath: dataFile))
    let environment = try open()
    XCTAssertEqual(try environment.statistics().pageSize, size)
    for (key, value) in values { try environment.put(environment["t"], key, value) }
    environment.close()
    try assertValuesAreThere("larger pages")
  }
}
