import Foundation
import RepriseJournal
import RepriseLog
import RepriseTestLog
import RepriseTestSeeds
import XCTest

@testable import RepriseObjectModel

/// What a draft comes to when its bytes are folded is what its edits come to in memory.
final class JournalFoldTests: JournalTestCase {
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

  /// What these entries come to in memory.
  private struct Expected {
    var base: Position = 3
    var generation: UInt64 = 1
    var changes: [AnyObjectID: ObjectChange] = [:]
    var groups: [DraftGroup] = []

    mutating func add(_ entry: JournalEntry) {
      switch entry {
      case .draftBegan(let header, let began): (base, generation) = (header.base, max(generation, began))
      case .draftRebased(_, let next, _): base = next
      case .draftEdited(_, let edited, let startsGroup, let name, let reversal, let edit):
        generation = max(generation, edited)
        if startsGroup || groups.isEmpty { groups.append(DraftGroup(name: name, reversal: reversal)) }
        groups[groups.count - 1].edits.append(edit)
        changes[edit.object] = changes[edit.object].map { $0.followed(by: edit.change) } ?? edit.change
        // A property that ends with the value that it began with has not changed.
        if case .updated(let updates) = changes[edit.object] {
          let changed = updates.filter { $0.old != $0.new }
          changes[edit.object] = changed.isEmpty ? nil : .updated(changed)
        }
      default: break
      }
    }
  }

  private func expect(_ journal: Journal, _ entries: [JournalEntry], _ note: String) throws {
    var expected = Expected()
    for entry in entries { expected.add(entry) }
    let found = try XCTUnwrap(draft(journal, "a"), note)
    XCTAssertEqual(found.header.base, expected.base, note)
    XCTAssertEqual(found.header.parent, "root", note)
    XCTAssertEqual(found.generation, expected.generation, note)
    for object in Set(found.changes.keys).union(expected.changes.keys) {
      XCTAssertEqual(found.changes[object], expected.changes[object], "\(object) in \(note)")
    }
    XCTAssertEqual(found.groupCount, expected.groups.count, note)
    XCTAssertEqual(found.lastGroupName, expected.groups.last?.name, note)
    XCTAssertEqual(found.groups, expected.groups, note)
    XCTAssertEqual(found.redoCount, 0, note)
  }

  func testADraftComesToWhatItsEditsComeTo() throws {
    for seed in testSeeds(4, from: 7) {
      var random = SeededGenerator(seed: seed)
      for count in [0, 1, 2, 5, 30, 300, 1_000] {
        let journal = try open()
        let entries = entries(count, &random)
        journal.append(entries)
        try journal.write()
        try expect(journal, entries, "seed \(seed), \(count) edits")
        // The same from rows, and from both.
        try checkpoint(journal)
        try expect(journal, entries, "seed \(seed), \(count) edits, in rows")
        let more = Array(self.entries(20, &random).dropFirst())
        journal.append(more)
        try expect(journal, entries + more, "seed \(seed), \(count) edits, and more")
        journal.append([.draftEnded(draft: "a")])
        try checkpoint(journal)
        try journal.close()
        try FileManager.default.removeItem(atPath: folder)
      }
    }
  }

  func testEditsOfEveryKindAreFolded() throws {
    var whole = try LogFixture.fullValues(map)
    // As the first edit of the object leaves it.
    whole[LogSample.count] = .int(1)
    var other = whole
    other[LogSample.count] = .int(4)
    other[LogSample.note] = .null
    let both = try XCTUnwrap(ObjectChange.updated(from: whole, to: other))
    let others: [[JournalEntry]] = [
      [edited("a", 1, .int(1), .int(2), generation: 3)],
      [edited("a", DraftEdit(object: object(1), change: .deleted(whole)), generation: 2)],
      [edited("a", DraftEdit(object: object(200), change: .inserted(whole)), generation: 2)],
      [
        edited("a", DraftEdit(object: object(200), change: .inserted(whole)), generation: 2),
        edited("a", DraftEdit(object: object(200), change: both), generation: 2),
        edited("a", DraftEdit(object: object(200), change: .deleted(other)), generation: 2),
        edited("a", DraftEdit(object: object(200), change: .inserted(other)), generation: 2),
      ],
      [
        edited("a", DraftEdit(object: object(1), change: .deleted(whole)), generation: 2),
        edited("a", DraftEdit(object: object(1), change: .inserted(other)), generation: 2),
      ],
      [edited("a", DraftEdit(object: object(1), change: both), generation: 2)],
    ]
    for (number, other) in others.enumerated() {
      let journal = try open()
      let entries =
        [
          began("a", parent: "root"), edited("a", 1, .int(0), .int(1), generation: 2),
          edited("a", 2, .int(0), .int(1), generation: 2),
        ] + other
      journal.append(entries)
      try expect(journal, entries, "\(number)")
      try checkpoint(journal)
      try expect(journal, entries, "\(number), in rows")
      // Undone and redone it is what it was.
      let count = try XCTUnwrap(draft(journal, "a")).groupCount
      journal.append(Array(repeating: .draftUndone(draft: "a"), count: count))
      XCTAssertEqual(try draft(journal, "a")?.changes, [:], "\(number), undone")
      journal.append(Array(repeating: .draftRedone(draft: "a"), count: count))
      try expect(journal, entries, "\(number), redone")
      journal.append([.draftEnded(draft: "a")])
      try checkpoint(journal)
      try journal.close()
      try FileManager.default.removeItem(atPath: folder)
    }
  }

  func testADraftThatIsPartlyCheckpointedOrSavedIsWhole() throws {
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
    let recovery = try journal.recovery(of: .draft("a"))
    let transaction = try environment.beginRead()
    let layers = try recovery.rows(.draft("a"), transaction.view).state.layers
    XCTAssertEqual(layers.count, 500)
    XCTAssertLessThan(layers.reduce(0) { $0 + $1.groups.capacity }, 500 * 10)
  }

  func testAMissingPropertyMattersOnlyWhereItChanged() throws {
    let journal = try open()
    journal.append([began("a"), edited("a", 1, .null, .string("x"), slot: LogSample.note)])
    try journal.write()
    let recovery = try journal.recovery(of: .draft("a"))
    let transaction = try environment.beginRead()
    let nothing = SchemaMap(try ResolvedSchema(Schema()), StoredSchema())
    guard case .unreadable(let header, _) = try recovery.draft(.draft("a"), transaction.view, nothing)?.draft else {
      return XCTFail("read by no models")
    }
    XCTAssertEqual(header.base, 7)
    journal.append([edited("a", 1, .string("x"), .null, slot: LogSample.note)])
    try journal.write()
    let later = try journal.recovery(of: .draft("a"))
    guard case .readable(let image) = try later.draft(.draft("a"), transaction.view, nothing)?.draft else {
      return XCTFail("nothing changed")
    }
    XCTAssertEqual(image.changes, [:])
  }
}
