import RepriseLog
import RepriseObjectModel
import RepriseTestJournal
import XCTest

@testable import RepriseJournal

/// What a turn did stands in one frame, whatever else happens meanwhile: a kill leaves all of it or nothing.
final class JournalTurnTests: JournalTestCase {
  private let clock = VirtualClock()

  private func openTimed() throws -> Journal {
    let clock = clock
    return try open { $0.clock = clock }
  }

  /// An edit that is written; then half a turn, what might cut it, the other half.
  private func turn(_ journal: Journal, _ between: () throws -> Void) throws {
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    try journal.write()
    journal.openTurn()
    journal.append([edited("a", 1, .int(1), .int(2))])
    try between()
    XCTAssertEqual(try editsByFrame(), [1], "half a turn is in the file")
    journal.append([edited("a", 2, .int(0), .int(2))])
    journal.closeTurn()
    clock.advance(milliseconds: 50)
    XCTAssertEqual(try editsByFrame(), [1, 2])
  }

  /// How many edits each frame has.
  private func editsByFrame() throws -> [Int] {
    let file = try onlyFile()
    let journal = try XCTUnwrap(UniqueID(String(files()[0].dropLast(8))))
    let index = JournalIndex(JournalScan(try read(file), log: log, journal: journal), file: file)
    let edits = (index.drafts["a"] ?? []).filter { $0.kind == .edited }
    return Dictionary(grouping: edits, by: \.frame).sorted { $0.key < $1.key }.map(\.value.count)
  }

  func testTheFlushOfASaveDoesNotCutATurn() throws {
    let journal = try openTimed()
    try turn(journal) { try journal.flush(cutsTurns: false) }
  }

  func testACheckpointDoesNotCutATurn() throws {
    let journal = try openTimed()
    try turn(journal) {
      let (isHeld, checkpoint) = try journal.beginCheckpointBetweenTurns()
      XCTAssertTrue(isHeld)
      XCTAssertNil(checkpoint)
    }
    var (isHeld, checkpoint) = try journal.beginCheckpointBetweenTurns()
    XCTAssertFalse(isHeld)
    while checkpoint?.isDone == false { try commitSlice(&checkpoint!) }
    try journal.didCheckpoint(try XCTUnwrap(checkpoint))
    XCTAssertEqual(counts(try draft(journal, "a")), [1: 2, 2: 2])
  }

  func testReadingADraftDoesNotCutATurnAndSeesIt() throws {
    let journal = try openTimed()
    try turn(journal) {
      XCTAssertEqual(counts(try draft(journal, "a")), [1: 2])
    }
  }

  func testATickThatIsDueWhenATurnOpensDoesNotCutIt() throws {
    let journal = try openTimed()
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    // The journal's thread is about to take what waits when a turn begins and makes its first edit.
    let first = edited("a", 1, .int(1), .int(2))
    clock.beforeNextWallTime {
      journal.openTurn()
      journal.append([first])
    }
    clock.advance(milliseconds: 50)
    XCTAssertEqual(files(), [], "half a turn is in the file")
    journal.append([edited("a", 2, .int(0), .int(2))])
    journal.closeTurn()
    clock.advance(milliseconds: 50)
    XCTAssertEqual(try editsByFrame(), [3])
  }

  func testASaveCutsATurnWhereItIsCalledAndNotWhereItIsWritten() throws {
    let journal = try openTimed()
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    try journal.write()
    journal.openTurn()
    journal.append([edited("a", 1, .int(1), .int(2))])
    journal.endFrame()
    // The turn has gone on by the time that the writer comes to it.
    journal.append([edited("a", 1, .int(2), .int(3))])
    XCTAssertEqual(counts(try draft(journal, "a")), [1: 3])
    try journal.write(cutsTurns: false)
    XCTAssertEqual(try editsByFrame(), [1, 1])
    journal.append([edited("a", 2, .int(0), .int(3))])
    journal.closeTurn()
    clock.advance(milliseconds: 50)
    XCTAssertEqual(try editsByFrame(), [1, 1, 2])
  }

  func testAFrameThatEndedIsWrittenByTheNextTickWithinATurn() throws {
    let journal = try openTimed()
    journal.openTurn()
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    journal.endFrame()
    clock.advance(milliseconds: 10)
    journal.append([edited("a", 1, .int(1), .int(2))])
    clock.advance(milliseconds: 40)
    XCTAssertEqual(try editsByFrame(), [1])
    clock.advance(milliseconds: 159)
    XCTAssertEqual(try editsByFrame(), [1])
    clock.advance(milliseconds: 1)
    XCTAssertEqual(try editsByFrame(), [1, 1], "a turn that never ends holds nothing back for long")
  }

  func testOpeningATurnBeforeEachTickHoldsNothingBackForLong() throws {
    let journal = try openTimed()
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    clock.beforeNextWallTime { journal.openTurn() }
    clock.advance(milliseconds: 199)
    XCTAssertEqual(files(), [])
    clock.advance(milliseconds: 1)
    XCTAssertEqual(try editsByFrame(), [1])
  }
}
