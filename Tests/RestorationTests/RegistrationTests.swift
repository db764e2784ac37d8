import RepriseRestoration
import XCTest

final class RegistrationTests: RestorationTestCase {
  func testASecondOwnerOfAKeyIsRefusedAndBothAreNamed() async throws {
    let run = restoration()
    try run.register(Shelf("first"), as: Keys.shelf, file: "App/First.swift", line: 3)
    XCTAssertThrowsError(try run.register(Shelf("second"), as: Keys.shelf, file: "App/Second.swift", line: 5)) {
      error in
      guard case .duplicate("shelf", let first, let second)? = error as? RestorationError else {
        return XCTFail("\(error)")
      }
      XCTAssertEqual(first.description, "App/First.swift:3")
      XCTAssertEqual(second.description, "App/Second.swift:5")
      XCTAssertTrue("\(error)".contains("App/First.swift:3") && "\(error)".contains("App/Second.swift:5"))
    }
    XCTAssertThrowsError(try run.register(late: Keys.shelf) { Shelf("third") })
  }

  func testASecondOwnerOfAPathOrAKindIsRefusedAndBothAreNamed() async throws {
    let run = restoration()
    try run.definePlain()
    XCTAssertThrowsError(try run.definePlain())
    try await run.restore()
    _ = try run.open(PlainScreen.kind, id: "a", state: Row(), file: "App/A.swift", line: 1)
    XCTAssertThrowsError(try run.open(PlainScreen.kind, id: "a", state: Row(), file: "App/B.swift", line: 2)) { error in
      XCTAssertTrue("\(error)".contains("App/A.swift:1") && "\(error)".contains("App/B.swift:2"), "\(error)")
    }
  }

  func testANodeOfTheArchiveOwnsItsPath() async throws {
    try await leave(["a"])
    let run = restoration()
    try run.definePlain()
    try await run.restore()
    XCTAssertThrowsError(try run.openPlain("a")) { XCTAssertTrue("\($0)".contains("the archive"), "\($0)") }
  }

  func testTheSameIDUnderTwoParentsIsTwoNodes() async throws {
    try await leave(["a", "b", "a/x", "b/x"])
    let run = restoration()
    try run.definePlain()
    let report = try await run.restore()
    XCTAssertEqual(report.entries.count, 4)
    XCTAssertEqual(try run.screen(PlainScreen.kind, at: .of("a/x"))?.node.state.row, 2)
    XCTAssertEqual(try run.screen(PlainScreen.kind, at: .of("b/x"))?.node.state.row, 3)
  }

  func testAnEmptyBlankOrDividedKeyIsRefused() throws {
    let run = restoration()
    for id in ["", " ", "a/b"] {
      XCTAssertThrowsError(try run.register(Shelf(""), as: RestorationKey<Shelf>(id)), id)
      XCTAssertThrowsError(try run.register(late: RestorationKey<Shelf>(id)) { Shelf("") }, id)
      XCTAssertThrowsError(try run.define(object: RestorationKey<Shelf>(id), initial: 0) { _ in nil }, id)
    }
    XCTAssertThrowsError(try run.define(NodeKind<Row, PlainScreen>("")) { _ in nil })
  }

  func testEveryNodeReceivesTheRegisteredInstanceItself() async throws {
    func define(_ run: Restoration) throws {
      try run.define(ListScreen.kind, needs: .registered(Keys.shelf)) { ListScreen($0, $1) }
    }
    let first = restoration()
    try define(first)
    try first.register(Shelf("old"), as: Keys.shelf)
    try await first.restore()
    for id in ["a", "b"] { _ = try first.open(ListScreen.kind, id: id, state: Row()) }
    try first.save()

    let run = restoration()
    let shelf = Shelf("new")
    try run.register(shelf, as: Keys.shelf)
    try define(run)
    let report = try await run.restore()
    XCTAssertEqual(report.objects.map(\.key), ["shelf"])
    XCTAssertEqual(report.objects.map(\.outcome), [.reused])
    for id in ["a", "b"] { XCTAssertTrue(try run.screen(ListScreen.kind, at: .of(id))?.shelf === shelf) }
  }

