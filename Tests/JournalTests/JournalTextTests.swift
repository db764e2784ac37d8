import RepriseLMDB
import RepriseLog
import RepriseTestLog
import RepriseTestSeeds
import XCTest

@testable import RepriseJournal
@testable import RepriseObjectModel

/// Long texts, of which a keystroke writes only what it changes.
final class JournalTextTests: JournalTestCase {
  private let essay = String(repeating: "It was a dark and stormy night; é. ", count: 3_000)

  private func typed(
    _ journal: Journal, _ old: String, _ new: String, generation: UInt64 = 1, startsGroup: Bool = false
  ) {
    journal.append([
      edited(
        "a", 1, .string(old), .string(new), slot: LogSample.title, generation: generation, startsGroup: startsGroup)
    ])
  }

  private func inserting(_ text: String, into whole: String, at offset: Int) -> String {
    var whole = whole
    whole.insert(contentsOf: text, at: whole.index(whole.startIndex, offsetBy: offset))
    return whole
  }

  private func size(_ journal: Journal) throws -> Int {
    try journal.write()
    return try read(try onlyFile()).count
  }

  private func title(_ image: DraftImage?, _ object: UInt64 = 1) -> String? {
    guard case .updated(let changes)? = image?.changes[self.object(object)],
      case .string(let text)? = changes.first(where: { $0.slot == LogSample.title })?.new
    else { return nil }
    return text
  }

  func testAKeystrokeInALongTextIsSmall() throws {
    XCTAssertGreaterThan(essay.utf8.count, 100_000)
    let journal = try open()
    journal.append([began("a")])
    var text = essay
    var previous = try size(journal)
    for number in 0..<60 {
      let next =
        number % 4 == 3 ? String(text.dropLast(number)) : inserting("😀", into: text, at: 400 + number * 7)
      typed(journal, text, next, startsGroup: number % 10 == 0)
      text = next
      let now = try size(journal)
      if number == 0 {
        XCTAssertGreaterThan(now - previous, 100_000, "what the draft rests on is in it")
        XCTAssertLessThan(now - previous, 110_000, "once")
      } else if number % 4 != 3 {
        // With its frame and the draft's name.
        XCTAssertLessThan(now - previous, 100, "keystroke \(number)")
      }
      previous = now
    }
    journal.abandon()
    let image = try XCTUnwrap(draft(try open(), "a"))
    XCTAssertEqual(Array(try XCTUnwrap(title(image)).utf8), Array(text.utf8))
    XCTAssertEqual(image.groups.count, 6)
    XCTAssertEqual(image.groups.flatMap(\.edits).count, 60)
  }

  func testAKeystrokeAfterUndoAndRedoIsSmall() throws {
    let journal = try open()
    journal.append([began("a")])
    let first = inserting("x", into: essay, at: 10)
    let second = inserting("y", into: first, at: 20)
    typed(journal, essay, first, startsGroup: true)
    typed(journal, first, second, startsGroup: true)
    var before = try size(journal)
    journal.append([.draftUndone(draft: "a"), .draftUndone(draft: "a"), .draftRedone(draft: "a")])
    let third = inserting("z", into: first, at: 30)
    typed(journal, first, third, startsGroup: true)
    XCTAssertLessThan(try size(journal) - before, 130)
    XCTAssertEqual(title(try draft(journal, "a")), third)
    journal.append([.draftUndone(draft: "a")])
    XCTAssertEqual(title(try draft(journal, "a")), first)
    before = try size(journal)
    journal.append([.draftUndone(draft: "a")])
    typed(journal, essay, third, startsGroup: true)
    XCTAssertLessThan(try size(journal) - before, 130)
    XCTAssertEqual(title(try draft(journal, "a")), third)
  }

  func testATextOfAnUndoneDeletionCanBeRedone() throws {
    let journal = try open()
    journal.append([began("a"), edited("a", 2, .int(1), .int(2))])
    var values = try LogFixture.fullValues(map)
    values[LogSample.title] = .string(essay)
    let deletion = DraftEdit(object: object(1), change: .deleted(values))
    journal.append([edited("a", deletion, generation: 2), .draftUndone(draft: "a")])
    // The file has the text only in the deletion.
    let before = try size(journal)
    typed(journal, essay, inserting("x", into: essay, at: 10), generation: 2, startsGroup: true)
    XCTAssertLessThan(try size(journal) - before, 130)
    journal.append([.draftUndone(draft: "a"), .draftUndone(draft: "a")])
    try journal.write()
    journal.abandon()
    let next = try open()
    let image = try XCTUnwrap(draft(next, "a"))
    XCTAssertEqual(image.history.problems, [])
    XCTAssertEqual(image.history.redo.count, 2)
    next.append([.draftRedone(draft: "a"), .draftRedone(draft: "a")])
    XCTAssertEqual(title(try draft(next, "a")), inserting("x", into: essay, at: 10))
  }

