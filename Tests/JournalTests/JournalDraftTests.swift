import RepriseLog
import RepriseObjectModel
import RepriseTestLog
import XCTest

@testable import RepriseJournal

/// What a draft is after its process was killed.
final class JournalDraftTests: JournalTestCase {
  func testADraftComesBackAfterAKill() throws {
    let journal = try open()
    journal.append([
      began("root"), began("child", parent: "root", base: 9), edited("child", 1, .int(1), .int(2), name: "Count"),
    ])
    try journal.write()
    journal.abandon()

    let image = try image(try open())
    XCTAssertEqual(image.problems, [])
    XCTAssertEqual(Set(image.drafts.keys), ["root", "child"])
    let child = try XCTUnwrap(image.drafts["child"])
    XCTAssertEqual(child.header, DraftHeader(id: "child", parent: "root", author: "ada", base: 9, name: "Items"))
    XCTAssertEqual(child.changes, [object(1): step(1, .int(1), .int(2)).change])
    XCTAssertEqual(child.groups, [DraftGroup(name: "Count", edits: [step(1, .int(1), .int(2))])])
    XCTAssertEqual(child.history.redo, [])
    XCTAssertEqual(image.drafts["root"]?.changes, [:])
  }

  func testWhatWasNotWrittenIsReadFromMemory() throws {
    let journal = try open()
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    XCTAssertEqual(counts(try draft(journal, "a")), [1: 1])
    XCTAssertNil(try draft(journal, "b"))
  }

  func testAnEndedDraftStaysAway() throws {
    let journal = try open()
    journal.append([began("a"), edited("a", 1, .int(0), .int(1)), .draftEnded(draft: "a"), began("b")])
    try journal.write()
    journal.abandon()
    XCTAssertEqual(try image(try open()).drafts.keys.sorted(), ["b"])
  }

  func testADraftEndsWithItsLastEdit() throws {
    let journal = try open()
    journal.append([
      began("a"), edited("a", 1, .int(0), .int(1)), edited("a", 2, .int(0), .int(5), generation: 2),
      .draftEmptied(draft: "a", upTo: 1),
    ])
    let image = try XCTUnwrap(draft(journal, "a"))
    XCTAssertEqual(counts(image), [2: 5])
    XCTAssertEqual(image.groups.count, 1)
    journal.append([.draftEmptied(draft: "a", upTo: 2)])
    XCTAssertNil(try draft(journal, "a"))
    XCTAssertGreaterThan(journal.nextGeneration(), 2, "an edit of generation 2 would be taken for one of those")
  }

  func testGenerationsOfALaterProcessAreAboveAllThatWereConsumed() throws {
    let journal = try open()
    let generation = journal.nextGeneration()
    journal.append([began("a", generation: generation), edited("a", 1, .int(0), .int(1), generation: generation)])
    try journal.write()
    // The edits that this generation had besides were never written.
    let lost = journal.nextGeneration()
    try consume(journal, "a", upTo: lost)
    journal.abandon()

    let next = try open()
    XCTAssertNil(try draft(next, "a"))
    let later = next.nextGeneration()
    XCTAssertGreaterThan(later, lost)
    next.append([edited("a", 1, .int(1), .int(9), generation: later)])
    XCTAssertEqual(counts(try draft(next, "a")), [1: 9])
  }

  func testADraftBegunAgainByALaterProcessIsNotTakenForWhatWasConsumed() throws {
    let journal = try open()
    let generation = journal.nextGeneration()
    journal.append([began("a", generation: generation), edited("a", 1, .int(0), .int(1), generation: generation)])
    // More generations than the file knows of.
    for _ in 0..<5 { _ = journal.nextGeneration() }
    try consume(journal, "a", upTo: journal.nextGeneration())
    journal.append([.draftEnded(draft: "a")])
    try journal.write()
    journal.abandon()

    let next = try open()
    XCTAssertNil(try draft(next, "a"))
    let later = next.nextGeneration()
    next.append([began("a", generation: later), edited("a", 1, .int(1), .int(9), generation: later)])
    XCTAssertEqual(counts(try draft(next, "a")), [1: 9])
  }

  func testADraftBegunAgainAfterItsSaveKeepsItsEdits() throws {
    let journal = try open()
    let first = journal.nextGeneration()
    journal.append([began("a", generation: first), edited("a", 1, .int(0), .int(1), generation: first)])
    try consume(journal, "a", upTo: first)
    journal.append([.draftEmptied(draft: "a", upTo: first), .draftEnded(draft: "a")])
    let second = journal.nextGeneration()
    journal.append([began("a", generation: second), edited("a", 1, .int(1), .int(2), generation: second)])
    try journal.write()
    journal.abandon()
    XCTAssertEqual(counts(try draft(try open(), "a")), [1: 2])
  }

  func testASaveTakesAwayWhatIsInTheJournalAndInTheTables() throws {
    let journal = try open()
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    try checkpoint(journal)
    journal.append([edited("a", 2, .int(0), .int(1)), edited("a", 3, .int(0), .int(1), generation: 2)])
    try journal.write()
    try consume(journal, "a", upTo: 1)
    XCTAssertEqual(counts(try draft(journal, "a")), [3: 1])
    journal.abandon()
    let next = try open()
    XCTAssertEqual(counts(try draft(next, "a")), [3: 1])
    try checkpoint(next)
    XCTAssertEqual(counts(try draft(next, "a")), [3: 1])
  }