  func testAfterUnregisteringTheNextOwnerStartsFresh() async throws {
    let run = restoration()
    try run.register(Note("old"), as: Note.key)
    try run.define(NoteScreen.kind, needs: .registered(Note.key)) { NoteScreen($0, $1) }
    try await run.restore()
    _ = try run.open(NoteScreen.kind, id: "a", state: Row())
    try run.save()
    XCTAssertNotNil(storage.records["/note"])
    run.unregister(Note.key)
    let next = Note("new")
    try run.register(next, as: Note.key)
    XCTAssertEqual(next.text, "new")
    XCTAssertEqual(next.decoded, 0)
    try run.save()
    XCTAssertEqual(try run.open(NoteScreen.kind, id: "b", state: Row()).note.text, "new")
  }

  func testRegisteringAfterRestoreDeliversWhatWaits() async throws {
    let first = restoration()
    try first.register(Note("kept"), as: Note.key)
    try first.define(NoteScreen.kind, needs: .registered(Note.key)) { NoteScreen($0, $1) }
    try await first.restore()
    _ = try first.open(NoteScreen.kind, id: "a", state: Row())
    try first.save()

    let run = restoration()
    try run.define(NoteScreen.kind, needs: .registered(Note.key)) { NoteScreen($0, $1) }
    let report = try await run.restore()
    XCTAssertEqual(report.outcome("a"), .unresolved("nothing is registered as 'note'"))
    let note = Note("fresh")
    try run.register(note, as: Note.key)
    XCTAssertEqual(note.text, "kept")
    XCTAssertEqual(note.finished, 1)
    XCTAssertTrue(try run.screen(NoteScreen.kind, at: .of("a"))?.note === note)
    XCTAssertEqual(run.report?.outcome("a"), .restored)
  }

  func testRegisteringAfterRestoreWhatNothingNeedsIsRefused() async throws {
    let run = restoration()
    try run.define(ListScreen.kind, needs: .registered(Keys.shelf)) { ListScreen($0, $1) }
    try await run.restore()
    XCTAssertThrowsError(try run.register(Shelf(""), as: Keys.other)) { error in
      guard case .nothingWaits(key: "other", _)? = error as? RestorationError else { return XCTFail("\(error)") }
    }
    XCTAssertThrowsError(try run.register(late: Keys.other) { Shelf("") })
    // A kind names it among its needs.
    XCTAssertNoThrow(try run.register(Shelf("late"), as: Keys.shelf))
    XCTAssertEqual(try run.open(ListScreen.kind, id: "a", state: Row()).shelf.name, "late")
  }

  func testARegisteredObjectIsArchivedOnlyWhileANodeRefersToIt() async throws {
    let run = restoration()
    try run.register(Note("n"), as: Note.key)
    try run.define(NoteScreen.kind, needs: .registered(Note.key)) { NoteScreen($0, $1) }
    try await run.restore()
    try run.save()
    XCTAssertNil(storage.records["/note"])
    let a = try run.open(NoteScreen.kind, id: "a", state: Row())
    let b = try run.open(NoteScreen.kind, id: "b", state: Row())
    try run.save()
    XCTAssertNotNil(storage.records["/note"])
    a.node.close()
    try run.save()
    XCTAssertNotNil(storage.records["/note"])
    b.node.close()
    try run.save()
    XCTAssertNil(storage.records["/note"])
  }

  func testAHandoverLetsTheNewOwnerComeBeforeTheOldOneLeaves() async throws {
    let run = restoration()
    try run.register(Shelf("old"), as: Keys.shelf)
    try run.definePlain()
    try await run.restore()
    let old = try run.openPlain("a", 1)
    try run.handOver {
      try run.register(Shelf("new"), as: Keys.shelf)
      run.unregister(Keys.shelf)
      try run.openPlain("a", 2)
      try run.openPlain("a/x", 3)
      old.node.close()
    }
    try run.save()
    XCTAssertEqual(try run.screen(PlainScreen.kind, at: .of("a"))?.node.state.row, 2)
    XCTAssertEqual(try run.screen(PlainScreen.kind, at: .of("a/x"))?.node.state.row, 3)
    XCTAssertTrue(old.node.isClosed)
    XCTAssertEqual(Set(storage.nodes.keys), ["a", "a/x"])
    try run.define(ListScreen.kind, needs: .registered(Keys.shelf)) { ListScreen($0, $1) }
    XCTAssertEqual(try run.open(ListScreen.kind, id: "l", state: Row()).shelf.name, "new")
  }