  func testATextThatTheFileDoesNotHaveIsWrittenWhole() throws {
    let journal = try open()
    journal.append([began("a")])
    let first = inserting("x", into: essay, at: 10)
    typed(journal, essay, first)
    // Not what the draft had: whoever asks for this must find it as it was told.
    let elsewhere = inserting("elsewhere", into: essay, at: 500)
    typed(journal, elsewhere, inserting("y", into: elsewhere, at: 20))
    XCTAssertEqual(title(try draft(journal, "a")), inserting("y", into: elsewhere, at: 20))

    let second = inserting("z", into: first, at: 5)
    journal.append([.draftEmptied(draft: "a", upTo: 1)])
    typed(journal, first, second, generation: 2)
    XCTAssertEqual(title(try draft(journal, "a")), second)
    try checkpoint(journal)
    let third = inserting("z", into: second, at: 5)
    typed(journal, second, third, generation: 2)
    // The rows are gone, and the frame stands alone.
    try consume(journal, "a", upTo: 1)
    XCTAssertEqual(title(try draft(journal, "a")), third)
  }

  // MARK: Texts that others take away

  /// A process that holds what a dead one left of the draft, and so checkpoints what is written of it.
  private func tool() throws -> Journal {
    let dead = try open()
    dead.append([began("a")])
    try dead.write()
    dead.abandon()
    return try open()
  }

  private var firstText: String { inserting("x", into: essay, at: 10) }
  private var secondText: String { inserting("y", into: essay, at: 20) }

  /// A process that has the draft, and typed the first text in this generation.
  private func typist(
    file: StaticString = #filePath, line: UInt = #line
  ) throws -> (app: Journal, generation: UInt64) {
    let app = try open()
    XCTAssertTrue(try take("a", in: app), file: file, line: line)
    let generation = app.nextGeneration()
    typed(app, essay, firstText, generation: generation)
    try app.write()
    return (app, generation)
  }

  private func lossless(_ journal: Journal, file: StaticString = #filePath, line: UInt = #line) throws -> DraftImage? {
    let image = try draft(journal, "a")
    XCTAssertEqual(image?.problems.map(\.description) ?? [], [], file: file, line: line)
    return image
  }

  /// As the first edit that a save does not take.
  private func beganAgain(_ journal: Journal) { journal.append([began("a", generation: journal.nextGeneration())]) }

  func testATextThatIsTypedBesideItsSaveRestsOnNothingThatACheckpointTakesAway() throws {
    let tool = try tool()
    let (app, saved) = try typist()
    try consume(app, "a", upTo: saved)
    try checkpoint(tool, onlyHeld: true)
    beganAgain(app)
    typed(app, firstText, secondText, generation: app.nextGeneration())
    try app.write()
    app.abandon()
    XCTAssertEqual(title(try lossless(try open())), secondText)
  }

  func testATextThatAnotherProcessHasSavedMeanwhileIsNotRestedOn() throws {
    let (app, other) = (try open(), try open())
    XCTAssertTrue(try take("a", in: app))
    app.append([began("a", generation: app.nextGeneration())])
    typed(app, essay, firstText, generation: app.nextGeneration())
    try app.write()
    try release("a", in: app)

    XCTAssertTrue(try take("a", in: other))
    let saved = other.nextGeneration()
    try consume(other, "a", upTo: saved)
    other.append([.draftEmptied(draft: "a", upTo: saved)])
    try checkpoint(other)
    other.abandon()

    XCTAssertTrue(try take("a", in: app))
    beganAgain(app)
    typed(app, firstText, secondText, generation: app.nextGeneration())
    try app.write()
    app.abandon()
    XCTAssertEqual(title(try lossless(try open())), secondText)
  }

  func testWhatIsSavedIsNotCalledLost() throws {
    let tool = try tool()
    let (app, saved) = try typist()
    var checkpoint = try XCTUnwrap(try tool.beginCheckpointOfHeld())
    typed(app, firstText, secondText, generation: saved)
    try app.write()
    try consume(app, "a", upTo: saved)
    while !checkpoint.isDone { try commitSlice(&checkpoint) }
    app.abandon()
    XCTAssertNil(title(try lossless(try open())))
  }

  func testSpellingsThatAreEqualButDifferInBytesAreKeptApart() throws {
    let journal = try open()
    let composed = String(repeating: "\u{E9}", count: 100)
    let decomposed = String(repeating: "e\u{301}", count: 100)
    XCTAssertEqual(composed, decomposed)
    journal.append([began("a")])
    typed(journal, composed, decomposed)
    XCTAssertEqual(title(try draft(journal, "a")).map { Array($0.utf8) }, Array(decomposed.utf8))
    try checkpoint(journal)
    XCTAssertEqual(title(try draft(journal, "a")).map { Array($0.utf8) }, Array(decomposed.utf8))
  }

