import Foundation
import RepriseTestSeeds
import XCTest

@testable import RepriseEventStore
@testable import RepriseObjectModel

/// What is told of a plain draft without its steps is what they come to.
final class JournalPlainDraftTests: JournalTestCase {
  private let values: [PropertyValue] = [
    .null, .int(-1), .int(7), .string(""), .string("blue"), .string("ü" + String(repeating: "n", count: 50)),
    .bytes([1, 2, 3]), .bool(true), .double(0.5),
  ]

  private func entries(_ count: Int, _ random: inout SeededGenerator) -> [JournalEntry] {
    var now: [String: PropertyValue] = [:]
    var entries = [began("a", parent: "root", base: 3)]
    let slots = [LogSample.note, LogSample.big, LogSample.count, LogSample.ratio]
    for _ in 0..<count {
      let object = UInt64.random(in: 1...100, using: &random)
      let slot = slots.randomElement(using: &random) ?? 1
      let key = "\(object)/\(slot)"
      // Now and then another value is below by now.
      let below = Int.random(in: 0..<10, using: &random) == 0 ? nil : now[key]
      let old = below ?? values.randomElement(using: &random) ?? .null
      let isBack = Int.random(in: 0..<4, using: &random) == 0
      let new = isBack ? old : values.randomElement(using: &random) ?? .null
      now[key] = new
      entries.append(
        edited(
          "a", object, old, new, slot: slot, generation: 2, startsGroup: Bool.random(using: &random),
          name: Bool.random(using: &random) ? "Step" : nil))
      if Int.random(in: 0..<20, using: &random) == 0 { entries.append(.draftRebased(draft: "a", base: 9, hash: 9)) }
      if Int.random(in: 0..<20, using: &random) == 0 { entries.append(.nodePut(scene: "a", key: "k", bytes: [1])) }
    }
    return entries
  }

  /// The draft, whether it was told plainly, and as its steps have it.
  private func drafts(_ journal: Journal) throws -> (found: DraftImage, isPlain: Bool, fromSteps: DraftImage) {
    let recovery = try journal.recovery(of: "a")
    let transaction = try environment.beginRead()
    let content = try XCTUnwrap(recovery.journals.first)
    let run = JournalRun(journal: content, entries: try XCTUnwrap(content.index.drafts["a"])[...])
    guard case .readable(let found) = try recovery.draft("a", transaction.view, map)?.draft else {
      throw StoreError.closed(path: "no draft")
    }
    let fromSteps = try recovery.rows("a", transaction.view).state.image(map)
    return (found, PlainDraft("a", run) != nil, fromSteps)
  }

  private func expectSame(_ left: DraftImage, _ right: DraftImage, line: UInt = #line) {
    XCTAssertEqual(left.header, right.header, line: line)
    XCTAssertEqual(left.generation, right.generation, line: line)
    XCTAssertEqual(left.changes, right.changes, line: line)
    XCTAssertEqual(left.groupCount, right.groupCount, line: line)
    XCTAssertEqual(left.lastGroupName, right.lastGroupName, line: line)
    XCTAssertEqual(left.redoCount, right.redoCount, line: line)
    XCTAssertEqual(left.groups, right.groups, line: line)
    XCTAssertEqual(left.groups.count, left.groupCount, line: line)
    XCTAssertEqual(left.redo, right.redo, line: line)
  }

  func testAPlainDraftComesToWhatItsStepsComeTo() throws {
    var random = SeededGenerator(seed: testSeed(default: 7))
    for count in [0, 1, 2, 5, 30, 300, 1_000] {
      for _ in 0..<4 {
        let journal = try open()
        journal.append(entries(count, &random))
        try journal.write()
        let (found, isPlain, fromSteps) = try drafts(journal)
        XCTAssertTrue(isPlain)
        expectSame(found, fromSteps)
        journal.append([.draftEnded(draft: "a")])
        try journal.close()
        try FileManager.default.removeItem(atPath: folder)
      }
    }
  }

