import RepriseLog
import RepriseObjectModel
import RepriseSystem
import RepriseTestJournal
import XCTest

@testable import RepriseJournal

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// When things are written and flushed, by a clock that moves only when told to.
final class JournalTimingTests: JournalTestCase {
  private var clock = VirtualClock()
  private var plan = FaultPlan()

  override func setUpWithError() throws {
    try super.setUpWithError()
    clock = VirtualClock()
    plan = FaultPlan()
  }

  private func openTimed(_ change: (inout JournalOptions) -> Void = { _ in }) throws -> Journal {
    let (clock, plan) = (clock, plan)
    return try open {
      $0.clock = clock
      $0.use(plan)
      change(&$0)
    }
  }

  private func nextEdit(_ number: inout Int64) -> JournalEntry {
    defer { number += 1 }
    return edited("a", 1, .int(number), .int(number + 1))
  }

  func testNothingIsMadeBeforeTheFirstEntry() throws {
    let journal = try openTimed()
    journal.openTurn()
    journal.closeTurn()
    journal.append([])
    clock.advance(milliseconds: 60_000)
    XCTAssertEqual(files(""), [])
    XCTAssertFalse(FileManager.default.fileExists(atPath: folder))
    XCTAssertFalse(clock.hasThread)
    XCTAssertNil(try journal.beginCheckpoint())
    try journal.close()
    XCTAssertFalse(FileManager.default.fileExists(atPath: folder))
  }

  /// A journal that a killed process left, so that opening the folder schedules a checkpoint.
  private func leaveJournal() throws {
    let journal = try open()
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    try journal.write()
    journal.abandon()
  }

  func testACheckpointStartsItsThreadAfterTheTurn() throws {
    try leaveJournal()
    clock.beginTurn()
    let journal = try openTimed()
    journal.startOverdueThread()
    XCTAssertFalse(clock.hasThread)
    clock.endTurn()
    XCTAssertTrue(clock.hasThread)
    try journal.close()
  }

  func testATurnThatNeverEndsDelaysNoCheckpoint() throws {
    try leaveJournal()
    clock.beginTurn()
    let journal = try openTimed()
    clock.advance(milliseconds: JournalOptions().checkpointDelay / 1_000_000)
    XCTAssertFalse(clock.hasThread)
    journal.startOverdueThread()
    XCTAssertTrue(clock.hasThread)
    try journal.close()
  }

  func testAClosedJournalStartsNoThread() throws {
    try leaveJournal()
    clock.beginTurn()
    let journal = try openTimed()
    journal.abandon()
    clock.endTurn()
    XCTAssertFalse(clock.hasThread)
  }

  func testFilesArePrivate() throws {
    let journal = try openTimed()
    journal.append([began("a")])
    try journal.write()
    let attributes = try FileManager.default.attributesOfItem(atPath: try onlyFile())
    XCTAssertEqual(attributes[.posixPermissions] as? Int, 0o600)
    let directory = try FileManager.default.attributesOfItem(atPath: folder)
    XCTAssertEqual(directory[.posixPermissions] as? Int, 0o700)
  }

  func testAnEntryIsWrittenFiftyMillisecondsLater() throws {
    let journal = try openTimed()
    journal.append([began("a")])
    clock.advance(milliseconds: 49)
    XCTAssertEqual(plan.writes, 0)
    clock.advance(milliseconds: 1)
    XCTAssertEqual(plan.writes, 2, "the header, and a frame")
    clock.advance(milliseconds: 1_000)
    XCTAssertEqual(plan.writes, 2)
    journal.append([.draftEnded(draft: "a")])
    clock.advance(milliseconds: 50)
    XCTAssertEqual(plan.writes, 3)
  }

  func testEditsFasterThanTheDelayForAMinuteLoseNoMoreThanTheLimit() throws {
    let journal = try openTimed()
    journal.append([began("a")])
    var number: Int64 = 0
    for tick in 0..<6_000 {
      journal.append([nextEdit(&number)])
      clock.advance(milliseconds: 10)
      guard tick % 100 == 99 else { continue }
      // What a kill now would leave.
      let scan = JournalScan(
        try read(try onlyFile()), log: log, journal: try XCTUnwrap(UniqueID(String(files()[0].dropLast(8)))))
      let index = JournalIndex(scan, file: "")
      let written = Int64(index.drafts["a"]?.filter { $0.kind == .edited }.count ?? 0)
      XCTAssertGreaterThanOrEqual(written, number - 25, "at \((tick + 1) * 10) ms")
    }
    XCTAssertEqual(plan.flushes, 11, "every five seconds, the first five after the first write")
    journal.abandon()
    XCTAssertGreaterThanOrEqual(try XCTUnwrap(counts(try draft(try open(), "a"))[1]), number - 5)
  }

