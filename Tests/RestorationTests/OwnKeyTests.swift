import RepriseObjectGraph
import RepriseRestoration
import XCTest

/// Nodes that need what is their own: the source or the context of their document, found by their state or their path.
final class OwnKeyTests: RestorationTestCase {
  struct Document: Codable, Sendable, Equatable {
    var name: String
    var row = 0
  }

  @MainActor final class Page {
    static let kind = NodeKind<Document, Page>("page")
    let node: RestorationNode<Document>
    let shelf: Shelf
    init(_ node: RestorationNode<Document>, _ shelf: Shelf) { (self.node, self.shelf) = (node, shelf) }
  }

  private static func key(_ name: String) -> RestorationKey<Shelf> { RestorationKey("shelf of \(name)") }

  private func run(_ names: [String], late: [String] = []) async throws -> Restoration {
    let run = restoration()
    try run.define(Page.kind, needs: .registered { (state: Document, _) in Self.key(state.name) }) { node, shelf in
      Page(node, shelf)
    }
    for name in names { try run.register(Shelf(name), as: Self.key(name)) }
    for name in late {
      try run.register(late: Self.key(name)) {
        for _ in 0..<5 { await Task.yield() }
        return Shelf(name)
      }
    }
    try await run.restore()
    return run
  }

  private func open(_ run: Restoration, _ name: String) throws -> Page {
    try run.open(Page.kind, id: name, state: Document(name: name))
  }

  private func shelf(_ run: Restoration, _ name: String) throws -> String? {
    try run.screen(Page.kind, at: .of(name))?.shelf.name
  }

  func testEachNodeGetsTheSourceOfItsOwnDocument() async throws {
    let first = try await run(["A", "B"])
    XCTAssertEqual(try open(first, "A").shelf.name, "A")
    XCTAssertEqual(try open(first, "B").shelf.name, "B")
    XCTAssertThrowsError(try open(first, "C")) { error in
      guard case .missing("shelf of C", _)? = error as? RestorationError else { return XCTFail("\(error)") }
    }
    try first.save()
    let again = try await run(["A", "B"])
    XCTAssertEqual(try shelf(again, "A"), "A")
    XCTAssertEqual(try shelf(again, "B"), "B")
  }

  func testADocumentThatIsLateHoldsUpItsOwnNodeOnly() async throws {
    let first = try await run(["A", "B"])
    _ = try open(first, "A")
    _ = try open(first, "B")
    try first.save()
    let before = storage.records
    let again = try await run(["A"], late: ["B"])
    XCTAssertEqual(again.report?.outcome("A"), .restored)
    XCTAssertEqual(again.report?.outcome("B"), .pending(key: "shelf of B"))
    try await again.waitUntilSettled()
    XCTAssertEqual(try shelf(again, "B"), "B")
    try again.save()
    XCTAssertEqual(storage.records, before)
  }

  func testADocumentMayBeRegisteredAfterRestoreThoughNoDefinitionNamesItsKey() async throws {
    let run = try await run([])
    try run.register(Shelf("later"), as: Self.key("later"))
    XCTAssertEqual(try open(run, "later").shelf.name, "later")
  }

  func testOpeningWhenReadyWaitsForTheSourceThatTheStateChooses() async throws {
    let run = try await run([], late: ["A"])
    let page = try await run.openWhenReady(Page.kind, id: "A", state: Document(name: "A"))
    XCTAssertEqual(page.shelf.name, "A")
  }

  func testAStateThatChoosesAnotherSourceGetsThatOneAtTheNextLaunch() async throws {
    let first = try await run(["A", "B"])
    try open(first, "A").node.state.name = "B"
    try first.save()
    let again = try await run(["A", "B"])
    XCTAssertEqual(try shelf(again, "A"), "B")
  }

  func testANeedChosenByTheStateOfAnotherKindIsRefusedWhenItIsDefined() throws {
    let run = restoration()
    let reason = "a closure in its `needs` has a parameter of the type Document instead of"
    assertThrows(
      "'plain' cannot be defined: \(reason) Row. Correct the arguments of `define`.",
      try run.define(PlainScreen.kind, needs: .registered { (state: Document, _) in Self.key(state.name) }) { node, _ in
        PlainScreen(node)
      })
    assertThrows(
      "'note' cannot be defined: \(reason) RestorationDecoder. Correct the arguments of `define`.",
      try run.define(twoPhase: "note", needs: .registered { (state: Document, _) in Self.key(state.name) }) {
        _, _, _ in Note("")
      })
  }

  func testANodesPathChoosesToo() async throws {
    func launch() async throws -> Restoration {
      let run = restoration()
      try run.register(Shelf("A"), as: Self.key("A"))
      try run.define(ListScreen.kind, needs: .registered { path in Self.key(path.components[0]) }) { node, shelf in
        ListScreen(node, shelf)
      }
      try await run.restore()
      return run
    }
    let first = try await launch()
    try first.open(ListScreen.kind, id: "A", state: Row())
    try first.open(ListScreen.kind, id: "inner", under: .of("A"), state: Row())
    try first.save()
    let again = try await launch()
    XCTAssertEqual(try again.screen(ListScreen.kind, at: .of("A/inner"))?.shelf.name, "A")
  }

  func testANodesOwnContextMayBeAChildOfThatOfItsDocument() async throws {
    func key(_ name: String) -> RestorationKey<MemoryContext> { RestorationKey("context of \(name)") }
    func launch() async throws -> Restoration {
      let run = restoration()
      for name in ["A", "B"] { try run.register(MemoryContext(storage, draft: "doc \(name)"), as: key(name)) }
      try run.define(
        EditorScreen.kind,
        needs: .ownContext(under: .registered { path in RestorationKey<EditingContext>(key(path.id).id) })
      ) { node, context in EditorScreen(node, context) }
      try await run.restore()
      return run
    }
    let first = try await launch()
    for name in ["A", "B"] { try first.open(EditorScreen.kind, id: name, state: Row()).context.edit("in \(name)") }
    try first.save()
    XCTAssertEqual(storage.drafts["A"]?.parent, "doc A")
    XCTAssertEqual(storage.drafts["B"]?.parent, "doc B")
    let again = try await launch()
    XCTAssertEqual(try again.screen(EditorScreen.kind, at: .of("B"))?.context.edits, ["in B"])
  }
}
