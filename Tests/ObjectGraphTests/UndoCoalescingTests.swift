import RepriseObjectGraph
import RepriseObjectModel
import RepriseTestModels
import RepriseTestSeeds
import Synchronization
import XCTest

/// What one call of undo takes back of what was typed.
@MainActor
final class UndoCoalescingTests: XCTestCase {
  /// A clock that stands still until it is told.
  private final class StandingClock: Clock {
    private let time = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { time.withLock { $0 } }
    var minimumResolution: Duration { .nanoseconds(1) }
    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
    func pass(_ duration: Duration) { time.withLock { $0 += duration } }
  }

  private let clock = StandingClock()
  private var test: TestStore!
  private var context: RootContext!
  private var note: Note!

  override func setUp() async throws {
    test = try TestStore(Schema(Note.self, Notebook.self))
    context = try RootContext(test.store, draft: "typing")
    note = context.insert(Note(title: "title"))
    try await context.save()
    context.undoCoalescing = .byWord(clock: clock)
  }

  private func text(_ note: Note? = nil) -> String { (note ?? self.note).body ?? "" }

  /// Types character by character, at a place.
  private func type(_ text: String, at place: Int? = nil) {
    var place = place ?? self.text().count
    for character in text {
      var new = self.text()
      new.insert(character, at: new.index(new.startIndex, offsetBy: place))
      note.body = new
      place += 1
    }
  }

  /// Deletes characters, backwards from a place.
  private func backspace(_ count: Int, from place: Int? = nil) {
    var place = place ?? text().count
    for _ in 0..<count {
      var new = text()
      new.remove(at: new.index(new.startIndex, offsetBy: place - 1))
      note.body = new
      place -= 1
    }
  }

  /// What the text is after each undo.
  private func undone() -> [String] {
    var texts: [String] = []
    while context.canUndo {
      context.undo()
      texts.append(text())
    }
    return texts
  }

  func testUndoTakesBackWordByWord() {
    type("to be or\nnot")
    XCTAssertEqual(undone(), ["to be or", "to be", "to", ""])
    context.redo()
    context.redo()
    XCTAssertEqual(text(), "to be")
  }

  func testByDefaultEditsOfAPropertyAreOneStep() {
    context.undoCoalescing = .byProperty
    type("to be")
    clock.pass(.seconds(100))
    type("or not", at: 0)
    XCTAssertEqual(undone(), [""])
  }

  func testEachAssignmentCanBeAStep() {
    context.undoCoalescing = .never
    type("to")
    XCTAssertEqual(undone(), ["t", ""])
  }

  func testAPauseEndsAStep() {
    type("wo")
    clock.pass(.milliseconds(499))
    type("rd")
    clock.pass(.milliseconds(500))
    type("s")
    XCTAssertEqual(undone(), ["word", ""])
  }

  func testTypingElsewhereIsAnotherStep() {
    type("abc")
    type("xyz", at: 1)
    type("12", at: 4)
    XCTAssertEqual(text(), "axyz12bc")
    XCTAssertEqual(undone(), ["abc", ""])
  }

  func testTheSameLettersAroundThePlaceDoNotEndAStep() {
    type("aaba")
    type("aab", at: 2)
    XCTAssertEqual(text(), "aaaabba")
    XCTAssertEqual(undone(), ["aaba", ""])
  }

  func testDeletionsAreStepsOfTheirOwnWordByWord() {
    note.body = "to be or not"
    context.breakUndoCoalescing()
    backspace(9)
    type("x")
    XCTAssertEqual(text(), "to x")
    XCTAssertEqual(undone(), ["to ", "to be", "to be or", "to be or not", ""])
  }

  func testDeletingForwardsIsOneStep() {
    note.body = "word"
    context.breakUndoCoalescing()
    for rest in ["ord", "rd", "d"] { note.body = rest }
    XCTAssertEqual(undone(), ["word", ""])
  }

  func testAPasteAndAReplacementAreStepsOfTheirOwn() {
    type("so")
    note.body = "so to be or not"
    type("x")
    note.body = "so to BE or notx"
    type("y")
    XCTAssertEqual(undone(), ["so to BE or notx", "so to be or notx", "so to be or not", "so", ""])
  }

  func testLettersOfSeveralBytesAreOneWord() {
    type("Größe élève 日本")
    XCTAssertEqual(undone(), ["Größe élève", "Größe", ""])
    type("👩‍👩‍👧e\u{301}")
    XCTAssertEqual(undone(), [""])
  }

  func testOtherPropertiesAndObjectsEndAStep() async throws {
    type("a")
    note.title = "title2"
    type("b")
    let other = context.insert(Note(title: "other"))
    type("c")
    other.body = "x"
    type("d")
    XCTAssertEqual(undone(), ["abc", "abc", "ab", "ab", "a", "a", ""])
  }

  func testASliderIsOneStepUntilItRests() {
    for rank in 1...9 { note.rank = rank }
    clock.pass(.seconds(1))
    for rank in 10...12 { note.rank = rank }
    context.undo()
    XCTAssertEqual(note.rank, 9)
    context.undo()
    XCTAssertEqual(note.rank, 0)
    XCTAssertFalse(context.canUndo)
  }

  func testUndoRedoGroupsAndCallsEndAStep() {
    type("a")
    context.breakUndoCoalescing()
    type("b")
    context.undo()
    type("c")
    context.group("Two") {
      type("d")
      context.breakUndoCoalescing()
      type("e f")
    }
    type("g")
    XCTAssertEqual(text(), "acde fg")
    XCTAssertEqual(undone(), ["acde f", "ac", "a", ""])
  }

  func testAChildTypesByTheRuleOfItsParent() async throws {
    let child = context.makeChild()
    let same = try child.object(note.id)
    for body in ["a", "ab", "ab ", "ab c"] { same.body = body }
    child.undo()
    XCTAssertEqual(text(same), "ab")
  }

  func testStepsAreTheSameAfterAKillAndTypingBeginsAnotherOne() async throws {
    type("to be")
    let id = note.id
    (note, context) = (nil, nil)
    try test.store.journal.flush()
    await test.store.abandon()
    try test.open()
    context = try RootContext(test.store, draft: "typing")
    context.undoCoalescing = .byWord(clock: clock)
    note = try context.object(id)
    type("e")
    XCTAssertEqual(undone(), ["to be", "to", ""])
  }

  func testEachUndoShowsATextThatWasThere() {
    var random = SeededGenerator(seed: testSeed())
    var texts: Set<String> = [""]
    var edits = 0
    for _ in 0..<300 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0...6:
        let place = Bool.random(using: &random) ? text().count : Int.random(in: 0...text().count, using: &random)
        type(String("ab éß日 \n".randomElement(using: &random) ?? "x"), at: place)
      case 7: if !text().isEmpty { backspace(1) }
      case 8: clock.pass(.milliseconds(Int.random(in: 0...600, using: &random)))
      default: note.body = text() + ["two words", "", "x"][Int.random(in: 0..<3, using: &random)]
      }
      if texts.insert(text()).inserted { edits += 1 }
    }
    let last = text()
    let undone = undone()
    XCTAssertEqual(undone.last, "")
    XCTAssertLessThanOrEqual(undone.count, edits)
    for text in undone { XCTAssertTrue(texts.contains(text), text.debugDescription) }
    while context.canRedo { context.redo() }
    XCTAssertEqual(text(), last)
  }
}