  func testATickWaitsForTheEndOfATurn() throws {
    let journal = try openTimed()
    journal.openTurn()
    journal.append([began("a")])
    clock.advance(milliseconds: 120)
    XCTAssertEqual(plan.writes, 0)
    journal.append([.nodePut(scene: "main", key: "a", bytes: [1])])
    journal.closeTurn()
    clock.settle()
    XCTAssertEqual(plan.writes, 2)
    journal.abandon()
    let scan = JournalScan(
      try read(try onlyFile()), log: log, journal: try XCTUnwrap(UniqueID(String(files()[0].dropLast(8)))))
    XCTAssertEqual(scan.frames.count, 1)
  }

  /// On a busy machine the thread finds a turn open whenever it runs: each of them is short.
  func testATurnDoesNotHoldBackWhatWasDueBeforeIt() throws {
    let journal = try openTimed { $0.turnLimit = 60_000_000_000 }
    journal.openTurn()
    journal.append([.nodePut(scene: "main", key: "a", bytes: [1])])
    clock.advance(milliseconds: 60)
    XCTAssertEqual(plan.writes, 0)
    journal.closeTurn()
    journal.openTurn()
    journal.append([.nodePut(scene: "main", key: "b", bytes: [2])])
    clock.settle()
    XCTAssertEqual(plan.writes, 2, "the header, and the first turn")
    journal.closeTurn()
    clock.settle()
    XCTAssertEqual(plan.writes, 2, "the second one is not due")
    clock.advance(milliseconds: 50)
    XCTAssertEqual(plan.writes, 3)
    journal.abandon()
    let scan = JournalScan(
      try read(try onlyFile()), log: log, journal: try XCTUnwrap(UniqueID(String(files()[0].dropLast(8)))))
    XCTAssertEqual(scan.frames.count, 2)
  }

  func testATurnThatNeverEndsHoldsNothingBackForLong() throws {
    let journal = try openTimed()
    journal.openTurn()
    var number: Int64 = 0
    journal.append([began("a")])
    clock.advance(milliseconds: 199)
    XCTAssertEqual(plan.writes, 0)
    clock.advance(milliseconds: 1)
    XCTAssertEqual(plan.writes, 2)
    for round in 3...20 {
      journal.append([nextEdit(&number)])
      clock.advance(milliseconds: 200)
      XCTAssertEqual(plan.writes, round)
    }
  }

  func testOverlappingTurnsHoldNothingBackForLong() throws {
    let journal = try openTimed()
    journal.openTurn()
    journal.append([began("a")])
    for _ in 0..<40 {
      journal.openTurn()
      clock.advance(milliseconds: 5)
      journal.closeTurn()
    }
    XCTAssertEqual(plan.writes, 2)
  }

  func testMoreClosedTurnsThanOpenedDoNoHarm() throws {
    let journal = try openTimed()
    journal.closeTurn()
    journal.openTurn()
    journal.append([began("a")])
    clock.advance(milliseconds: 100)
    XCTAssertEqual(plan.writes, 0)
  }

  func testWhatIsWrittenIsFlushedFiveSecondsLater() throws {
    let journal = try openTimed()
    journal.append([began("a")])
    clock.advance(milliseconds: 5_049)
    XCTAssertEqual(plan.flushes, 0)
    clock.advance(milliseconds: 1)
    XCTAssertEqual(plan.flushes, 1)
    XCTAssertEqual(plan.unflushedBytes, tellingOfAFlush)
    clock.advance(milliseconds: 60_000)
    XCTAssertEqual(plan.flushes, 1, "there is nothing to flush")
  }

  /// The frame that says how far the file is flushed.
  private var tellingOfAFlush: Int { JournalFormat.frameHeaderSize + JournalFormat.flushed(upTo: 1, time: 0).count }

  func testTheFlushIntervalIsAnOption() throws {
    let journal = try openTimed { $0.flushInterval = 1_000_000_000 }
    journal.append([began("a")])
    clock.advance(milliseconds: 1_050)
    XCTAssertEqual(plan.flushes, 1)
  }

  func testASlowFlushHoldsNoWriteBack() throws {
    let journal = try openTimed()
    journal.append([began("a")])
    clock.holdDetached()
    clock.advance(milliseconds: 5_050)
    XCTAssertEqual(plan.flushes, 0)
    var number: Int64 = 0
    for round in 3...40 {
      journal.append([nextEdit(&number)])
      clock.advance(milliseconds: 50)
      XCTAssertEqual(plan.writes, round)
    }
    clock.advance(milliseconds: 30_000)
    clock.releaseDetached()
    XCTAssertEqual(plan.flushes, 1, "what came while it was late is part of it")
    XCTAssertEqual(plan.unflushedBytes, tellingOfAFlush)
  }

