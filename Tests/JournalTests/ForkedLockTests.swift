import Foundation
import RepriseJournal
import RepriseLog
import RepriseTestJournal
import RepriseTestProcesses
import XCTest

/// A forked child has the descriptors of its parent, and a lock belongs to what all of them share.
final class ForkedLockTests: JournalTestCase {
  private let topic = JournalTopic.draft("a")
  private var dataFile: String { directory + "/data.mdb" }

  /// A journal with an edit of a draft that it has claimed. Its thread waits: a forked child has no such thread, so a
  /// lock that the thread held would stay locked in the child.
  private func journalWithADraft() throws -> Journal {
    let clock = VirtualClock()
    let journal = try open { $0.clock = clock }
    XCTAssertTrue(try take("a", in: journal))
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    try journal.write()
    clock.settle()
    return journal
  }

  func testAForkedChildThatLivesKeepsNoClaims() throws {
    let journal = try journalWithADraft()
    let pinned = PinnedPositions(path: dataFile)
    pinned.hold(5)
    try ForkedChild.whileOneLives {
      XCTAssertEqual(try PinnedPositions.first(before: 10, path: dataFile), 5)
      journal.abandon()
      pinned.close()
      XCTAssertNil(try PinnedPositions.first(before: 10, path: dataFile))
      let next = try open()
      XCTAssertTrue(try take("a", in: next))
      XCTAssertEqual(counts(try draft(next, "a")), [1: 1])
    }
  }

  func testAForkedChildReleasesNoLockOfItsParent() throws {
    let journal = try journalWithADraft()
    let pinned = PinnedPositions(path: dataFile)
    pinned.hold(5)
    let end = {
      journal.abandon()
      pinned.close()
    }
    try ForkedChild.whileOneLives(running: end) {
      XCTAssertEqual(try PinnedPositions.first(before: 10, path: dataFile), 5)
      let other = try open()
      XCTAssertFalse(try other.claim(topic))
      XCTAssertEqual(try image(other).drafts.count, 0, "it has not taken the journal over")
    }
  }
}
