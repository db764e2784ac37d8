import Foundation
import XCTest

@testable import RepriseEventStore
@testable import RepriseObjectModel

/// Several processes, one folder. Two journals in one process stand for two processes: a lock belongs to an open file.
final class JournalAdoptionTests: JournalTestCase {
  func testTheJournalOfADeadProcessGoesOnInPlace() throws {
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
    XCTAssertEqual(try onlyFile(), path)
    XCTAssertEqual(Array(try read(path).prefix(before.count)), before)
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
    try fold(second, isClosing: true)
    try second.close()
    XCTAssertEqual(files().count, 1)
    XCTAssertEqual(counts(try draft(first, "a")), [1: 1])
    first.append([edited("a", 1, .int(1), .int(2))])
    XCTAssertEqual(counts(try draft(first, "a")), [1: 2])
  }

  func testADraftThatIsOpenInAnotherProcessIsRefused() throws {
    let first = try open()
    first.append([began("a"), began("b"), edited("a", 1, .int(0), .int(1)), .draftEnded(draft: "b")])
    try first.write()
    let second = try open()
    XCTAssertThrowsError(try second.claim("a")) {
      guard case JournalError.draftInUse(draft: "a", _) = $0 else { return XCTFail("\($0)") }
    }
    XCTAssertEqual(try second.draftsInUse(), ["a"])
    try second.claim("b")
    try second.claim("c")
    try first.claim("a")
    XCTAssertEqual(try first.draftsInUse(), [])
    first.append([.draftEnded(draft: "a")])
    try first.write()
    try second.claim("a")
  }

  func testAnOpenDraftIsRefusedAlsoAfterItsJournalWasFolded() throws {
    let first = try open()
    first.append([began("a"), edited("a", 1, .int(0), .int(1)), began("b"), .draftEnded(draft: "b")])
    try fold(first)
    let second = try open()
    XCTAssertThrowsError(try second.claim("a"))
    XCTAssertEqual(try second.draftsInUse(), ["a"])
    try first.close()
    try second.claim("a")
    XCTAssertEqual(counts(try draft(second, "a")), [1: 1])
  }

  func testTheDraftsOfAProcessThatDiedMeanwhileAreTakenOver() throws {
    // Its clock is ahead.
    let ahead = VirtualClock(wall: 1_900_000_000_000_000)
    let first = try open { $0.clock = ahead }
    first.append([began("a"), edited("a", 1, .int(0), .int(1))])
    try first.write()
    let second = try open()
    second.append([began("b")])
    try second.write()
    XCTAssertThrowsError(try second.claim("a"))
    first.append([edited("a", 1, .int(1), .int(2), generation: 50)])
    try first.write()
    first.abandon()
    try second.claim("a")
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
    try fold(third, isClosing: true)
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
    try second.claim("a")
    let generation = second.nextGeneration()
    second.append([edited("a", 2, .int(0), .int(1), generation: generation)])
    try consume(second, "a", upTo: generation)
    try second.write()
    second.abandon()
    XCTAssertEqual(try draft(try open(), "a")?.changes, [:])
  }

  func testSeveralDeadJournalsAreReadAndFolded() throws {
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
    next.append([began("4")])
    try next.write()
    XCTAssertEqual(files().count, 4, "the newest goes on")
    let other = try open()
    XCTAssertEqual(try image(other).drafts.count, 0, "the others are locked too")
    try fold(next, isClosing: true)
    XCTAssertEqual(files(), [])
    XCTAssertEqual(Set(try image(next).drafts.keys), ["0", "1", "2", "3", "4"])
  }

