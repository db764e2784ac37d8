import RepriseObjectModel
import RepriseObjectGraph
import RepriseRestoration
import XCTest

/// Two-phase kinds with needs, and with contexts of their own.
final class TwoPhaseNeedsTests: RestorationTestCase {
  @MainActor final class Sheet: @MainActor RestorableScreen {
    var title = ""
    let shelf: Shelf
    let context: MemoryContext
    init(_ shelf: Shelf, _ context: MemoryContext) { (self.shelf, self.context) = (shelf, context) }
    func encodeRestorableState(with coder: RestorationEncoder) { coder.encode(title, forKey: "title") }
    func decodeRestorableState(with coder: RestorationDecoder) throws {
      title = try coder.decode(String.self, forKey: "title") ?? "none"
    }
  }

  private func launch(_ register: (Restoration) throws -> Void = { _ in }) async throws -> Restoration {
    let run = restoration()
    try run.register(MemoryContext(storage), as: Keys.root)
    try run.define(
      twoPhase: "sheet", needs: .registered(Keys.shelf), .ownContext(under: ContextParent(registeredAs: "root"))
    ) { path, _, shelf, context in path.id == "gone" ? nil : Sheet(shelf, context) }
    try register(run)
    try await run.restore()
    return run
  }

  private func launch(shelf name: String) async throws -> Restoration {
    try await launch { try $0.register(Shelf(name), as: Keys.shelf) }
  }

  func testATwoPhaseScreenHasItsNeedsAndAContextOfItsOwnInBothRuns() async throws {
    let first = try await launch(shelf: "first")
    let sheet: Sheet = try first.open("sheet", id: "s")
    XCTAssertEqual(sheet.shelf.name, "first")
    XCTAssertEqual(sheet.title, "")
    sheet.title = "typed"
    sheet.context.edit("edited")
    try first.save()
    let again = try await launch(shelf: "again")
    let back: Sheet = try XCTUnwrap(try again.screen(at: .of("s")))
    XCTAssertEqual(back.shelf.name, "again")
    XCTAssertEqual(back.title, "typed")
    XCTAssertEqual(back.context.edits, ["edited"])
    try again.save()
    XCTAssertEqual(storage.writtenKeys, ["s"])
  }

  /// A page of a document, which its state names.
  @MainActor final class Page: @MainActor RestorableScreen {
    let shelf: Shelf
    let context: MemoryContext
    var document = ""
    var decoded = 0
    init(_ shelf: Shelf, _ context: MemoryContext) { (self.shelf, self.context) = (shelf, context) }
    func encodeRestorableState(with coder: RestorationEncoder) { coder.encode(document, forKey: "document") }
    func decodeRestorableState(with coder: RestorationDecoder) throws {
      decoded += 1
      document = try coder.decode(String.self, forKey: "document") ?? ""
      if document == "torn" { throw RestorationError.notAdopted }
    }
  }

  private static func shelf(_ document: String) -> RestorationKey<Shelf> { RestorationKey("shelf of \(document)") }

  private func pages(_ documents: [String]) async throws -> Restoration {
    let run = restoration()
    func document(_ coder: RestorationDecoder) throws -> String {
      guard let document = try coder.decode(String.self, forKey: "document") else { throw RestorationError.notAdopted }
      return document
    }
    for document in documents {
      try run.register(Shelf(document), as: Self.shelf(document))
      try run.register(MemoryContext(storage), as: RestorationKey<MemoryContext>("context of \(document)"))
    }
    try run.define(
      twoPhase: "page",
      needs: .registered { (coder: RestorationDecoder, _) in
        Self.shelf(try document(coder))
      },
      .ownContext(
        under: .registered { (coder: RestorationDecoder, _) in
          RestorationKey<EditingContext>("context of \(try document(coder))")
        })
    ) { _, _, shelf, context in Page(shelf, context) }
    try await run.restore()
    return run
  }

  func testATwoPhaseScreenNeedsWhatItsStateNamesInBothRuns() async throws {
    let first = try await pages(["a", "b"])
    for document in ["a", "b"] {
      let page: Page = try first.open(
        "page", id: "of \(document)", encoding: { $0.encode(document, forKey: "document") })
      XCTAssertEqual(page.shelf.name, document)
      XCTAssertEqual(page.document, document, "it took the state up")
      XCTAssertEqual(page.decoded, 1)
      page.context.edit("typed in \(document)")
    }
    assertThrows(
      "The screen 'of nothing' was not made: the closure that chooses a key in its `needs` threw an error. Remove the "
        + "cause, then open the screen again.",
      try first.open("page", id: "of nothing") as Page)
    XCTAssertThrowsError(
      try first.open("page", id: "of c", encoding: { $0.encode("c", forKey: "document") }) as Page
    ) { error in
      guard case .missing(key: "shelf of c", _)? = error as? RestorationError else { return XCTFail("\(error)") }
    }
    try first.save()
    await endOfTurn()
    // The shelf of "b" comes late: only its page waits.
    let again = try await pages(["a"])
    let back: Page = try XCTUnwrap(try again.screen(at: .of("of a")))
    XCTAssertEqual([back.document, back.shelf.name], ["a", "a"])
    XCTAssertEqual(back.context.edits, ["typed in a"])
    XCTAssertEqual(again.report?.outcome("of b"), .unresolved("nothing is registered as 'shelf of b'"))
    try again.register(MemoryContext(storage), as: RestorationKey<MemoryContext>("context of b"))
    try again.register(Shelf("late"), as: Self.shelf("b"))
    let late: Page = try XCTUnwrap(try again.screen(at: .of("of b")))
    XCTAssertEqual([late.document, late.shelf.name], ["b", "late"])
    XCTAssertEqual(late.context.edits, ["typed in b"])
  }

