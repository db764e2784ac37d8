import Foundation
import RepriseJournal
import RepriseLog
import RepriseObjectModel
import RepriseTestJournal
import XCTest

/// Somebody deletes the journals of a store that is open.
final class JournalDeletedTests: JournalTestCase {
  private let clock = VirtualClock()

  private func openTimed() throws -> Journal { try open { $0.clock = clock } }

  private func deleteFolder() throws { try FileManager.default.removeItem(atPath: folder) }

  func testWhatWasTypedBeforeAndAfterTheJournalsWereDeletedSurvives() throws {
    var journal = try openTimed()
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    clock.advance(milliseconds: 50)
    XCTAssertEqual(files().count, 1)
    try deleteFolder()
    journal.append([edited("a", 2, .int(0), .int(2))])
    clock.advance(milliseconds: 50)
    XCTAssertNil(journal.lastError)
    journal.append([edited("a", 3, .int(0), .int(3))])
    clock.advance(milliseconds: 50)
    XCTAssertEqual(files().count, 1)
    journal.abandon()

    journal = try open()
    let image = try image(journal)
    XCTAssertEqual(image.problems, [])
    XCTAssertEqual(counts(image.drafts["a"]), [1: 1, 2: 2, 3: 3])
    XCTAssertEqual(image.drafts["a"]?.groups.count, 3)
  }

  func testAFlushNoticesWhereNothingIsTypedAnyMore() throws {
    var journal = try openTimed()
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    clock.advance(milliseconds: 50)
    try deleteFolder()
    clock.advance(milliseconds: 5_000)
    journal.abandon()
    journal = try open()
    XCTAssertEqual(counts(try draft(journal, "a")), [1: 1])
  }

  func testAJournalOfADeletedStoreIsNoBusyLoop() throws {
    let journal = try openTimed()
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    clock.advance(milliseconds: 50)
    try FileManager.default.removeItem(atPath: directory)
    clock.advance(milliseconds: 60_000)
    XCTAssertNotNil(journal.lastError)
    XCTAssertLessThan(clock.detachedCount, 100)
    journal.abandon()
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  }

  func testWhatIsBeingCheckpointedSurvivesToo() throws {
    var journal = try openTimed()
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    _ = try journal.beginCheckpoint()
    journal.append([edited("a", 2, .int(0), .int(2))])
    clock.advance(milliseconds: 50)
    XCTAssertEqual(files().count, 2)
    try deleteFolder()
    journal.append([edited("a", 3, .int(0), .int(3))])
    clock.advance(milliseconds: 50)
    XCTAssertEqual(files().count, 2)
    journal.abandon()
    journal = try open()
    XCTAssertEqual(counts(try draft(journal, "a")), [1: 1, 2: 2, 3: 3])
    try checkpoint(journal)
    XCTAssertEqual(files(), [])
    XCTAssertEqual(counts(try draft(journal, "a")), [1: 1, 2: 2, 3: 3])
  }

  func testACheckpointThatWasUnderWayGoesOnAndLeavesNoFile() throws {
    let journal = try openTimed()
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    var checkpoint = try XCTUnwrap(journal.beginCheckpoint())
    try deleteFolder()
    journal.append([edited("a", 2, .int(0), .int(2))])
    clock.advance(milliseconds: 50)
    while !checkpoint.isDone { try commitSlice(&checkpoint) }
    try journal.didCheckpoint(checkpoint)
    XCTAssertEqual(files().count, 1)
    XCTAssertEqual(counts(try draft(journal, "a")), [1: 1, 2: 2])
  }

  func testWhatCannotBeMadeAgainIsSaidAndTriedAgain() throws {
    var journal = try openTimed()
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    clock.advance(milliseconds: 50)
    try deleteFolder()
    XCTAssertTrue(FileManager.default.createFile(atPath: folder, contents: nil))
    journal.append([edited("a", 2, .int(0), .int(2))])
    clock.advance(milliseconds: 5_050)
    guard case .cannotCreate(_, ENOTDIR) = journal.lastError else { return XCTFail("\(journal.lastError as Any)") }
    XCTAssertEqual(counts(try draft(journal, "a")), [1: 1, 2: 2])
    try deleteFolder()
    clock.advance(milliseconds: 1_000)
    XCTAssertNil(journal.lastError)
    journal.abandon()
    journal = try open()
    XCTAssertEqual(counts(try draft(journal, "a")), [1: 1, 2: 2])
  }
}