  func testFlushLeavesNothingToAPowerCut() throws {
    let journal = try openTimed()
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    try journal.flush()
    XCTAssertEqual(plan.flushes, 1)
    XCTAssertEqual(plan.unflushedBytes, tellingOfAFlush)
    try journal.flush()
    XCTAssertEqual(plan.flushes, 1)
    clock.advance(milliseconds: 60_000)
    XCTAssertEqual(plan.flushes, 1)
    journal.append([edited("a", 1, .int(1), .int(2))])
    try journal.close()
    XCTAssertEqual(plan.flushes, 2)
    XCTAssertEqual(counts(try draft(try open(), "a")), [1: 2])
  }

  func testAFlushIsNotDoneBeforeThoseThatAreUnderWay() throws {
    let journal = try openTimed()
    for flush in [{ _ = try journal.beginCheckpoint() }, { try journal.flush() }] as [() throws -> Void] {
      journal.append([began("a")])
      try journal.write()
      let before = plan.flushes
      let isDone = DispatchSemaphore(value: 0)
      nonisolated(unsafe) var flushes = before
      plan.duringNextFlush { [plan] in
        Thread.detachNewThread {
          try? journal.flush()
          flushes = plan.flushes
          isDone.signal()
        }
        // Time enough to return too early.
        usleep(20_000)
      }
      try flush()
      isDone.wait()
      XCTAssertGreaterThan(flushes, before, "it returned, and nothing is on the disk")
    }
  }

  func testWhatADeadProcessLeftUnflushedIsFlushed() throws {
    let journal = try openTimed()
    journal.append([began("a")])
    try journal.write()
    journal.abandon()
    XCTAssertEqual(plan.flushes, 0)
    let next = try openTimed()
    try next.flush()
    XCTAssertEqual(plan.flushes, 1)
    XCTAssertEqual(plan.unflushedBytes, 0)
  }

  func testAppendingToAClosedJournalIsReported() throws {
    let journal = try openTimed()
    journal.append([began("a")])
    try journal.close()
    try journal.close()
    journal.append([.draftEnded(draft: "a")])
    XCTAssertEqual(plan.errors, [.closed])
    XCTAssertThrowsError(try journal.recovery()) { XCTAssertEqual($0 as? JournalError, .closed) }
  }

  // MARK: Failures

  func testAFailedWriteIsTriedAgainAndNothingIsLost() throws {
    let journal = try openTimed()
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    clock.advance(milliseconds: 50)
    let before = try read(try onlyFile())
    plan.failWrites(ENOSPC, after: 7)
    journal.append([edited("a", 1, .int(1), .int(2))])
    clock.advance(milliseconds: 50)
    let path = try onlyFile()
    XCTAssertEqual(plan.errors, [.cannotWrite(path: path, errno: ENOSPC)])
    XCTAssertEqual(journal.lastError, .cannotWrite(path: path, errno: ENOSPC))
    XCTAssertEqual(try read(path), before, "what was written of it is cut")
    XCTAssertEqual(counts(try draft(journal, "a")), [1: 2], "it is known, though not written")

    journal.append([edited("a", 1, .int(2), .int(3))])
    clock.advance(milliseconds: 900)
    XCTAssertThrowsError(try journal.flush())
    XCTAssertThrowsError(try journal.close(), "closing would lose it")
    plan.failWrites(nil)
    clock.advance(milliseconds: 1_000)
    XCTAssertNil(journal.lastError)
    journal.abandon()
    XCTAssertEqual(counts(try draft(try open(), "a")), [1: 3])
  }

  func testATailThatCouldNotBeCutIsCutLater() throws {
    let journal = try openTimed()
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    clock.advance(milliseconds: 50)
    plan.failWrites(EIO, after: 40)
    plan.failTruncates(EIO)
    journal.append([edited("a", 1, .int(1), .int(2))])
    clock.advance(milliseconds: 50)
    plan.failWrites(nil)
    clock.advance(milliseconds: 1_000)
    XCTAssertNotNil(journal.lastError, "it must not be written behind half a frame")
    plan.failTruncates(nil)
    clock.advance(milliseconds: 1_000)
    XCTAssertNil(journal.lastError)
    journal.abandon()
    let next = try open()
    XCTAssertEqual(next.problems, [])
    XCTAssertEqual(next.tornBytes, 0)
    XCTAssertEqual(counts(try draft(next, "a")), [1: 2])
  }