  func testAScreenThatCannotTakeUpTheStateItIsOpenedWithLeavesNothing() async throws {
    let run = try await pages(["torn"])
    XCTAssertThrowsError(
      try run.open("page", id: "p", encoding: { $0.encode("torn", forKey: "document") }) as Page
    ) { error in
      guard case .notBuilt(.of("p"), let reason)? = error as? RestorationError else { return XCTFail("\(error)") }
      XCTAssertEqual(
        reason,
        "failed: its state could not be decoded: The Restoration does not know this screen. Pass the screen to `adopt` "
          + "first.")
    }
    XCTAssertEqual(try run.children(of: nil), [])
    try run.save()
    XCTAssertEqual(storage.writtenKeys, [])
  }

  func testAScreenThatIsAdoptedNeedsWhatItEncodes() async throws {
    let run = restoration()
    try run.register(Shelf("a"), as: Self.shelf("a"))
    try run.define(
      twoPhase: "page",
      needs: .registered { (coder: RestorationDecoder, _) in
        Self.shelf(try coder.decode(String.self, forKey: "document") ?? "")
      }
    ) { [storage] _, _, shelf in Page(shelf, MemoryContext(storage)) }
    try await run.restore()
    let page = Page(Shelf("a"), MemoryContext(storage))
    page.document = "b"
    XCTAssertThrowsError(try run.adopt(page, kind: "page", id: "p")) { error in
      guard case .missing(key: "shelf of b", _)? = error as? RestorationError else { return XCTFail("\(error)") }
    }
    page.document = "a"
    try run.adopt(page, kind: "page", id: "p")
    XCTAssertThrowsError(
      try run.define(
        PlainScreen.kind, needs: .registered { (_: RestorationDecoder, _) in Self.shelf("a") }
      ) { node, _ in PlainScreen(node) }
    ) { error in
      guard case .invalidDefinition? = error as? RestorationError else { return XCTFail("\(error)") }
    }
  }

  func testATwoPhaseScreenWaitsForWhatItNeedsThatIsLate() async throws {
    let first = try await launch(shelf: "first")
    let sheet: Sheet = try first.open("sheet", id: "s")
    sheet.title = "typed"
    try first.save()
    let before = storage.records
    let again = try await launch {
      try $0.register(late: Keys.shelf) {
        for _ in 0..<5 { await Task.yield() }
        return Shelf("late")
      }
    }
    XCTAssertEqual(again.report?.outcome("s"), .pending(key: "shelf"))
    try again.save()
    try await again.waitUntilSettled()
    let back: Sheet = try XCTUnwrap(try again.screen(at: .of("s")))
    XCTAssertEqual([back.title, back.shelf.name], ["typed", "late"])
    try again.save()
    XCTAssertEqual(storage.records, before)
  }

  func testWhatATwoPhaseKindNeedsIsAmongTheReferencesOfItsNodes() async throws {
    let first = try await launch(shelf: "first")
    let _: Sheet = try first.open("sheet", id: "s")
    try first.save()
    let report = try await launch().report
    XCTAssertEqual(report?.outcome("s"), .unresolved("nothing is registered as 'shelf'"))
  }

  func testAContextThatTheStateDoesNotChooseIsNamed() async throws {
    let run = restoration()
    try run.define(
      twoPhase: "sheet",
      needs: .ownContext(
        under: .registered { (_: RestorationDecoder, _) -> RestorationKey<EditingContext> in
          throw RestorationError.notAdopted
        })
    ) { _, _, context in Sheet(Shelf(""), context) }
    try await run.restore()
    assertThrows(
      "The screen 's' was not made: the closure that chooses the parent of its context threw an error. Remove the "
        + "cause, then open the screen again.",
      try run.open("sheet", id: "s") as Sheet)
  }

  func testAScreenIsNotAdoptedWithoutTheContextThatItsKindGives() async throws {
    let run = try await launch(shelf: "first")
    let sheet = Sheet(Shelf(""), MemoryContext(storage))
    func text(_ id: String, _ reason: String) -> String {
      "The screen '\(id)' was not made: \(reason). Remove the cause, then open the screen again."
    }
    assertThrows(
      text("s", "`adopt` cannot make the context that a screen of the kind 'sheet' needs. Call `open` instead"),
      try run.adopt(sheet, kind: "sheet", id: "s"))
    assertThrows(text("gone", "its factory returned nothing"), try run.open("sheet", id: "gone") as Sheet)
    assertThrows(
      text("s", "its screen has the type Sheet instead of Note"), try run.open("sheet", id: "s") as Note)
    assertThrows(
      "No kind 'nothing' is defined, or its definition has another type of state or screen. Call `define` with this "
        + "kind before `restore`.",
      try run.open("nothing", id: "s") as Sheet)
    try run.save()
    XCTAssertEqual(storage.writtenKeys, [])
    XCTAssertEqual(try run.children(of: nil), [])
  }

  func testAnAdoptedScreenNeedsWhatItsKindNeeds() async throws {
    let run = restoration()
    try run.define(twoPhase: "note", needs: .registered(Keys.shelf)) { _, _, _ in Note("") }
    try await run.restore()
    XCTAssertThrowsError(try run.adopt(Note(""), kind: "note", id: "n")) { error in
      guard case .missing("shelf", _)? = error as? RestorationError else { return XCTFail("\(error)") }
    }
    try run.register(Shelf(""), as: Keys.shelf)
    try run.adopt(Note(""), kind: "note", id: "n")
    XCTAssertEqual(try run.children(of: nil).map(\.text), ["n"])
  }
}
