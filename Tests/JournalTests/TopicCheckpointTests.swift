import Foundation
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseTestJournal
import RepriseTestLog
import XCTest

@testable import RepriseJournal

/// What one living process wrote of a draft or a scene, and another one has now.
final class TopicCheckpointTests: JournalTestCase {
  private func type(_ number: Int64, _ draft: String = "a", in journal: Journal) throws {
    journal.append([
      began(draft, generation: journal.nextGeneration()),
      edited(draft, 1, .int(number - 1), .int(number), generation: journal.nextGeneration()),
    ])
    try journal.write()
  }

  /// A process that has released the draft after its first edit, and another one that has taken it over.
  private func handedOver(file: StaticString = #filePath, line: UInt = #line) throws -> (Journal, Journal) {
    let (first, second) = (try open(), try open())
    XCTAssertTrue(try take("a", in: first), file: file, line: line)
    try type(1, in: first)
    try release("a", in: first)
    XCTAssertTrue(try take("a", in: second), file: file, line: line)
    return (first, second)
  }

  func testWhatALiveProcessLetGoOfIsWhoeverAsksForItNext() throws {
    let (first, second) = try handedOver()
    XCTAssertEqual(counts(try draft(second, "a")), [1: 1])
    try type(2, in: second)
    try release("a", in: second)
    XCTAssertTrue(try take("a", in: first))
    XCTAssertEqual(counts(try draft(first, "a")), [1: 2])
    try type(3, in: first)

    // Whoever checkpoints first: no edit is told twice, and none before an earlier one.
    try checkpoint(second)
    first.abandon()
    let third = try open()
    XCTAssertEqual(counts(try draft(third, "a")), [1: 3])
    XCTAssertEqual(try draft(third, "a")?.groups.count, 3)
    try checkpoint(third)
    XCTAssertEqual(counts(try draft(third, "a")), [1: 3])
    XCTAssertEqual(try draft(third, "a")?.groups.count, 3)
  }

  func testADraftThatEndedDoesNotReturnFromTheJournalOfTheOneWhoHadItBefore() throws {
    let (first, second) = try handedOver()
    second.append([.draftEnded(draft: "a")])
    try checkpoint(second)
    try release("a", in: second)
    try checkpoint(first)
    XCTAssertTrue(try take("a", in: first))
    XCTAssertNil(try draft(first, "a"))
  }

  func testASaveConsumesWhatAnotherProcessHadWritten() throws {
    let (first, second) = try handedOver()
    XCTAssertEqual(counts(try draft(second, "a")), [1: 1])
    try consume(second, "a", upTo: second.nextGeneration())
    second.abandon()
    try checkpoint(first)
    XCTAssertNil(try draft(try open(), "a"))
  }

  func testWhatAnotherProcessHasTakenOverFromADeadOneIsNotOutOfReach() throws {
    let dead = try open()
    try type(1, in: dead)
    dead.append([.nodePut(scene: "main", key: "list", bytes: [1])])
    try dead.write()
    dead.abandon()
    let tool = try open()
    let app = try open()
    XCTAssertTrue(try take("a", in: app), "the tool only opened the store")
    XCTAssertEqual(counts(try draft(app, "a")), [1: 1])
    XCTAssertTrue(try take(.scene("main"), in: app))
    XCTAssertEqual(try image(app).scenes, ["main": ["list": [1]]])
    try type(2, in: app)
    try checkpoint(app)
    try checkpoint(tool)
    XCTAssertEqual(files(), [])
    XCTAssertEqual(counts(try draft(app, "a")), [1: 2])
  }

  func testTheEarlierOfTwoJournalsIsNotCheckpointedAfterTheLater() throws {
    // Both are dead, and two processes take one each.
    let first = try open()
    XCTAssertTrue(try take("a", in: first))
    try type(1, in: first)
    first.append([.nodePut(scene: "main", key: "list", bytes: [1])])
    try first.write()
    first.abandon()
    let earlier = try open()
    let second = try open { $0.clock = VirtualClock(wall: 1_800_000_000_000_000) }
    // As if it had died before anybody had looked.
    second.append([
      edited("a", 1, .int(1), .int(2), generation: second.nextGeneration()),
      .nodePut(scene: "main", key: "list", bytes: [2]),
    ])
    try second.write()
    second.abandon()
    let later = try open()
    try checkpoint(later)
    try checkpoint(earlier)
    XCTAssertEqual(counts(try draft(later, "a")), [1: 2])
    XCTAssertEqual(try image(later).scenes, ["main": ["list": [2]]])
  }

