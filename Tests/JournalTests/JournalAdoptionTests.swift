import Foundation
import RepriseLog
import RepriseObjectModel
import RepriseTestJournal
import RepriseTestProcesses
import XCTest

@testable import RepriseJournal

/// Several processes, one folder. Two journals in one process stand for two processes: a lock belongs to an open file.
final class JournalAdoptionTests: JournalTestCase {
  func testWhatADeadProcessWroteIsReadWhereItIsAndLeftAsItIs() throws {
    let first = try open()
    first.append([began("a"), edited("a", 1, .int(0), .int(1))])
    try first.write()
    first.abandon()
    let path = try onlyFile()
    let before = try read(path)

    let next = try open()
    XCTAssertEqual(try read(path), before, "opening writes nothing")
    next.append([edited("a", 1, .int(1), .int(2))])
    try next.write()
    XCTAssertEqual(try read(path), before, "two processes never write into one file")
    XCTAssertEqual(files().count, 2)
    next.abandon()
    let image = try XCTUnwrap(draft(try open(), "a"))
    XCTAssertEqual(counts(image), [1: 2])
    XCTAssertEqual(image.groups.count, 2)
  }

  func testTheJournalOfALiveProcessIsLeftAlone() throws {
    let first = try open()
    first.append([began("a"), edited("a", 1, .int(0), .int(1))])
    try first.write()
    let second = try open()
    XCTAssertEqual(second.problems, [])
    XCTAssertEqual(try image(second).drafts.count, 0)
    second.append([began("b")])
    try second.write()
    XCTAssertEqual(files().count, 2)
    try checkpoint(second)
    try second.close()
    XCTAssertEqual(files().count, 1)
    XCTAssertEqual(counts(try draft(first, "a")), [1: 1])
    first.append([edited("a", 1, .int(1), .int(2))])
    XCTAssertEqual(counts(try draft(first, "a")), [1: 2])
  }

  func testTheDraftsOfAProcessThatDiedMeanwhileAreTakenOver() throws {
    // Its clock is ahead.
    let ahead = VirtualClock(wall: 1_900_000_000_000_000)
    let first = try open { $0.clock = ahead }
    XCTAssertTrue(try take("a", in: first))
    first.append([began("a"), edited("a", 1, .int(0), .int(1))])
    try first.write()
    let second = try open()
    second.append([began("b")])
    try second.write()
    XCTAssertFalse(try take("a", in: second))
    first.append([edited("a", 1, .int(1), .int(2), generation: 50)])
    try first.write()
    first.abandon()
    XCTAssertTrue(try take("a", in: second))
    XCTAssertEqual(counts(try draft(second, "a")), [1: 2])
    let generation = second.nextGeneration()
    XCTAssertGreaterThan(generation, 50)
    second.append([edited("a", 1, .int(2), .int(3), generation: generation)])
    try second.write()

    // Both die: what the second added comes after what the first wrote, whichever file is older.
    second.abandon()
    let third = try open()
    XCTAssertEqual(counts(try draft(third, "a")), [1: 3])
    XCTAssertEqual(try draft(third, "a")?.groups.count, 3)
    try checkpoint(third)
    XCTAssertEqual(files(), [])
    XCTAssertEqual(counts(try draft(third, "a")), [1: 3])
  }

  func testASaveConsumesWhatStandsInSeveralJournals() throws {
    let first = try open()
    first.append([began("a"), edited("a", 1, .int(0), .int(1))])
    try first.write()
    let second = try open()
    second.append([began("b")])
    try second.write()
    first.abandon()
    XCTAssertTrue(try take("a", in: second))
    let generation = second.nextGeneration()
    second.append([edited("a", 2, .int(0), .int(1), generation: generation)])
    try consume(second, "a", upTo: generation)
    try second.write()
    second.abandon()
    XCTAssertNil(try draft(try open(), "a"))
  }

  func testSeveralDeadJournalsAreReadAndCheckpointed() throws {
    var journals: [Journal] = []
    for number in 0..<4 {
      let journal = try open()
      journal.append([began("\(number)"), edited("\(number)", 1, .int(0), .int(Int64(number)))])
      try journal.write()
      journals.append(journal)
    }
    XCTAssertEqual(files().count, 4)
    for journal in journals { journal.abandon() }
    let next = try open()
    XCTAssertEqual(Set(try image(next).drafts.keys), ["0", "1", "2", "3"])
    let other = try open()
    XCTAssertEqual(try image(other).drafts.count, 0, "they are locked")
    try checkpoint(next)
    XCTAssertEqual(files(), [])
    XCTAssertEqual(Set(try image(next).drafts.keys), ["0", "1", "2", "3"])
    XCTAssertEqual(Set(try image(other).drafts.keys), ["0", "1", "2", "3"], "they are everybody's")
  }

