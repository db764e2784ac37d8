import Foundation
import RepriseJournal
import RepriseLog
import RepriseObjectModel
import XCTest

/// Drafts in journals that other users may write.
final class RefusedDraftTests: JournalTestCase {
  /// Whether the next process cannot read the draft "a", once other users may write the journal of its last owner.
  private func isBlocked(
    after entries: [JournalEntry], savedUpTo generation: UInt64? = nil, withRows: Bool = false
  ) throws -> Bool {
    let first = try open()
    if withRows {
      first.append([began("a"), edited("a", 1, .int(0), .int(1))])
      try checkpoint(first)
    }
    first.append(entries)
    try first.write()
    if let generation { try consume(first, "a", upTo: generation) }
    first.abandon()
    let path = try onlyFile()
    try FileManager.default.setAttributes([.posixPermissions: 0o620], ofItemAtPath: path)
    let next = try open()
    let found = try image(next)
    let isBlocked = found.unreadable["a"] != nil
    let reason =
      "it is in the journal \(path.dropFirst(folder.count + 1)), which other users may write, or which belongs to "
      + "another user. If you trust it, make this user its owner (chown), let no other user write it (chmod go-w), "
      + "and open the store again"
    XCTAssertEqual(found.problems.contains(.unreadableDraft(draft: "a", reason: reason)), isBlocked)
    next.abandon()
    try FileManager.default.removeItem(atPath: path)
    return isBlocked
  }

  func testASettledDraftInARefusedJournalIsNotBlocked() throws {
    let edits = [began("a"), edited("a", 1, .int(0), .int(1))]
    let emptied = edits + [.draftEmptied(draft: "a", upTo: 1)]
    XCTAssertTrue(try isBlocked(after: edits))
    XCTAssertFalse(try isBlocked(after: edits, savedUpTo: 1), "killed between the save and its entry")
    XCTAssertFalse(try isBlocked(after: emptied))
    XCTAssertFalse(try isBlocked(after: edits + [.draftEnded(draft: "a")]))
    XCTAssertFalse(try isBlocked(after: [began("a")]))
    XCTAssertTrue(try isBlocked(after: emptied + [edited("a", 1, .int(1), .int(2), generation: 2)]))
  }

  func testAnUndoneStepInARefusedJournalBlocksItsDraft() throws {
    XCTAssertTrue(try isBlocked(after: [.draftUndone(draft: "a")], withRows: true))
  }
}