  func testAFailureToMakeTheFileIsTriedAgain() throws {
    plan.failWrites(ENOSPC)
    let journal = try openTimed()
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    clock.advance(milliseconds: 50)
    guard case .cannotCreate(_, ENOSPC) = journal.lastError else { return XCTFail("\(journal.lastError as Any)") }
    XCTAssertEqual(files(""), [])
    plan.failWrites(nil)
    clock.advance(milliseconds: 1_000)
    XCTAssertNil(journal.lastError)
    XCTAssertEqual(counts(try draft(journal, "a")), [1: 1])
  }

  func testAFailedFlushIsReportedAndTriedAgain() throws {
    let journal = try openTimed()
    plan.failFlushes(EIO)
    journal.append([began("a")])
    clock.advance(milliseconds: 5_050)
    XCTAssertEqual(plan.errors, [.cannotFlush(path: folder, errno: EIO)])
    XCTAssertThrowsError(try journal.flush())
    plan.failFlushes(nil)
    clock.advance(milliseconds: 5_000)
    XCTAssertEqual(plan.flushes, 2, "of the file that takes its place, before it does, and of that once more")
  }

  func testAFailedFlushBeginsNoCheckpoint() throws {
    let journal = try openTimed()
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    plan.failFlushes(EIO)
    XCTAssertThrowsError(try journal.beginCheckpoint())
    XCTAssertEqual(counts(try draft(journal, "a")), [1: 1])
    journal.append([edited("a", 1, .int(1), .int(2))])
    plan.failFlushes(nil)
    try checkpoint(journal)
    XCTAssertEqual(counts(try draft(journal, "a")), [1: 2])
    XCTAssertEqual(files(), [], "the checkpointed ones are gone")
  }

  // MARK: Clocks and threads

  func testAClockThatGoesBackKeepsTheOrderOfEdits() throws {
    clock.setWallTime(2_000_000)
    let journal = try openTimed()
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    try journal.write()
    clock.setWallTime(1_000_000)
    journal.append([edited("a", 1, .int(1), .int(2))])
    try journal.write()
    // A damaged journal is not gone on with, so the next process has one of its own.
    let first = try onlyFile()
    journal.abandon()
    var bytes = try read(first)
    bytes[20] ^= 1
    try write(bytes, to: first)

    let late = VirtualClock(wall: 500_000)
    let next = try open { $0.clock = late }
    next.append([edited("a", 1, .int(2), .int(3), generation: next.nextGeneration())])
    try next.write()
    XCTAssertEqual(files().count, 2)
    next.abandon()
    let image = try XCTUnwrap(draft(try open(), "a"))
    XCTAssertEqual(image.changes, [object(1): step(1, .int(0), .int(3)).change])
    XCTAssertEqual(image.groups.map(\.edits), (0..<3).map { [step(1, .int($0), .int($0 + 1))] })
  }

  func testManyThreadsAppendAndNothingIsLostOrSplit() throws {
    let journal = try open { $0.clock = SystemJournalClock() }
    journal.append([began("a")])
    let turns = (0..<8).map { thread in
      (0..<100).map { number in
        let object = UInt64(thread * 1_000 + number)
        return [edited("a", object, .int(0), .int(1)), .nodePut(scene: "main", key: "\(object)", bytes: [1])]
      }
    }
    DispatchQueue.concurrentPerform(iterations: turns.count) { thread in
      for (number, turn) in turns[thread].enumerated() {
        journal.openTurn()
        journal.append(turn)
        journal.closeTurn()
        if number == 50 { try? journal.flush() }
      }
    }
    try journal.close()
    let image = try image(try open())
    XCTAssertEqual(image.drafts["a"]?.changes.count, 800)
    XCTAssertEqual(image.scenes["main"]?.count, 800)
  }

  func testTheRealClockWrites() throws {
    let written = expectation(description: "written")
    written.assertForOverFulfill = false
    let journal = try open {
      $0.clock = SystemJournalClock()
      $0.flushInterval = 1
      $0.file = { WatchedFile($0) { written.fulfill() } }
    }
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    wait(for: [written], timeout: 60)
    journal.abandon()
    XCTAssertEqual(counts(try draft(try open(), "a")), [1: 1])
  }
}

/// Says when it was flushed.
private final class WatchedFile: JournalFile {
  private let file: any JournalFile
  private let flushed: @Sendable () -> Void

  init(_ file: any JournalFile, _ flushed: @escaping @Sendable () -> Void) {
    self.file = file
    self.flushed = flushed
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemFailure) {
    try file.write(bytes, at: offset)
  }
  func synchronize() throws(SystemFailure) {
    try file.synchronize()
    flushed()
  }
  func truncate(to length: Int) throws(SystemFailure) { try file.truncate(to: length) }
  func read(_ range: Range<Int>) throws(SystemFailure) -> [UInt8] { try file.read(range) }
  var isDeleted: Bool { file.isDeleted }
  func close() { file.close() }
}