  func testTheNewestByItsFramesGoesOnNotTheNewestByName() throws {
    let older = try open()
    let newer = try open()
    newer.append([began("newer")])
    try newer.write()
    let named = try onlyFile()
    older.append([began("older")])
    try older.write()
    let wanted = try XCTUnwrap(files().map { folder + "/" + $0 }.first { $0 != named })
    let size = try read(wanted).count
    older.abandon()
    newer.abandon()
    // The virtual clocks of both stand still at one time; the name decides then.
    let next = try open()
    next.append([began("next")])
    try next.write()
    XCTAssertEqual(try read(wanted).count, size)
    next.abandon()

    let clock = VirtualClock(wall: 1_900_000_000_000_000)
    let late = try open { $0.clock = clock }
    late.append([began("late")])
    try late.write()
    XCTAssertEqual(files().count, 2)
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
    try journal.claim("b")
    let other = try open()
    other.append([began("b")])
    try other.write()
    XCTAssertThrowsError(try journal.claim("b"), "its process lives")
    other.abandon()
    try journal.claim("b")
    XCTAssertNotNil(try draft(journal, "b"), "its process has ended, and nothing in the folder has changed")

    try pretendThatNothingWasMade()
    try journal.claim("c")
    let third = try open()
    third.append([began("c")])
    try third.write()
    try pretendThatNothingWasMade()
    try journal.claim("c")
  }

  func testAKilledProcessLosesNoMoreThanWhatItHadNotWritten() throws {
    let child = try JournalChild("write and wait", in: directory)
    XCTAssertEqual(child.heard(), "written")
    let journal = try open()
    XCTAssertThrowsError(try journal.claim("a"), "its process lives")
    child.kill()
    try journal.claim("a")
    XCTAssertEqual(counts(try draft(journal, "a")), [1: 1])
    XCTAssertEqual(try image(journal).scenes, ["main": ["list": [1, 2, 3]]])
  }

  func testAKillAtAnyTimeLeavesEveryFrameButTheLast() throws {
    for _ in 0..<3 {
      let child = try JournalChild("type", in: directory)
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

/// What the child process does. In the parent there is nothing to do.
final class JournalChildRoles: JournalTestCase {
  func testPlaysItsRole() throws {
    guard let role = JournalChild.role else { throw XCTSkip("runs as a child of other tests") }
    let journal = try open(in: JournalChild.directory)
    switch role {
    case "write and wait":
      journal.append([
        began("a"), edited("a", 1, .int(0), .int(1)), .nodePut(scene: "main", key: "list", bytes: [1, 2, 3]),
      ])
      try journal.write()
      JournalChild.say("written")
      journal.append([edited("a", 1, .int(1), .int(2))])
      _ = readLine()
    case "type":
      journal.append([began("a")])
      for number in 0..<Int64(1_000_000) {
        journal.append([
          edited("a", 1, .int(number), .int(number + 1)),
          .nodePut(scene: "main", key: "count", bytes: Array("\(number + 1)".utf8)),
        ])
        try journal.write()
        JournalChild.say("\(number + 1)")
      }
    default: XCTFail(role)
    }
  }

  /// The folder of the parent's store, with tables of its own: an environment is the parent's.
  private func open(in directory: String) throws -> Journal {
    let transaction = try environment.beginRead()
    return try Journal.open(
      directory: directory + "/journals", log: log, map: map, tables: tables, view: transaction.view,
      options: JournalOptions(clock: VirtualClock()))
  }
}

/// Another process: this test program again.
final class JournalChild {
  private static let mark = "reprise-child: "
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = Data()

  static var role: String? { ProcessInfo.processInfo.environment["REPRISE_JOURNAL_ROLE"] }
  static var directory: String { ProcessInfo.processInfo.environment["REPRISE_JOURNAL_DIRECTORY"] ?? "" }

  init(_ role: String, in directory: String) throws {
    let test = "RepriseEventStoreTests.JournalChildRoles/testPlaysItsRole"
    #if canImport(Darwin)
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = ["-XCTest", test, Bundle(for: JournalChild.self).bundlePath]
    #else
    process.executableURL = URL(
      fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    process.arguments = [test]
    #endif
    var environment = ProcessInfo.processInfo.environment
    environment["REPRISE_JOURNAL_ROLE"] = role
    environment["REPRISE_JOURNAL_DIRECTORY"] = directory
    process.environment = environment
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  deinit { if process.isRunning { process.terminate() } }

  /// The next thing that the child says; `nil` when it has ended.
  func heard() -> String? {
    while true {
      while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: unread[unread.startIndex..<end], as: UTF8.self)
        unread = Data(unread[(end + 1)...])
        if line.hasPrefix(Self.mark) { return String(line.dropFirst(Self.mark.count)) }
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      unread += more
    }
  }

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  static func say(_ text: String) { FileHandle.standardOutput.write(Data("\(mark)\(text)\n".utf8)) }
}
