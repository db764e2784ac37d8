import RepriseObjectModel
import RepriseRestoration
import XCTest

/// Two-step kinds with needs, and with contexts of their own.
final class TwoStepNeedsTests: RestorationTestCase {
  @MainActor final class Sheet: RestorableScreen {
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
    try run.defineTwoStep(
      "sheet", needs: .registered(Keys.shelf), .ownContext(under: ContextParent(registeredAs: "root"))
    ) { path, _, shelf, context in path.id == "gone" ? nil : Sheet(shelf, context) }
    try register(run)
    try await run.restore()
    return run
  }

  private func launch(shelf name: String) async throws -> Restoration {
    try await launch { try $0.register(Shelf(name), as: Keys.shelf) }
  }

  func testATwoStepScreenHasItsNeedsAndAContextOfItsOwnInBothRuns() async throws {
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

  func testATwoStepScreenWaitsForWhatItNeedsThatIsLate() async throws {
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
    try await again.settled()
    let back: Sheet = try XCTUnwrap(try again.screen(at: .of("s")))
    XCTAssertEqual([back.title, back.shelf.name], ["typed", "late"])
    try again.save()
    XCTAssertEqual(storage.records, before)
  }

  func testWhatATwoStepKindNeedsIsAmongTheReferencesOfItsNodes() async throws {
    let first = try await launch(shelf: "first")
    let _: Sheet = try first.open("sheet", id: "s")
    try first.save()
    let report = try await launch().report
    XCTAssertEqual(report?.outcome("s"), .unresolved("nothing is registered as 'shelf'"))
  }

  func testAScreenIsNotAdoptedWithoutTheContextThatItsKindGives() async throws {
    let run = try await launch(shelf: "first")
    let sheet = Sheet(Shelf(""), MemoryContext(storage))
    XCTAssertThrowsError(try run.adopt(sheet, kind: "sheet", id: "s")) { error in
      guard case .notBuilt(.of("s"), _)? = error as? RestorationError else { return XCTFail("\(error)") }
    }
    XCTAssertThrowsError(try run.open("sheet", id: "gone") as Sheet)
    XCTAssertThrowsError(try run.open("sheet", id: "s") as Note)
    XCTAssertThrowsError(try run.open("nothing", id: "s") as Sheet)
    try run.save()
    XCTAssertEqual(storage.writtenKeys, [])
    XCTAssertEqual(try run.children(of: nil), [])
  }

  func testAnAdoptedScreenNeedsWhatItsKindNeeds() async throws {
    let run = restoration()
    try run.defineTwoStep("note", needs: .registered(Keys.shelf)) { _, _, _ in Note("") }
    try await run.restore()
    XCTAssertThrowsError(try run.adopt(Note(""), kind: "note", id: "n")) { error in
      guard case .missing("shelf", _)? = error as? RestorationError else { return XCTFail("\(error)") }
    }
    try run.register(Shelf(""), as: Keys.shelf)
    try run.adopt(Note(""), kind: "note", id: "n")
    XCTAssertEqual(try run.children(of: nil).map(\.text), ["n"])
  }
}
