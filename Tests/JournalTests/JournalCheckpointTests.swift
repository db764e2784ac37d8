import Foundation
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseTestJournal
import RepriseTestLog
import XCTest

@testable import RepriseJournal

/// From the file into the tables, and what a crash on the way leaves.
final class JournalCheckpointTests: JournalTestCase {
  /// Three drafts, two scenes, undo, redo, long texts.
  private func fill(_ journal: Journal, round: Int64 = 0) {
    for id in ["a", "b", "c"] {
      if round == 0 { journal.append([began(id)]) }
      journal.append([
        edited(id, 1, .int(round), .int(round + 1)), edited(id, 2, .int(round), .int(round + 1), startsGroup: false),
        edited(id, 3, .string(long(round)), .string(long(round + 1)), slot: LogSample.title),
        edited(id, 4, .int(0), .int(9)), .draftUndone(draft: id),
      ])
    }
    journal.append([
      .nodePut(scene: "main", key: "list", bytes: [UInt8](repeating: UInt8(round), count: 5_000)),
      .nodePut(scene: "main", key: "\(round)", bytes: []), .nodePut(scene: "side", key: "detail", bytes: [9]),
    ])
  }

  private func long(_ round: Int64) -> String { String(repeating: "x", count: 5_000) + "\(round)" }

  private struct Summary: Equatable {
    var changes: [String: ObjectMap<ObjectChange>]
    var groups: [String: [DraftGroup]]
    var redo: [String: [DraftGroup]]
    var headers: [String: DraftHeader]
    var scenes: [String: [String: [UInt8]]]
    var problems: [JournalProblem]

    init(_ image: JournalImage) {
      changes = image.drafts.mapValues(\.changes)
      groups = image.drafts.mapValues(\.groups)
      redo = image.drafts.mapValues(\.history.redo)
      headers = image.drafts.mapValues(\.header)
      scenes = image.scenes
      problems = image.problems
    }
  }

  private func summary(_ journal: Journal) throws -> Summary { Summary(try image(journal)) }

  /// How many steps a checkpoint has here: its beginning, its slices, its end.
  private let steps = 2 + 6

  /// Goes so many steps, then dies.
  private func dieCheckpointing(_ journal: Journal, after steps: Int) throws {
    defer { journal.abandon() }
    if steps == 0 { return try journal.write() }
    var checkpoint = try XCTUnwrap(journal.beginCheckpoint())
    for _ in 1..<steps {
      guard !checkpoint.isDone else {
        return try journal.didCheckpoint(checkpoint)
      }
      try commitSlice(&checkpoint)
    }
  }

  func testACrashAnywhereInACheckpointLosesAndDoublesNothing() throws {
    for step in 0...steps {
      try tearDownWithError()
      try setUpWithError()
      var journal = try open()
      fill(journal)
      let expected = try summary(journal)
      XCTAssertEqual(expected.changes.count, 3)
      XCTAssertEqual(expected.groups["a"]?.count, 2)
      XCTAssertEqual(expected.redo["a"]?.count, 1)
      try dieCheckpointing(journal, after: step)
      journal = try open()
      XCTAssertEqual(try summary(journal), expected, "died after \(step) steps")

      // The next process goes on, and dies at the same place again.
      fill(journal, round: 1)
      let later = try summary(journal)
      try dieCheckpointing(journal, after: step)
      journal = try open()
      XCTAssertEqual(try summary(journal), later, "died again after \(step) steps")
      try checkpoint(journal)
      try journal.close()
      XCTAssertEqual(files(), [])
      XCTAssertEqual(try summary(try open()), later)
    }
  }

  func testAnAbortedSliceIsWrittenAgain() throws {
    struct Aborted: StorageErrorConvertible {
      init(_ error: StorageError) {}
    }
    let journal = try open()
    fill(journal)
    let expected = try summary(journal)
    var checkpoint = try XCTUnwrap(journal.beginCheckpoint())
    while !checkpoint.isDone {
      let slice = checkpoint
      XCTAssertThrowsError(
        try environment.write { transaction throws(Aborted) in
          do throws(StorageError) { try slice.write(into: transaction) } catch { throw Aborted(error) }
          throw Aborted(.mapFull(StorageError.Site(.put, "")))
        })
      XCTAssertEqual(try summary(journal), expected)
      try commitSlice(&checkpoint)
      XCTAssertEqual(try summary(journal), expected)
    }
    try journal.didCheckpoint(checkpoint)
    XCTAssertEqual(try summary(journal), expected)
  }