  func testWhatNoPlainDraftHasIsToldByItsSteps() throws {
    let others: [[JournalEntry]] = [
      [.draftUndone(draft: "a")],
      [.draftUndone(draft: "a"), .draftRedone(draft: "a")],
      [.draftEmptied(draft: "a", upTo: 1)],
      [edited("a", 1, .int(1), .int(2), generation: 3)],
      [edited("a", DraftEdit(object: object(1), change: .deleted(LogSample.entity.defaults)), generation: 2)],
      [edited("a", DraftEdit(object: object(200), change: .inserted(LogSample.entity.defaults)), generation: 2)],
      [
        edited(
          "a",
          DraftEdit(
            object: object(1),
            change: .updated([
              PropertyChange(slot: LogSample.count, old: .int(1), new: .int(2)),
              PropertyChange(slot: LogSample.big, old: .null, new: .unsigned(2)),
            ])), generation: 2)
      ],
    ]
    for other in others {
      let journal = try open()
      journal.append(
        [began("a"), edited("a", 1, .int(0), .int(1), generation: 2), edited("a", 2, .int(0), .int(1), generation: 2)]
          + other)
      try journal.write()
      let (found, isPlain, fromSteps) = try drafts(journal)
      XCTAssertFalse(isPlain)
      expectSame(found, fromSteps)
      journal.abandon()
      try FileManager.default.removeItem(atPath: folder)
    }
  }

  func testAPlainDraftThatIsPartlyCheckpointedOrSavedIsToldByItsSteps() throws {
    let journal = try open()
    journal.append([began("a"), edited("a", 1, .int(0), .int(1))])
    try checkpoint(journal)
    journal.append([edited("a", 1, .int(1), .int(2)), edited("a", 2, .int(0), .int(5))])
    XCTAssertEqual(counts(try draft(journal, "a")), [1: 2, 2: 5])
    XCTAssertEqual(try draft(journal, "a")?.groups.count, 3)
    try checkpoint(journal)
    try journal.close()

    let next = try open()
    next.append([began("b"), edited("b", 1, .int(0), .int(1), generation: 4)])
    try next.write()
    try consume(next, "b", upTo: 4)
    XCTAssertEqual(counts(try draft(next, "b")), [:])
    next.append([edited("b", 1, .int(1), .int(3), generation: 5)])
    XCTAssertEqual(counts(try draft(next, "b")), [1: 3])
  }

  func testADraftOfManyGenerationsTakesRoomForItsEditsOnce() throws {
    let journal = try open()
    journal.append([began("a")] + (1...500).map { edited("a", $0 % 7, .int(0), .int(1), generation: $0) })
    try journal.write()
    let recovery = try journal.recovery(of: "a")
    let transaction = try environment.beginRead()
    let layers = try recovery.rows("a", transaction.view).state.layers
    XCTAssertEqual(layers.count, 500)
    XCTAssertLessThan(layers.reduce(0) { $0 + $1.groups.capacity }, 500 * 10)
  }

  func testAPropertyThatTheModelsLackMakesAPlainDraftUnreadableOnlyWhereItChanged() throws {
    let journal = try open()
    journal.append([began("a"), edited("a", 1, .null, .string("x"), slot: LogSample.note)])
    try journal.write()
    let recovery = try journal.recovery(of: "a")
    let transaction = try environment.beginRead()
    let nothing = SchemaMap(try ResolvedSchema(Schema()), StoredSchema())
    guard case .unreadable(let header, _) = try recovery.draft("a", transaction.view, nothing)?.draft else {
      return XCTFail("read by no models")
    }
    XCTAssertEqual(header.base, 7)
    journal.append([edited("a", 1, .string("x"), .null, slot: LogSample.note)])
    try journal.write()
    let later = try journal.recovery(of: "a")
    guard case .readable(let image) = try later.draft("a", transaction.view, nothing)?.draft else {
      return XCTFail("nothing changed")
    }
    XCTAssertEqual(image.changes, [:])
  }
}
