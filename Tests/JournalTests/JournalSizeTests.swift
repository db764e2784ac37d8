import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseTestJournal
import RepriseTestLog
import XCTest

@testable import RepriseJournal

/// Drafts and screens of more bytes than a save may have.
final class JournalSizeTests: JournalTestCase {
  private let size = ChunkedRows.maximumSize + 5_000

  private func title(_ image: DraftImage?) -> String? {
    guard case .updated(let changes)? = image?.changes[object(3)], case .string(let text)? = changes.first?.new else {
      return nil
    }
    return text
  }

  private func rowCount(_ table: Table) throws -> Int {
    let transaction = try environment.beginRead()
    return try transaction.view.entryCount(table)
  }

  func testADraftAndANodeLargerThanASaveMayBeAreCheckpointedAndComeBack() throws {
    let text = String(repeating: "x", count: size)
    var journal = try open()
    journal.append([began("a"), edited("a", 3, .string("short"), .string(text), slot: LogSample.title)])
    journal.append([.nodePut(scene: "main", key: "list", bytes: [UInt8](repeating: 7, count: size))])
    try checkpoint(journal)
    try journal.close()

    journal = try open()
    var image = try image(journal)
    XCTAssertEqual(image.problems, [])
    XCTAssertEqual(image.scenes["main"]?["list"]?.count, size)
    XCTAssertTrue(title(image.drafts["a"]) == text, "the text came back otherwise")
    XCTAssertEqual(image.drafts["a"]?.groups.count, 1)

    journal.append([.draftUndone(draft: "a"), .nodePut(scene: "main", key: "list", bytes: [7])])
    try checkpoint(journal)
    image = try self.image(journal)
    XCTAssertEqual(image.problems, [])
    XCTAssertEqual(image.scenes["main"]?["list"], [7])
    XCTAssertEqual(image.drafts["a"]?.changes.isEmpty, true)
    XCTAssertEqual(try rowCount(tables.archives), 1)

    journal.append([.draftEnded(draft: "a")])
    try checkpoint(journal)
    XCTAssertEqual(try rowCount(tables.drafts), 0, "rows of a draft that ended")
  }

  func testAnEntryBeyondTheLimitIsRefusedAndSaidUntilItDoesNotMatter() throws {
    let plan = FaultPlan()
    var journal = try open {
      $0.use(plan)
      $0.entryLimit = 10_000
    }
    let long = String(repeating: "x", count: 10_000)
    journal.append([
      began("a"), edited("a", 1, .int(0), .int(1)), edited("a", 3, .null, .string(long), slot: LogSample.title),
      edited("a", 3, .string(long), .string("short"), slot: LogSample.title),
      .nodePut(scene: "main", key: "list", bytes: [UInt8](repeating: 7, count: 10_001)),
    ])
    let refused = JournalError.tooLong(name: "a", limit: 10_000)
    XCTAssertEqual(plan.errors, [refused, refused, .tooLong(name: "list", limit: 10_000)])
    try journal.write()
    XCTAssertNotNil(journal.lastError, "what is written does not make good what is not")
    journal.append([
      .draftUndone(draft: "a"), .draftUndone(draft: "a"), .nodePut(scene: "main", key: "list", bytes: []),
    ])
    try journal.write()
    XCTAssertEqual(journal.lastError, refused, "only the node is there now")
    journal.abandon()

    journal = try open()
    let image = try image(journal)
    XCTAssertEqual(image.problems, [])
    XCTAssertEqual(counts(image.drafts["a"]), [1: 1], "undo took back what was refused, and no more")
    XCTAssertEqual(image.scenes["main"]?["list"], [])
    XCTAssertNil(journal.lastError)
  }

  func testTheEndOfADraftAndOfASceneEndsWhatWasRefusedThere() throws {
    let journal = try open { $0.entryLimit = 1_000 }
    let long = String(repeating: "x", count: 1_000)
    journal.append([began("a"), edited("a", 3, .null, .string(long), slot: LogSample.title)])
    XCTAssertNotNil(journal.lastError)
    journal.append([.draftEmptied(draft: "a", upTo: 1)])
    XCTAssertNil(journal.lastError)
    journal.append([.nodePut(scene: "main", key: "list", bytes: [UInt8](repeating: 7, count: 1_001))])
    XCTAssertNotNil(journal.lastError)
    journal.append([.sceneCleared(scene: "main")])
    XCTAssertNil(journal.lastError)
  }

  func testAFrameThatHasAllItMayHaveTakesNoMore() throws {
    var journal = try open { $0.entryLimit = 1_000 }
    let text = String(repeating: "x", count: 700)
    journal.append([began("a")])
    for object in UInt64(1)...10 {
      journal.append([edited("a", object, .null, .string(text), slot: LogSample.title)])
    }
    try journal.write()
    journal.abandon()
    journal = try open()
    let frames = try XCTUnwrap(journal.recovery().journals.first).scan.frames
    XCTAssertEqual(frames.count, 5)
    for frame in frames { XCTAssertLessThan(frame.content.count, 2_000) }
    XCTAssertEqual(try image(journal).drafts["a"]?.changes.count, 10)
  }
}