  func testAHandoverInWhichTheOldOwnerStaysIsUndoneAndWritesNothing() async throws {
    let run = restoration()
    try run.register(Shelf("old"), as: Keys.shelf)
    try run.definePlain()
    try run.define(ListScreen.kind, needs: .registered(Keys.shelf)) { ListScreen($0, $1) }
    try await run.restore()
    let old = try run.openPlain("a", 1)
    try run.openPlain("a/x", 4)
    try run.save()
    let before = storage.records
    XCTAssertThrowsError(
      try run.handOver {
        try run.register(Shelf("new"), as: Keys.shelf)
        try run.openPlain("a", 2)
        try run.openPlain("a/x", 3)
      }
    ) { error in
      guard case .unfinishedHandover(["a", "a/x", "shelf"])? = error as? RestorationError else {
        return XCTFail("\(error)")
      }
    }
    try run.save()
    XCTAssertEqual(storage.records, before)
    XCTAssertTrue(try run.screen(PlainScreen.kind, at: .of("a")) === old)
    XCTAssertEqual(try run.screen(PlainScreen.kind, at: .of("a/x"))?.node.state.row, 4)
    XCTAssertEqual(try run.open(ListScreen.kind, id: "l", state: Row()).shelf.name, "old")
    old.node.state.row = 9
    try run.save()
    XCTAssertNotEqual(storage.records, before)
  }

  func testKeysAreGivenBackIfTheBodyOfAHandoverThrowsOrANodeStays() async throws {
    struct Abandoned: Error {}
    let (old, new) = (Note("old"), Note("new"))
    let run = restoration()
    try run.register(old, as: Note.key)
    try run.definePlain()
    try run.define(NoteScreen.kind, needs: .registered(Note.key)) { NoteScreen($0, $1) }
    try run.define(ListScreen.kind, needs: .registered(Keys.shelf)) { ListScreen($0, $1) }
    try await run.restore()
    try run.openPlain("a", 1)
    _ = try run.open(NoteScreen.kind, id: "note", state: Row())
    try run.save()
    let before = storage.records
    for isThrown in [true, false] {
      XCTAssertThrowsError(
        try run.handOver {
          if isThrown { run.unregister(Note.key) }
          try run.register(new, as: Note.key)
          if !isThrown { run.unregister(Note.key) }
          try run.register(Shelf("nobody's"), as: Keys.shelf)
          try run.openPlain("a", 2)
          if isThrown { throw Abandoned() }
        })
      XCTAssertTrue(try run.open(NoteScreen.kind, id: "other", state: Row()).note === old)
      try run.close(at: .of("other"))
      XCTAssertThrowsError(try run.open(ListScreen.kind, id: "list", state: Row()), "nobody has the key")
      try run.save()
      XCTAssertEqual(storage.records, before)
    }
  }

  func testTheStatePassesToTheNewOwnerInEitherOrder() async throws {
    for isLate in [true, false] {
      let run = restoration()
      try run.register(Note("old"), as: Note.key)
      try run.define(NoteScreen.kind, needs: .registered(Note.key)) { NoteScreen($0, $1) }
      try await run.restore()
      _ = try run.open(NoteScreen.kind, id: "a", state: Row())
      let new = Note("new")
      try run.handOver {
        if isLate { run.unregister(Note.key) }
        try run.register(new, as: Note.key)
        if !isLate { run.unregister(Note.key) }
      }
      XCTAssertEqual(new.text, "old")
      // Nobody comes: the state goes as it would outside.
      try run.handOver { run.unregister(Note.key) }
      try run.save()
      XCTAssertNil(storage.records["/note"])
      storage.scenes = [:]
    }
  }
}

/// A registered object with a state of its own.
@MainActor final class Note: @MainActor RestorableScreen {
  static let key: RestorationKey<Note> = "note"
  var text: String
  var decoded = 0
  var finished = 0

  init(_ text: String) { self.text = text }

  func encodeRestorableState(with coder: RestorationEncoder) { coder.encode(text, forKey: "text") }
  func decodeRestorableState(with coder: RestorationDecoder) throws {
    decoded += 1
    text = try coder.decode(String.self, forKey: "text") ?? text
  }
  func restorationFinished() { finished += 1 }
}

@MainActor final class NoteScreen {
  static let kind = NodeKind<Row, NoteScreen>("note")
  let node: RestorationNode<Row>
  let note: Note
  let textWhenMade: String
  init(_ node: RestorationNode<Row>, _ note: Note) {
    (self.node, self.note) = (node, note)
    textWhenMade = note.text
  }
}