  func testEditsDuringACheckpointAreKept() throws {
    let journal = try open()
    fill(journal)
    var checkpoint = try XCTUnwrap(journal.beginCheckpoint())
    var number: Int64 = 1
    while !checkpoint.isDone {
      journal.append([
        edited("a", 1, .int(number), .int(number + 1)),
        edited("b", 3, .string(long(number)), .string(long(number + 1)), slot: LogSample.title),
        .nodePut(scene: "main", key: "list", bytes: [UInt8(number)]),
      ])
      number += 1
      let expected = try summary(journal)
      try commitSlice(&checkpoint)
      XCTAssertEqual(try summary(journal), expected)
    }
    try journal.didCheckpoint(checkpoint)
    let expected = try summary(journal)
    XCTAssertEqual(expected.scenes["main"]?["list"], [UInt8(number - 1)])
    try journal.write()
    journal.abandon()
    XCTAssertEqual(try summary(try open()), expected)
  }

  func testASaveBetweenTwoSlicesIsNotBroughtBack() throws {
    for slices in 0...6 {
      try tearDownWithError()
      try setUpWithError()
      var journal = try open()
      fill(journal)
      journal.append([edited("b", 7, .int(0), .int(5), generation: 2)])
      var checkpoint = try XCTUnwrap(journal.beginCheckpoint())
      for _ in 0..<slices where !checkpoint.isDone { try commitSlice(&checkpoint) }
      for id in ["a", "b", "c"] { try consume(journal, id, upTo: 1) }
      journal.append([.draftEmptied(draft: "a", upTo: 1)])
      while !checkpoint.isDone { try commitSlice(&checkpoint) }
      let left: [String: [UInt64: Int64]] = ["b": [7: 5]]
      XCTAssertEqual(try image(journal).drafts.mapValues(counts), left, "after \(slices) slices")
      try journal.didCheckpoint(checkpoint)
      journal.abandon()
      journal = try open()
      XCTAssertEqual(try image(journal).drafts.mapValues(counts), left, "after \(slices) slices")
      try self.checkpoint(journal)
      XCTAssertEqual(try image(journal).drafts.mapValues(counts), left, "after \(slices) slices")
    }
  }

  func testACheckpointIsAskedForWhenTheFilesHaveGrown() throws {
    let clock = VirtualClock()
    let asked = Counter()
    let journal = try open {
      $0.clock = clock
      $0.checkpointThreshold = 20_000
    }
    journal.whenToCheckpoint { asked.count += 1 }
    journal.append([began("a")])
    clock.advance(milliseconds: 50)
    XCTAssertFalse(journal.needsCheckpoint)
    for number in 0..<3 {
      journal.append([.nodePut(scene: "main", key: "x", bytes: [UInt8](repeating: UInt8(number), count: 15_000))])
      clock.advance(milliseconds: 50)
    }
    XCTAssertTrue(journal.needsCheckpoint)
    XCTAssertEqual(asked.count, 1, "once in five seconds")
    journal.append([began("b")])
    clock.advance(milliseconds: 5_000)
    journal.append([began("c")])
    clock.advance(milliseconds: 50)
    XCTAssertEqual(asked.count, 2)
    try checkpoint(journal)
    XCTAssertFalse(journal.needsCheckpoint)
  }

  func testRowsAreSmallAndFewPagesAreTouched() throws {
    let journal = try open()
    fill(journal)
    try checkpoint(journal)
    for table in [tables.drafts, tables.archives, tables.journals] {
      let sizes = try environment.read { transaction throws(StorageError) in
        var sizes: [Int] = []
        var cursor = try transaction.view.cursor(table)
        while let entry = try cursor.next() { sizes.append(entry.value.byteCount) }
        return sizes
      }
      XCTAssertLessThanOrEqual(sizes.max() ?? 0, 1_960)
    }
  }

  func testOnlyRowsThatChangedAreWritten() throws {
    let journal = try open()
    journal.append([began("a")] + (0..<200).map { edited("a", $0, .int(0), .int(1)) })
    try checkpoint(journal)
    let before = try rows()
    journal.append([edited("a", 7, .int(1), .int(2))])
    try checkpoint(journal)
    let after = try rows()
    let changed = after.filter { before[$0.key] != $0.value }
    XCTAssertEqual(changed.count, 3, "the header, the object, the undo group")
  }

  private func rows() throws -> [[UInt8]: [UInt8]] {
    try environment.read { transaction throws(StorageError) in
      let rows = try JournalRow.read(transaction.view, tables.drafts, prefix: [])
      return Dictionary(uniqueKeysWithValues: rows.map { ($0.key, $0.value) })
    }
  }

