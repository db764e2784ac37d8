import Foundation
import RepriseJournal
import RepriseLog
import RepriseObjectModel
import RepriseTestJournal
import RepriseTestSeeds
import XCTest

/// Two journals in one process stand for two processes: their locks belong to the open file.
final class ClaimsTests: JournalTestCase {
  private let draft = JournalTopic.draft("a")
  private let scene = JournalTopic.scene("a")

  func testADraftIsOneProcessesFromWhenItIsTakenThoughNothingIsTyped() throws {
    let (first, second) = (try open(), try open())
    XCTAssertTrue(try first.claim(draft))
    XCTAssertFalse(try second.claim(draft))
    XCTAssertFalse(try first.claim(draft), "two contexts of one process")
    XCTAssertTrue(try second.claim(scene), "a scene of that name is something else")
    XCTAssertFalse(try first.claim(scene))
    XCTAssertTrue(try second.claim(.draft("b")))
    let (mine, theirs) = (first.isClaimed(draft), second.isClaimed(draft))
    XCTAssertTrue(mine.here && !mine.elsewhere)
    XCTAssertTrue(theirs.elsewhere && !theirs.here)
    XCTAssertEqual(files(), [], "nothing is written for it")
    first.release(draft)
    XCTAssertFalse(second.isClaimed(draft).elsewhere)
    XCTAssertTrue(try second.claim(draft))
  }

  func testWhoeverDiesHasNothingAnyMore() throws {
    let (first, second) = (try open(), try open())
    for topic in [draft, scene] { XCTAssertTrue(try first.claim(topic)) }
    first.abandon()
    for topic in [draft, scene] { XCTAssertTrue(try second.claim(topic)) }
  }

  func testAClaimIsLostAmongThousands() throws {
    let (first, second) = (try open(), try open())
    var claimed: Set<Int> = []
    var random = SeededGenerator(seed: 7)
    for _ in 0..<3_000 {
      let number = Int.random(in: 0..<1_000, using: &random)
      if claimed.remove(number) != nil {
        first.release(.draft("\(number)"))
      } else {
        XCTAssertTrue(try first.claim(.draft("\(number)")))
        claimed.insert(number)
      }
    }
    try first.write()
    for number in 0..<1_000 {
      let topic = JournalTopic.draft("\(number)")
      XCTAssertEqual(first.isClaimed(topic).here, claimed.contains(number))
      XCTAssertEqual(try second.claim(topic), !claimed.contains(number))
    }
  }

  func testADraftIsFreeOnlyWhenAllOfItIsWritten() throws {
    let clock = VirtualClock()
    let first = try open { $0.clock = clock }
    let second = try open()
    XCTAssertTrue(try take("a", in: first))
    first.append([began("a"), edited("a", 1, .int(0), .int(1))])
    first.release(draft)
    XCTAssertFalse(try take("a", in: second), "it would go on without what is not written")
    XCTAssertTrue(second.isClaimed(draft).elsewhere)
    XCTAssertTrue(try first.claim(draft), "nobody else has had it meanwhile")
    first.release(draft)
    clock.advance(milliseconds: 60)
    XCTAssertTrue(try take("a", in: second))
    XCTAssertEqual(counts(try draft(second, "a")), [1: 1])
  }

  func testAFileThatCannotBeOpenedIsATypedError() throws {
    let journal = try open()
    try FileManager.default.moveItem(atPath: directory + "/data.mdb", toPath: directory + "/elsewhere")
    defer { try? FileManager.default.moveItem(atPath: directory + "/elsewhere", toPath: directory + "/data.mdb") }
    XCTAssertThrowsError(try journal.claim(draft)) {
      guard case JournalError.cannotClaim(_, ENOENT) = $0 else { return XCTFail("\($0)") }
    }
  }

  func testTwoDraftsHaveOneLock() throws {
    // The SHA-256 of both names begins with the same 39 bits.
    let (one, other) = (JournalTopic.draft("note-463362"), JournalTopic.draft("note-683190"))
    XCTAssertEqual(Array(one.hash.prefix(4)), Array(other.hash.prefix(4)))
    let (first, second) = (try open(), try open())
    XCTAssertTrue(try first.claim(one))
    XCTAssertFalse(try first.claim(other), "its release would release the lock of both")
    XCTAssertTrue(first.isClaimed(other).here)
    XCTAssertFalse(try second.claim(other))
    first.release(one)
    XCTAssertTrue(try first.claim(other))
  }

  func testClosingTheEnvironmentsFileElsewhereInTheProcessGivesNothingAway() throws {
    let (first, second) = (try open(), try open())
    XCTAssertTrue(try first.claim(draft))
    close(Foundation.open(directory + "/data.mdb", O_RDWR))
    XCTAssertFalse(try second.claim(draft))
  }
}
