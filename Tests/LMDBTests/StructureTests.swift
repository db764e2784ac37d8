import Foundation
import RepriseTestSeeds
@testable import RepriseLMDB
import XCTest

/// Files as LMDB leaves them are sound; with any byte of their structure changed they are not.
final class StructureTests: StructureTestCase {
  func testWhatTheCheckCountsIsWhatLMDBCounts() throws {
    let environment = try open(["a", "b", "empty"])
    try fill(environment, 3000)
    let statistics = try environment.statistics()
    let entries = [try count("a", environment), try count("b", environment), try count("empty", environment)]
    environment.close()
    let report = try structure()
    XCTAssertEqual(report.problems, [])
    XCTAssertEqual(report.pages, statistics.pageCount)
    XCTAssertEqual(report.freePages, statistics.freePages)
    XCTAssertEqual(report.pageSize, statistics.pageSize)
    XCTAssertEqual(report.tables.map(\.name), ["a", "b", "empty"])
    XCTAssertEqual(report.tables.map { Int($0.head.entries) }, entries)
    XCTAssertGreaterThan(report.tables[0].head.depth, 2, "the tree is too flat to be a test")
  }

  private func count(_ table: String, _ environment: Environment) throws -> Int {
    let transaction = try environment.beginRead()
    return try transaction.view.entryCount(environment[table])
  }

  func testWhateverLMDBLeavesBehindIsSound() throws {
    var random = SeededGenerator(seed: testSeed(default: 7))
    for round in 0..<40 {
      let environment = try open(["a", "b", "empty"])
      for _ in 0..<Int.random(in: 1...4, using: &random) { try change(environment, &random) }
      if round % 9 == 8 {
        let table = environment["b"]
        try environment.write { transaction throws(StorageError) in try transaction.removeAll(table) }
      }
      environment.close()
      XCTAssertEqual(try structure().problems, [], "round \(round)")
    }
  }

  /// One commit of up to 400 changes at random.
  private func change(_ environment: Environment, _ random: inout SeededGenerator) throws {
    var changes: [(table: Table, key: String, size: Int?)] = []
    for _ in 0..<Int.random(in: 1...400, using: &random) {
      let key = String(repeating: "k", count: Int(random.next() % 40)) + "\(random.next() % 500)"
      let size = random.next() % 20 == 0 ? 30_000 : Int(random.next() % 900)
      changes.append((environment[random.next() % 3 == 0 ? "a" : "b"], key, random.next() % 3 == 0 ? nil : size))
    }
    try environment.write { transaction throws(StorageError) in
      for change in changes {
        if let size = change.size {
          try transaction.put(change.table, change.key, String(repeating: "v", count: size))
        } else {
          try transaction.delete(change.table, key: Array(change.key.utf8).span.bytes)
        }
      }
    }
  }

  func testAListOfFreePagesLargerThanAPageIsRead() throws {
    let environment = try open()
    try environment.write { transaction throws(StorageError) in
      for number in 0..<3000 {
        try transaction.put(environment["t"], "key \(number)", String(repeating: "x", count: 1900))
      }
    }
    let table = environment["t"]
    try environment.write { transaction throws(StorageError) in try transaction.removeAll(table) }
    environment.close()
    let report = try structure()
    XCTAssertEqual(report.problems, [])
    XCTAssertGreaterThan(report.freePages, 1500)
  }

  func testAFileThatIsNoneIsAnErrorAndAnEmptyOneNothing() throws {
    XCTAssertNil(try DataFile.structure(of: directory))
    try Data().write(to: URL(fileURLWithPath: dataFile))
    XCTAssertNil(try DataFile.structure(of: directory))
    try Data(count: 100_000).write(to: URL(fileURLWithPath: dataFile))
    XCTAssertThrowsError(try DataFile.structure(of: directory)) {
      XCTAssertEqual($0 as? StorageError, .notAnLMDBFile(StorageError.Site(.checkFile, directory)))
    }
  }

  func testACheckBesideAWriterThatNeverPausesEnds() throws {
    let table = try open(["t"])
    var files: [[UInt8]] = []
    for text in ["one", "two"] {
      try table.write { transaction throws(StorageError) in try transaction.put(table["t"], "key", text) }
      var file = try [UInt8](Data(contentsOf: URL(fileURLWithPath: dataFile)))
      // Without these pages, no check is sound, as if the writer had just reused them.
      file.removeLast(file.count - 2 * pageSize)
      files.append(file)
    }
    table.close()
    var passes = 0
    XCTAssertThrowsError(
      try DataFile.structure(of: directory) {
        passes += 1
        _ = try? self.write(files[passes % 2])
        return UInt64(passes) * 1_000_000_000
      }
    ) { XCTAssertEqual($0 as? StorageError, .busy(StorageError.Site(.checkFile, directory))) }
    XCTAssertEqual(passes, 7)
  }

  func testACutFileIsFound() throws {
    let whole = try sample()
    _ = structuralBytes(of: whole)
    for pages in 1..<whole.count / pageSize {
      try write(Array(whole[..<(pages * pageSize)]))
      let isSound = try structure().isSound
      XCTAssertEqual(isSound, !isUsed(anyOf: pages..<whole.count / pageSize), "cut to \(pages) pages")
    }
  }

  /// Everything that leads from one byte to another. And for each kind of finding there is a flip that nothing else
  /// finds: a check that left it out would not pass.
  func testAByteFlippedAnywhereInTheStructureIsFoundAndNoCheckCouldBeLeftOut() throws {
    let whole = try sample()
    let places = structuralBytes(of: whole)
    XCTAssertGreaterThan(places.count, 3000)
    // A page that is not gone into is missed by those who count, whatever else is overlooked.
    let counting: Set<StructureProblem.Kind> = [.count, .lostPages]
    var needed: Set<StructureProblem.Kind> = []
    var random = SeededGenerator(seed: testSeed(default: 11))
    for place in places {
      let mask = place.mask & UInt8.random(in: 1...255, using: &random)
      let flip = mask == 0 ? place.mask : mask
      try patch(whole[place.offset] ^ flip, at: place.offset)
      let kinds = Set(try structure().problems.map(\.kind))
      if kinds.isEmpty { XCTFail("\(place.what) at \(place.offset), mask \(flip), was not found") }
      let others = kinds.subtracting(counting)
      if let kind = others.count == 1 ? others.first : kinds.count == 1 ? kinds.first : nil, !needed.contains(kind) {
        XCTAssertTrue(try structure(overlooking: counting.union([kind])).isSound, "\(kind) is not all there is")
        needed.insert(kind)
      }
      try patch(whole[place.offset], at: place.offset)
    }
    XCTAssertEqual(try structure().problems, [])
    XCTAssertEqual(Set(StructureProblem.Kind.allCases).subtracting(needed), [])
  }

  func testADamagedFileIsNotMappedWhereThatIsAskedFor() throws {
    let whole = try sample()
    let place = try XCTUnwrap(structuralBytes(of: whole).first { $0.what == "page flags" }).offset
    try patch(whole[place] ^ 0xFF, at: place)
    XCTAssertThrowsError(try open(["a"]) { $0.checksStructure = true }) { error in
      guard case .damagedStructure(let problem, _) = error as? StorageError else { return XCTFail("\(error)") }
      XCTAssertTrue(problem.hasPrefix("page \(place / pageSize)"), problem)
    }
    try patch(whole[place], at: place)
    let environment = try open(["a"]) { $0.checksStructure = true }
    XCTAssertGreaterThan(try count("a", environment), 100)
    environment.close()
  }
}