  func testTheFolderIsReadAgainWhenAFileInItWasMadeAndNotBefore() throws {
    let dead = try open()
    dead.append([began("a")])
    try dead.write()
    dead.abandon()
    let past = Date(timeIntervalSince1970: 1_700_000_000)
    func pretendThatNothingWasMade() throws {
      try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: folder)
    }
    try pretendThatNothingWasMade()
    let journal = try open()
    XCTAssertEqual(try journal.othersJournals().count, 0)
    let other = try open()
    other.append([began("b")])
    try other.write()
    XCTAssertEqual(try journal.othersJournals().count, 1)
    try pretendThatNothingWasMade()
    other.abandon()
    XCTAssertEqual(try journal.othersJournals().count, 0)
    XCTAssertNotNil(try draft(journal, "b"), "its process has ended, and nothing in the folder has changed")

    try pretendThatNothingWasMade()
    XCTAssertEqual(try journal.othersJournals().count, 0)
    let third = try open()
    third.append([began("c")])
    try third.write()
    try pretendThatNothingWasMade()
    XCTAssertEqual(try journal.othersJournals().count, 0, "the folder is not read where it says that nothing was made")
  }

  func testAJournalCanBeMadeWhileOthersClearUpWhatDeadProcessesLeft() throws {
    let folder = JournalFolder(path: folder)
    let isDone = Flag()
    let cleaner = Thread {
      while !isDone.isSet {
        var stamp: JournalFolder.Stamp?
        try? folder.look(knowing: [], &stamp) { if case .dead(_, let descriptor, _) = $0 { close(descriptor) } }
      }
    }
    cleaner.start()
    defer { isDone.set() }
    for _ in 0..<2_000 {
      let journal = UniqueID()
      let file = try folder.create(journal, { $0 }, log: log)
      try folder.remove(journal)
      file.close()
    }
  }

  func testAKilledProcessLosesNoMoreThanWhatItHadNotWritten() throws {
    let child = try ChildProcess("write and wait", in: directory)
    XCTAssertEqual(child.heard(), "written")
    let journal = try open()
    XCTAssertFalse(try take("a", in: journal), "its process lives")
    child.kill()
    XCTAssertTrue(try take("a", in: journal))
    XCTAssertEqual(counts(try draft(journal, "a")), [1: 1])
    XCTAssertEqual(try image(journal).scenes, ["main": ["list": [1, 2, 3]]])
  }

  func testAKillAtAnyTimeLeavesEveryFrameButTheLast() throws {
    for _ in 0..<3 {
      let child = try ChildProcess("type", in: directory)
      var said: Int64 = 0
      while said < 40, let text = child.heard() { said = Int64(text) ?? said }
      child.kill()
      let journal = try open()
      XCTAssertEqual(journal.problems, [])
      let count = try XCTUnwrap(counts(try draft(journal, "a"))[1])
      XCTAssertGreaterThanOrEqual(count, said, "what it said was written")
      XCTAssertEqual(try image(journal).scenes["main"]?["count"], Array("\(count)".utf8), "screens and edits agree")
      journal.append([.draftEnded(draft: "a")])
      try journal.close()
    }
  }
}

// Safe: everything is read and changed under the lock.
private final class Flag: @unchecked Sendable {
  private let lock = NSLock()
  private var value = false
  var isSet: Bool { lock.withLock { value } }
  func set() { lock.withLock { value = true } }
}

/// What the child process does. In the parent there is nothing to do.
final class JournalChildRoles: JournalTestCase {
  func testPlaysItsRole() throws {
    guard let role = ChildProcess.role else { throw XCTSkip("runs as a child of other tests") }
    let journal = try open(in: ChildProcess.directory)
    switch role {
    case "write and wait":
      XCTAssertTrue(try journal.claim(.draft("a")))
      journal.append([
        began("a"), edited("a", 1, .int(0), .int(1)), .nodePut(scene: "main", key: "list", bytes: [1, 2, 3]),
      ])
      try journal.write()
      ChildProcess.say("written")
      journal.append([edited("a", 1, .int(1), .int(2))])
      ChildProcess.waitForParent()
    case "type":
      journal.append([began("a")])
      for number in 0..<Int64(1_000_000) {
        journal.append([
          edited("a", 1, .int(number), .int(number + 1)),
          .nodePut(scene: "main", key: "count", bytes: Array("\(number + 1)".utf8)),
        ])
        try journal.write()
        ChildProcess.say("\(number + 1)")
      }
    default: XCTFail(role)
    }
  }

  /// The folder of the parent's store, with tables of its own: an environment is the parent's.
  private func open(in directory: String) throws -> Journal {
    let transaction = try environment.beginRead()
    return try Journal.open(
      directory: directory + "/journals", claims: directory + "/data.mdb", log: log, map: map, tables: tables,
      view: transaction.view,
      options: JournalOptions(clock: VirtualClock()))
  }
}

extension ChildProcess {
  /// A child that plays a role of ``JournalChildRoles``.
  fileprivate convenience init(_ role: String, in directory: String) throws {
    try self.init(test: "RepriseJournalTests.JournalChildRoles/testPlaysItsRole", role: role, in: directory)
  }
}