  func testWhatEndedLeavesNoRows() throws {
    let journal = try open()
    fill(journal)
    try checkpoint(journal)
    XCTAssertGreaterThan(try rows().count, 3)
    journal.append(["a", "b", "c"].map { .draftEnded(draft: $0) })
    journal.append([.sceneCleared(scene: "main"), .sceneCleared(scene: "side")])
    try checkpoint(journal)
    try journal.close()
    XCTAssertEqual(try rows(), [:])
    let journals = try environment.read { transaction throws(StorageError) in
      (
        try transaction.view.entryCount(tables.drafts), try transaction.view.entryCount(tables.archives),
        try transaction.view.entryCount(tables.journals)
      )
    }
    XCTAssertEqual(journals.0, 0)
    XCTAssertEqual(journals.1, 0)
    XCTAssertEqual(journals.2, 2, "that both journals are checkpointed")
  }

  func testMarksOfJournalsThatAreGoneGoToo() throws {
    for round in 0..<JournalMarks.kept + 3 {
      let journal = try open()
      let generation = journal.nextGeneration()
      for id in ["a", "b", "c"] {
        journal.append([began(id, generation: generation), edited(id, 1, .int(0), .int(1), generation: generation)])
        try consume(journal, id, upTo: generation)
      }
      try checkpoint(journal)
      try journal.close()
      let count = try environment.read { transaction throws(StorageError) in
        try transaction.view.entryCount(tables.journals)
      }
      XCTAssertEqual(count, 1 + min(round, JournalMarks.kept), "round \(round)")
    }
  }

  /// As after a backup by a tool that copies files and deletes none.
  func testAJournalWhoseFileReturnsBringsNothingBack() throws {
    let dead = try open()
    for id in ["saved", "discarded"] { dead.append([began(id), edited(id, 1, .int(0), .int(1))]) }
    dead.append([.nodePut(scene: "closed", key: "screen", bytes: [1])])
    try dead.write()
    dead.abandon()
    let file = try onlyFile()
    let bytes = try read(file)
    let journal = try open()
    try consume(journal, "saved", upTo: 1)
    journal.append([.draftEnded(draft: "discarded"), .sceneCleared(scene: "closed")])
    try checkpoint(journal)
    try journal.close()
    for round in 0..<JournalMarks.kept {
      XCTAssertEqual(files(), [])
      try write(bytes, to: file)
      let next = try open()
      let image = try image(next)
      XCTAssertEqual(image.drafts.count, 0, "round \(round)")
      XCTAssertEqual(image.scenes.count, 0, "round \(round)")
      XCTAssertEqual(next.problems, [])
      try FileManager.default.removeItem(atPath: file)
      next.abandon()
      let later = try open()
      later.append([began("another"), .draftEnded(draft: "another")])
      try checkpoint(later)
      try later.close()
    }
  }

  func testAMarkOfALiveProcessStays() throws {
    let journal = try open()
    let generation = journal.nextGeneration()
    // Appended and consumed, but not in any file yet.
    journal.append([began("a", generation: generation), edited("a", 1, .int(0), .int(1), generation: generation)])
    try consume(journal, "a", upTo: generation)
    let other = try open()
    other.append([began("b")])
    try checkpoint(other)
    try other.close()
    try journal.write()
    journal.abandon()
    XCTAssertNil(try draft(try open(), "a"))
  }

  func testManyDraftsCheckpointAndComeBack() throws {
    let journal = try open { $0.checkpointSlice = 2_000 }
    for number in 0..<300 {
      journal.append([began("draft \(number)"), edited("draft \(number)", 1, .int(0), .int(Int64(number)))])
    }
    var checkpoint = try XCTUnwrap(journal.beginCheckpoint())
    var slices = 0
    while !checkpoint.isDone {
      try commitSlice(&checkpoint)
      slices += 1
    }
    try journal.didCheckpoint(checkpoint)
    XCTAssertGreaterThan(slices, 5)
    XCTAssertLessThan(slices, 50)
    let image = try image(journal)
    XCTAssertEqual(image.drafts.count, 300)
    XCTAssertEqual(counts(image.drafts["draft 299"]), [1: 299])
  }
}

/// Counts on any thread.
// Safe: under the lock.
final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var value = 0
  var count: Int {
    get { lock.withLock { value } }
    set { lock.withLock { value = newValue } }
  }
}