  func testUndoOfTypingHasWholeTexts() throws {
    let journal = try open()
    journal.append([began("a")])
    var texts = [essay]
    for number in 0..<5 {
      texts.append(inserting("\(number)", into: texts[number], at: number * 50))
      typed(journal, texts[number], texts[number + 1], startsGroup: true)
    }
    journal.append([.draftUndone(draft: "a"), .draftUndone(draft: "a")])
    for _ in 0..<2 {
      let image = try XCTUnwrap(draft(journal, "a"))
      let groups = (0..<3).map { number in
        DraftGroup(edits: [step(1, .string(texts[number]), .string(texts[number + 1]), slot: LogSample.title)])
      }
      let redo = [4, 3].map { number in
        DraftGroup(edits: [step(1, .string(texts[number]), .string(texts[number + 1]), slot: LogSample.title)])
      }
      XCTAssertEqual(image.groups, groups)
      XCTAssertEqual(image.history.redo, redo)
      XCTAssertEqual(image.groupCount, 3)
      XCTAssertEqual(image.redoCount, 2)
      XCTAssertEqual(image.history.problems, [])
      try checkpoint(journal)
    }
  }

  // MARK: Damage

  func testUndoStepsThatCannotBeReadAreNamed() throws {
    let journal = try open()
    journal.append([began("a"), edited("a", 1, .string("old"), .string("new"), slot: LogSample.title)])
    try checkpoint(journal)
    let rows = try environment.read { transaction throws(StorageError) in
      try JournalRow.read(
        transaction.view, tables.drafts, prefix: DraftRowKind.undo.prefix(JournalRow.hash("a")))
    }
    let key = try XCTUnwrap(rows.first).key
    let text = Array("new".utf8)
    try text.withUnsafeBytes { text in
      let splice = Change.Field.splice(Splice(isText: true, offset: 9, removed: text, inserted: text))
      let (title, note): (UInt32, UInt32) = (5, 4)
      let forged: [(UInt32, Change.Field, bases: [UInt8], String)] = [
        (title, .redacted, [0], "a value that was not erased"),
        // With an empty text, and with the draft's own.
        (title, splice, [1, 0, 6, 0], "an edit that fits its text"), (title, splice, [0], "a text that the edit fits"),
        (note, splice, [0], "the text that an edit changes"),
      ]
      for (number, field, bases, expected) in forged {
        var step = ByteWriter()
        step.append(bases)
        step.change(.updated, ObjectAddress(entity: 2, uuid: object(1).uuid))
        step.field(number, field)
        var group = ByteWriter.sealing(reserving: 64)
        group.groupHead(startsGroup: true, name: nil, reversal: nil)
        group.varint(1)
        group.sized(step.bytes)
        let value = group.sealed()
        try environment.write { transaction throws(StorageError) in
          try JournalRow.replace(key, with: value, transaction, tables.drafts)
        }
        XCTAssertEqual(
          try draft(journal, "a")?.history.problems,
          [.undoCutShort(draft: "a", reason: "the library looked for \(expected) in a step, and found something else")])
      }
    }
  }

  /// Typing at one place, a frame each; then one frame is damaged.
  func testALostFrameCostsTypingNoMoreThanItsOwnCharacters() throws {
    let start = String(repeating: "before ", count: 20) + "|" + String(repeating: " after", count: 20)
    let cursor = 7 * 20
    let word = "abcdefghij"
    for lost in 1..<word.count {
      try tearDownWithError()
      try setUpWithError()
      let journal = try open()
      journal.append([began("a")])
      var text = start
      for (number, character) in word.enumerated() {
        let next = inserting(String(character), into: text, at: cursor + number)
        typed(journal, text, next)
        try journal.write()
        text = next
      }
      try journal.flush()
      journal.abandon()
      let path = try onlyFile()
      var bytes = try read(path)
      let id = try XCTUnwrap(UniqueID(String(files()[0].dropLast(8))))
      let frames = JournalScan(bytes, log: log, journal: id).frames
      bytes[frames[lost].content.lowerBound + 3] ^= 1
      try write(bytes, to: path)

      let next = try open()
      let image = try XCTUnwrap(draft(next, "a"))
      let expected = word.enumerated().filter { $0.offset != lost }.map { String($0.element) }.joined()
      XCTAssertEqual(title(image), inserting(expected, into: start, at: cursor), "frame \(lost)")
      if lost < word.count - 1 {
        XCTAssertTrue(try self.image(next).problems.contains(.approximateText(draft: "a", object: object(1).uuid)))
      }
      XCTAssertEqual(image.history.problems, [])
      XCTAssertEqual(image.groups.flatMap(\.edits).count, word.count - 1)
      next.append([.draftUndone(draft: "a")])
      XCTAssertEqual(try draft(next, "a")?.changes, [:], "undo still leads back to the beginning")
    }
  }