  func testUndoAndRedoGoOnAfterAKill() throws {
    let journal = try open()
    journal.append([
      began("a"), edited("a", 1, .int(0), .int(1)), edited("a", 1, .int(1), .int(2), startsGroup: false),
      edited("a", 2, .int(0), .int(8)), edited("a", 1, .int(2), .int(3)), .draftUndone(draft: "a"),
      .draftUndone(draft: "a"),
    ])
    try journal.write()
    journal.abandon()

    let next = try open()
    let image = try XCTUnwrap(draft(next, "a"))
    XCTAssertEqual(counts(image), [1: 2])
    XCTAssertEqual(image.groups, [DraftGroup(edits: [step(1, .int(0), .int(1)), step(1, .int(1), .int(2))])])
    XCTAssertEqual(
      image.history.redo,
      [DraftGroup(edits: [step(1, .int(2), .int(3))]), DraftGroup(edits: [step(2, .int(0), .int(8))])])
    next.append([.draftRedone(draft: "a")])
    XCTAssertEqual(counts(try draft(next, "a")), [1: 2, 2: 8])
    next.append([.draftRedone(draft: "a")])
    XCTAssertEqual(counts(try draft(next, "a")), [1: 3, 2: 8])
    next.append([.draftUndone(draft: "a"), edited("a", 5, .int(0), .int(1))])
    XCTAssertEqual(try draft(next, "a")?.history.redo, [], "an edit ends what could be redone")
  }

  func testAGroupGoesOnInTheNextFile() throws {
    let journal = try open()
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    try checkpoint(journal)
    journal.append([edited("a", 1, .int(1), .int(2), startsGroup: false)])
    XCTAssertEqual(try draft(journal, "a")?.groups.count, 1)
    try checkpoint(journal)
    XCTAssertEqual(try draft(journal, "a")?.groups.count, 1)
    journal.append([.draftUndone(draft: "a")])
    XCTAssertEqual(try draft(journal, "a")?.changes, [:])
  }

  func testEditsMadeDuringAFailedSaveUndoInTheirOrder() throws {
    let journal = try open()
    journal.append([
      began("a"), edited("a", 1, .int(0), .int(1)), edited("a", 1, .int(1), .int(2), generation: 2),
      .draftUndone(draft: "a"),
    ])
    XCTAssertEqual(counts(try draft(journal, "a")), [1: 1])
    journal.append([.draftUndone(draft: "a")])
    XCTAssertEqual(try draft(journal, "a")?.changes, [:])
    journal.append([.draftRedone(draft: "a")])
    XCTAssertEqual(counts(try draft(journal, "a")), [1: 1])
    journal.append([.draftRedone(draft: "a")])
    XCTAssertEqual(counts(try draft(journal, "a")), [1: 2])
    XCTAssertEqual(try draft(journal, "a")?.groups.count, 2)
  }

  func testARebasedDraftRestsOnItsNewPosition() throws {
    let journal = try open()
    journal.append([began("a"), .draftRebased(draft: "a", base: 99, hash: 7)])
    for isCheckpointed in [false, true] {
      if isCheckpointed { try checkpoint(journal) }
      let header = try draft(journal, "a")?.header
      XCTAssertEqual(header?.base, 99)
      XCTAssertEqual(header?.baseHash, 7)
    }
  }

  func testInsertionsAndDeletionsComeBackWithTheirValues() throws {
    let values = try LogFixture.fullValues(map)
    let journal = try open()
    journal.append([
      began("a"), edited("a", DraftEdit(object: object(1), change: .inserted(values))),
      edited("a", DraftEdit(object: object(2), change: .deleted(values))),
      edited("a", DraftEdit(object: object(3), change: .inserted(values))),
      edited("a", DraftEdit(object: object(3), change: .deleted(values))),
    ])
    let image = try XCTUnwrap(draft(journal, "a"))
    XCTAssertEqual(image.changes, [object(1): .inserted(values), object(2): .deleted(values)])
    XCTAssertEqual(image.groups.count, 4)
  }

  func testScreensAndEditsOfOneTurnStandInOneFrame() throws {
    let journal = try open()
    journal.openTurn()
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    journal.append([.nodePut(scene: "main", key: "root/list", bytes: [1, 2])])
    journal.closeTurn()
    try journal.write()
    journal.abandon()
    let bytes = try read(try onlyFile())
    let scan = JournalScan(bytes, log: log, journal: try XCTUnwrap(UniqueID(String(files()[0].dropLast(8)))))
    XCTAssertEqual(scan.frames.count, 1)
    XCTAssertEqual(try image(try open()).scenes, ["main": ["root/list": [1, 2]]])
  }

  func testTheNodesOfAScene() throws {
    let journal = try open()
    journal.append([
      .nodePut(scene: "main", key: "a", bytes: [1]), .nodePut(scene: "main", key: "b", bytes: []),
      .nodePut(scene: "main", key: "a", bytes: [2]), .nodePut(scene: "other", key: "a", bytes: [3]),
      .nodePut(scene: "gone", key: "a", bytes: [4]), .nodeRemoved(scene: "gone", key: "a"),
    ])
    let expected: [String: [String: [UInt8]]] = ["main": ["a": [2], "b": []], "other": ["a": [3]]]
    XCTAssertEqual(try image(journal).scenes, expected)
    try checkpoint(journal)
    XCTAssertEqual(try image(journal).scenes, expected)
    journal.append([.sceneCleared(scene: "main"), .nodePut(scene: "main", key: "c", bytes: [5])])
    XCTAssertEqual(try image(journal).scenes, ["main": ["c": [5]], "other": ["a": [3]]])
    try checkpoint(journal)
    journal.abandon()
    XCTAssertEqual(try image(try open()).scenes, ["main": ["c": [5]], "other": ["a": [3]]])
  }
}