  /// The system releases the locks of a dead process one after the other. Meanwhile, others look at its journals.
  private func heirOfTheLaterJournal(_ plan: FaultPlan = FaultPlan()) throws -> Journal {
    let dying = try open()
    XCTAssertTrue(try take("a", in: dying))
    try type(1, in: dying)
    XCTAssertNotNil(try dying.beginCheckpoint(), "the second edit goes into another file")
    dying.append([edited("a", 1, .int(1), .int(2), generation: dying.nextGeneration())])
    try dying.write()
    dying.core.disk.withLock { $0.own.file?.close() }
    let heir = try open { $0.use(plan) }
    dying.abandon()
    return heir
  }

  func testAnEarlierJournalWhoseLockGoesLaterIsFirst() throws {
    let heir = try heirOfTheLaterJournal()
    try checkpoint(heir, onlyHeld: true)
    XCTAssertEqual(counts(try draft(heir, "a")), [1: 2])
    try checkpoint(heir, onlyHeld: true)
    XCTAssertEqual(counts(try draft(heir, "a")), [1: 2])
    XCTAssertEqual(try draft(heir, "a")?.groups.count, 2)
    XCTAssertEqual(files(), [])
  }

  func testAJournalTakenOverMeanwhileCountsOnce() throws {
    let dead = try open()
    try type(1, in: dead)
    let others = try open().othersJournals()
    XCTAssertEqual(others.count, 1)
    dead.abandon()
    let recovery = try open().recovery().adding(others)
    let transaction = try environment.beginRead()
    guard case .readable(let image)? = try recovery.draft(.draft("a"), transaction.view, map)?.draft else {
      return XCTFail("the draft is not there")
    }
    XCTAssertEqual(image.groups.count, 1)
  }

  func testJournalsFoundByACheckpointAreFlushed() throws {
    let plan = FaultPlan()
    let heir = try heirOfTheLaterJournal(plan)
    XCTAssertNotNil(try heir.beginCheckpointOfHeld())
    XCTAssertEqual(plan.flushes, 2)
  }

  func testATextThatAnotherProcessChangedIsNotWhatTheNextEditIsToldBy() throws {
    let slot = LogSample.title
    let long = String(repeating: "lorem ipsum ", count: 40)
    let (first, second) = (try open(), try open())
    XCTAssertTrue(try take("a", in: first))
    first.append([began("a", generation: 1), edited("a", 1, .string(""), .string(long), slot: slot)])
    first.release(.draft("a"))
    try first.write()
    first.core.letGoOfWhatWasLeft()
    XCTAssertTrue(try take("a", in: second))
    second.append([edited("a", 1, .string(long), .string("X" + long), slot: slot, generation: second.nextGeneration())])
    second.release(.draft("a"))
    try second.write()
    second.core.letGoOfWhatWasLeft()
    XCTAssertTrue(try take("a", in: first))
    let generation = first.nextGeneration()
    first.append([edited("a", 1, .string("X" + long), .string("X" + long + "Y"), slot: slot, generation: generation)])
    try first.write()
    first.abandon()
    second.abandon()
    let image = try XCTUnwrap(draft(try open(), "a"))
    XCTAssertEqual(image.problems, [])
    guard case .updated(let changes)? = image.changes[object(1)] else { return XCTFail("\(image.changes)") }
    XCTAssertEqual(changes.map(\.new), [.string("X" + long + "Y")])
  }

  func testWhatWasTakenOverIsCheckpointedASecondLaterAndTheOwnFileGoesOn() throws {
    let dead = try open()
    try type(1, in: dead)
    dead.abandon()
    let clock = VirtualClock()
    let journal = try open { $0.clock = clock }
    let asked = Counter()
    journal.whenToCheckpoint { asked.count += 1 }
    try type(1, "own", in: journal)
    clock.advance(milliseconds: 999)
    XCTAssertEqual(asked.count, 0, "a process that starts has better things to do")
    clock.advance(milliseconds: 1)
    XCTAssertEqual(asked.count, 1)
    clock.advance(milliseconds: 4_999)
    XCTAssertEqual(asked.count, 1)
    clock.advance(milliseconds: 1)
    XCTAssertEqual(asked.count, 2, "it has not happened")
    try checkpoint(journal, onlyHeld: true)
    XCTAssertEqual(files().count, 1)
    clock.advance(milliseconds: 60_000)
    XCTAssertEqual(asked.count, 2)
    XCTAssertEqual(counts(try draft(journal, "a")), [1: 1])
  }
}