  func testALostBaseIsReportedAndEverythingElseIsThere() throws {
    let journal = try open()
    journal.append([began("a")])
    try journal.write()
    let first = inserting("x", into: essay, at: 10)
    typed(journal, essay, first)
    try journal.write()
    typed(journal, first, inserting("y", into: first, at: 11))
    journal.append([edited("a", 2, .int(0), .int(1))])
    try journal.flush()
    journal.abandon()
    let path = try onlyFile()
    var bytes = try read(path)
    bytes[bytes.count / 2] ^= 1
    try write(bytes, to: path)

    let next = try open()
    let image = try image(next)
    XCTAssertTrue(image.problems.contains(.textLost(draft: "a", object: object(1).uuid)))
    XCTAssertEqual(counts(image.drafts["a"]), [2: 1])
    XCTAssertNil(title(image.drafts["a"]))
    try checkpoint(next)
    XCTAssertEqual(files(".damaged").count, 1, "nothing was thrown away")
  }

  func testALostHeaderIsReportedAndTheEditsAreThere() throws {
    let journal = try open()
    journal.append([began("a", parent: "root")])
    try journal.write()
    journal.append([edited("a", 2, .int(0), .int(1))])
    try journal.flush()
    journal.abandon()
    let path = try onlyFile()
    var bytes = try read(path)
    bytes[JournalFormat.headerSize + 20] ^= 1
    try write(bytes, to: path)
    let next = try open()
    for _ in 0..<2 {
      let image = try image(next)
      XCTAssertTrue(image.problems.contains(.headerLost(draft: "a")))
      XCTAssertEqual(counts(image.drafts["a"]), [2: 1])
      try checkpoint(next)
    }
  }

  func testSplicesThatFitNowhereAreNoCrash() throws {
    var random = SeededGenerator(seed: testSeed(default: 11))
    let base = String(repeating: "0123456789", count: 12)
    for round in 0..<300 {
      var state = DraftReplay("a")
      for _ in 0..<6 {
        var writer = ByteWriter()
        var track = TextTrack()
        writer.varint(UInt64(1))
        let origin: Reversal.Origin = Bool.random(using: &random) ? .undo : .request
        writer.groupHead(
          startsGroup: Bool.random(using: &random), name: nil,
          reversal: Int.random(in: 0..<4, using: &random) == 0 ? Reversal(undoes: 1, origin: origin) : nil)
        if Bool.random(using: &random) {
          _ = writer.step(step(1, .string(base), .string(base + "x"), slot: LogSample.title), map, &track)
        } else {
          // A splice upon something that the draft never had.
          writer.varint(1)
          writer.base(.known(length: Int.random(in: 0...400, using: &random), sum: 0))
          writer.change(.updated, ObjectAddress(entity: 2, uuid: object(1).uuid))
          let removed = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            UInt8.random(in: 0x30...0x7A, using: &random)
          }
          let inserted = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            UInt8.random(in: 0...255, using: &random)
          }
          let number = try LogFixture.entity(map).numbers[LogSample.title]
          let offset = Bool.random(using: &random) ? Int.random(in: 0...400, using: &random) : .max
          let isText = Int.random(in: 0..<4, using: &random) > 0
          removed.withUnsafeBytes { removed in
            inserted.withUnsafeBytes { inserted in
              writer.field(
                number, .splice(Splice(isText: isText, offset: offset, removed: removed, inserted: inserted)))
            }
          }
        }
        var bytes = writer.bytes
        if Int.random(in: 0..<4, using: &random) == 0 { bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 0x10 }
        let place = bytes.withUnsafeBytes { state.bytes.copy($0) }
        let isSound = Bool.random(using: &random)
        let adapted = try? state.bytes.lend { (lent) throws(MalformedBytes) in
          try state.edit(place, journal: log, isSound: isSound, lent)
        }
        if let adapted = adapted ?? nil { state.adapt(adapted) }
        if Int.random(in: 0..<4, using: &random) == 0 {
          try? state.bytes.lend { (lent) throws(MalformedBytes) in try state.undo(lent) }
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
          try? state.bytes.lend { (lent) throws(MalformedBytes) in try state.redoLast(lent) }
        }
      }
      if let image = try? state.image(map) { XCTAssertLessThanOrEqual(image.history.groups.count, 6, "\(round)") }
    }
  }
}
