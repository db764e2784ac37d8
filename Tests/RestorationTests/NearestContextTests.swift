import RepriseRestoration
import XCTest

/// The nearest context up the chain may be one that a node above was given, such as that of its document.
final class NearestContextTests: RestorationTestCase {
  @MainActor private final class Window {
    static let kind = NodeKind<String, Window>("window")
    let node: RestorationNode<String>
    let context: MemoryContext
    init(_ node: RestorationNode<String>, _ context: MemoryContext) { (self.node, self.context) = (node, context) }
  }

  private static func document(_ name: String) -> RestorationKey<MemoryContext> { RestorationKey("document \(name)") }
  private static let list = NodeKind<Row, EditorScreen>("list with a context")
  private var contexts: [String: MemoryContext] = [:]

  /// A launch with windows of documents, whose states name them.
  private func launch(_ documents: [String] = ["a", "b"], late: Bool = false) async throws -> Restoration {
    let run = restoration()
    for name in ["root"] + documents { contexts[name] = MemoryContext(storage) }
    try run.register(try XCTUnwrap(contexts["root"]), as: Keys.root)
    for name in documents {
      let context = try XCTUnwrap(contexts[name])
      if late {
        try run.register(late: Self.document(name)) { context }
      } else {
        try run.register(context, as: Self.document(name))
      }
    }
    try run.definePlain()
    try run.define(Window.kind, needs: .registered { (name: String, _) in Self.document(name) }) { Window($0, $1) }
    try run.define(Self.list, needs: .ancestorContext(orRegistered: "root")) { EditorScreen($0, $1) }
    try run.define(
      EditorScreen.kind, needs: .ownContext(under: .nearestAncestorNode(orRegisteredAs: "root"))
    ) { EditorScreen($0, $1) }
    try run.define(EditorScreen.nested, needs: .ownContext(under: .nearestAncestorNode)) { EditorScreen($0, $1) }
    try await run.restore()
    return run
  }

  private func context(_ run: Restoration, _ path: String) throws -> MemoryContext? {
    try run.screen(Self.list, at: .of(path))?.context
  }

  func testAListInTheWindowOfADocumentHasItsContextAndNotTheProgramsOne() async throws {
    let run = try await launch()
    for name in ["a", "b"] {
      try run.open(Window.kind, id: name, state: name)
      try run.openPlain("\(name)/split")
      try run.open(Self.list, id: "list", under: .of("\(name)/split"), state: Row())
    }
    try run.open(Self.list, id: "list", state: Row())
    func check(_ run: Restoration) throws {
      XCTAssertTrue(try context(run, "a/split/list") === contexts["a"])
      XCTAssertTrue(try context(run, "b/split/list") === contexts["b"])
      XCTAssertTrue(try context(run, "list") === contexts["root"])
    }
    try check(run)
    try run.save()
    try check(try await launch())
    let again = try await launch(late: true)
    try await again.waitUntilSettled()
    try check(again)
  }

  func testAnEditorMakesAChildOfTheContextOfItsDocumentAndKeepsItInAnotherWindow() async throws {
    let run = try await launch()
    for name in ["a", "b"] { try run.open(Window.kind, id: name, state: name) }
    let editor = try run.open(EditorScreen.kind, id: "editor", under: .of("a"), state: Row())
    let nested = try run.open(EditorScreen.nested, id: "nested", under: .of("b"), state: Row())
    XCTAssertTrue(contexts["a"]?.liveOwnContext(draft: "a/editor") === editor.context)
    XCTAssertTrue(contexts["b"]?.liveOwnContext(draft: "b/nested") === nested.context)
    editor.context.edit("typed")
    try editor.node.move(under: .of("b"))
    try run.save()
    for late in [false, true] {
      let again = try await launch(late: late)
      try await again.waitUntilSettled()
      let back = try XCTUnwrap(try again.screen(EditorScreen.kind, at: .of("b/editor")))
      XCTAssertTrue(contexts["a"]?.liveOwnContext(draft: "a/editor") === back.context)
      XCTAssertEqual(back.context.edits, ["typed"])
      XCTAssertNotNil(contexts["b"]?.liveOwnContext(draft: "b/nested"))
      again.end()
    }
  }

  func testANodeThatOnlyTookTheNearestContextHasNoneForThoseBelow() async throws {
    let run = try await launch()
    try run.open(Window.kind, id: "a", state: "a")
    try run.open(Self.list, id: "list", under: .of("a"), state: Row())
    try run.open(Self.list, id: "below", under: .of("a/list"), state: Row())
    XCTAssertTrue(try context(run, "a/list/below") === contexts["a"])
  }

  func testAWindowWhoseStateNamesAnotherDocumentByNowGivesTheOneThatItHas() async throws {
    let run = try await launch()
    let window = try run.open(Window.kind, id: "window", state: "a")
    window.node.state = "b"
    try run.open(Self.list, id: "list", under: .of("window"), state: Row())
    XCTAssertTrue(try context(run, "window/list") === contexts["a"])
  }
}
