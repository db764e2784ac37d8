import Foundation
import RepriseObjectModel
import XCTest

@testable import RepriseEventStore

/// A forked child has the descriptors of its parent, and a lock belongs to what all of them share.
final class ForkedLockTests: JournalTestCase {
  private let topic = JournalTopic.draft("a")
  private let upload = BlobClaims.Subject.upload(UniqueID())
  private var dataFile: String { directory + "/data.mdb" }

  /// A journal with an edit of a draft that it has claimed.
  private func journalWithADraft() throws -> Journal {
    let journal = try open()
    XCTAssertTrue(try take("a", in: journal))
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    try journal.write()
    return journal
  }

  private func isFree(_ upload: BlobClaims.Subject) -> Bool {
    BlobClaims(path: dataFile).whileUnheld([upload]) { !$0.isEmpty }
  }

  func testAForkedChildThatLivesKeepsNoClaims() throws {
    let journal = try journalWithADraft()
    let (pinned, blobs) = (PinnedPositions(path: dataFile), BlobClaims(path: dataFile))
    pinned.hold(5)
    XCTAssertTrue(try blobs.hold(upload))
    try besideAForkedChild(thatHasRun: {}) {
      XCTAssertEqual(try PinnedPositions.first(before: 10, path: dataFile), 5)
      XCTAssertFalse(isFree(upload))
      journal.abandon()
      pinned.close()
      blobs.close()
      XCTAssertNil(try PinnedPositions.first(before: 10, path: dataFile))
      XCTAssertTrue(isFree(upload))
      let next = try open()
      XCTAssertTrue(try take("a", in: next))
      XCTAssertEqual(counts(try draft(next, "a")), [1: 1])
    }
  }

  func testAForkedChildReleasesNoLockOfItsParent() throws {
    let journal = try journalWithADraft()
    let (pinned, blobs) = (PinnedPositions(path: dataFile), BlobClaims(path: dataFile))
    pinned.hold(5)
    XCTAssertTrue(try blobs.hold(upload))
    let end = {
      journal.abandon()
      pinned.close()
      blobs.close()
    }
    try besideAForkedChild(thatHasRun: end) {
      XCTAssertEqual(try PinnedPositions.first(before: 10, path: dataFile), 5)
      XCTAssertFalse(isFree(upload))
      let other = try open()
      XCTAssertFalse(try other.claim(topic))
      XCTAssertEqual(try image(other).drafts.count, 0, "it has not taken the journal over")
    }
  }
}

/// Runs `body` while a forked child lives. Swift hides `fork`, C libraries call it.
private func besideAForkedChild(thatHasRun first: () -> Void, _ body: () throws -> Void) throws {
  typealias Fork = @convention(c) () -> pid_t
  let symbol = try XCTUnwrap(dlsym(dlopen(nil, RTLD_NOW), "fork"))
  var (toChild, toParent): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
  XCTAssertEqual(pipe(&toChild), 0)
  XCTAssertEqual(pipe(&toParent), 0)
  var byte: UInt8 = 0
  let child = unsafeBitCast(symbol, to: Fork.self)()
  if child == 0 {
    close(toChild[1])
    first()
    write(toParent[1], &byte, 1)
    // Until the parent closes the pipe, or ends.
    read(toChild[0], &byte, 1)
    _exit(0)
  }
  defer {
    for end in toChild + toParent { close(end) }
    kill(child, SIGKILL)
    waitpid(child, nil, 0)
  }
  var ready = pollfd(fd: toParent[0], events: Int16(POLLIN), revents: 0)
  XCTAssertEqual(poll(&ready, 1, 10_000), 1, "the child hangs")
  try body()
}
