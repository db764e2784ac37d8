import Foundation
import RepriseJournal
import RepriseTestJournal
import RepriseTestSeeds
import XCTest

/// Claims go wrong while a process moves them to the files for many claims.
final class ManyClaimsTests: JournalTestCase {
  private func topic(_ number: Int) -> JournalTopic {
    number.isMultiple(of: 3) ? .scene("session-\(number)") : .draft("draft-\(number)")
  }

  /// The files for many claims.
  private func claimFiles() -> [String] { files("").filter { $0.hasPrefix("claims-") } }

  private func claim(_ numbers: Range<Int>, in journal: Journal) throws {
    for number in numbers { XCTAssertTrue(try journal.claim(topic(number)), "\(number)") }
  }

  func testManyClaimsAreInOneFile() throws {
    let journal = try open()
    try claim(0..<32, in: journal)
    XCTAssertEqual(claimFiles(), [], "few claims need no files")
    try claim(32..<2_000, in: journal)
    XCTAssertEqual(Set(claimFiles()), Set((0..<64).map { "claims-\($0)" }))
    let sizes = try claimFiles().map { try Data(contentsOf: URL(fileURLWithPath: "\(directory)/journals/\($0)")).count }
    XCTAssertEqual(Set(sizes), [0])
  }

  func testAMovedClaimIsFree() throws {
    let (first, second) = (try open(), try open())
    try claim(0..<100, in: first)
    for number in 0..<100 {
      XCTAssertFalse(try second.claim(topic(number)), "\(number)")
      let found = second.isClaimed(topic(number))
      XCTAssertTrue(found.elsewhere && !found.here && found.process == getpid())
    }
    XCTAssertFalse(second.isClaimed(topic(100)).elsewhere)
    // With a single claim, the second process uses the files too.
    try claim(100..<101, in: second)
    XCTAssertFalse(try first.claim(topic(100)))
    XCTAssertEqual(Set(first.claims), Set(second.claims))
    XCTAssertEqual(first.claims.count, 202)
  }

  func testAFewClaimsElsewhereAreLost() throws {
    let (first, second) = (try open(), try open())
    try claim(0..<1, in: second)
    // While the second process has a claim in the environment's file, those of the first one cannot move.
    try claim(1..<100, in: first)
    XCTAssertFalse(try first.claim(topic(0)))
    XCTAssertFalse(try second.claim(topic(1)))
    try release([topic(0)], in: second)
    try claim(100..<300, in: first)
    for number in [1, 99, 100, 299] { XCTAssertFalse(try second.claim(topic(number)), "\(number)") }
    XCTAssertTrue(try first.claim(topic(0)))
    XCTAssertFalse(try second.claim(topic(0)))
  }

  func testADeadProcessKeepsItsClaims() throws {
    let (first, second) = (try open(), try open())
    try claim(0..<100, in: first)
    first.abandon()
    try claim(0..<100, in: second)
  }

  func testAProcessWithoutClaimsHindersOthers() throws {
    let (first, second) = (try open(), try open())
    try claim(0..<100, in: first)
    try release((0..<100).map(topic), in: first)
    try claim(0..<1, in: second)
    XCTAssertFalse(try first.claim(topic(0)), "the first process is back in the environment's file")
    try claim(1..<2, in: first)
    XCTAssertFalse(try second.claim(topic(1)))
  }

  /// Against a dictionary, with three journals for three processes.
  func testClaimsOfManyProcessesDiffer() throws {
    let seed = testSeed()
    var random = SeededGenerator(seed: seed)
    var journals = try (0..<3).map { _ in try open() }
    var owners: [Int: Int] = [:]
    for step in 0..<12_000 {
      let (process, number) = (Int.random(in: 0..<3, using: &random), Int.random(in: 0..<300, using: &random))
      let context = "seed \(seed), step \(step)"
      switch Int.random(in: 0..<100, using: &random) {
      case 0:
        journals[process].abandon()
        journals[process] = try open()
        owners = owners.filter { $0.value != process }
      case 1..<5:
        // All at once, so that the process leaves the files.
        try release(owners.filter { $0.value == process }.keys.map(topic), in: journals[process])
        owners = owners.filter { $0.value != process }
      case 5..<60:
        XCTAssertEqual(try journals[process].claim(topic(number)), owners[number] == nil, context)
        if owners[number] == nil { owners[number] = process }
      case 60..<75 where owners[number] == process:
        try release([topic(number)], in: journals[process])
        owners[number] = nil
      default:
        let found = journals[process].isClaimed(topic(number))
        XCTAssertEqual(found.here, owners[number] == process, context)
        XCTAssertEqual(found.elsewhere, owners[number] != nil && owners[number] != process, context)
      }
    }
    XCTAssertFalse(claimFiles().isEmpty, "no process had many claims")
    XCTAssertEqual(journals[0].claims.count, owners.count * 2, "seed \(seed)")
  }
}
