import RepriseEventStore
import RepriseRestoration
import XCTest

final class OwnContextTests: RestorationTestCase {
  private struct Run {
    let restoration: Restoration
    let root: MemoryContext
    var report: RestorationReport?
  }

  /// Editors under the registered root, editors within editors, and screens that show an editor's context.
  private func run(_ change: (Restoration) throws -> Void = { _ in }) async throws -> Run {
    let restoration = restoration()
    let root = MemoryContext(storage)
    try restoration.register(root, as: Keys.root)
    try restoration.definePlain()
    try restoration.define(EditorScreen.kind, needs: .ownContext(under: ContextParent(registeredAs: "root"))) {
      EditorScreen($0, $1)
    }
    try restoration.define(EditorScreen.nested, needs: .ownContext(under: .nearestAncestorNode)) {
      EditorScreen($0, $1)
    }
    try restoration.define(Self.viewer, needs: .ancestorContext()) { EditorScreen($0, $1) }
    try change(restoration)
    let report = try await restoration.restore()
    return Run(restoration: restoration, root: root, report: report)
  }

  private final class OtherContext {}

  private static let viewer = NodeKind<Row, EditorScreen>("viewer")

  private func open(_ run: Run, _ path: String, _ kind: NodeKind<Row, EditorScreen> = EditorScreen.kind) throws
    -> EditorScreen
  {
    let path = NodePath.of(path)
    return try run.restoration.open(kind, id: path.id, under: path.parent, state: Row())
  }

  private func screen(
    _ run: Run, _ path: String, _ kind: NodeKind<Row, EditorScreen> = EditorScreen.kind
  ) throws -> EditorScreen? { try run.restoration.screen(kind, at: .of(path)) }

  func testContextsComeBackWithTheirAncestryAndEdits() async throws {
    do {
      let first = try await run()
      let outer = try open(first, "editor")
      outer.context.edit("outer")
      try first.restoration.openPlain("editor/panel")
      let inner = try open(first, "editor/panel/inner", EditorScreen.nested)
      inner.context.edit("inner")
      try first.restoration.save()
    }
    XCTAssertEqual(storage.drafts["editor"], MemoryDraft(parent: nil, edits: ["outer"]))
    XCTAssertEqual(storage.drafts["editor/panel/inner"], MemoryDraft(parent: "editor", edits: ["inner"]))
    let again = try await run()
    XCTAssertEqual(again.report?.entries.map(\.outcome), [.restored, .restored, .restored])
    XCTAssertEqual(try screen(again, "editor")?.context.edits, ["outer"])
    XCTAssertEqual(try screen(again, "editor/panel/inner", EditorScreen.nested)?.context.edits, ["inner"])
    XCTAssertEqual(again.report?.orphanedDrafts, [])
  }

  func testNodesThatShareAContextGetOneInstance() async throws {
    do {
      let first = try await run()
      _ = try open(first, "editor")
      _ = try open(first, "editor/a", Self.viewer)
      _ = try open(first, "editor/a/b", Self.viewer)
      try first.restoration.save()
    }
    let again = try await run()
    let context = try XCTUnwrap(try screen(again, "editor")).context
    XCTAssertTrue(try screen(again, "editor/a", Self.viewer)?.context === context)
    XCTAssertTrue(try screen(again, "editor/a/b", Self.viewer)?.context === context)
  }

  func testEditsOfANodeThatIsNotRestoredAreListedAndNeverDropped() async throws {
    do {
      let first = try await run()
      try open(first, "editor").context.edit("work")
      try open(first, "editor/inner", EditorScreen.nested).context.edit("more work")
      _ = try open(first, "editor/empty", EditorScreen.nested)
      try first.restoration.save()
    }
    let drafts = storage.drafts
    storage.records["editor"]?[9] ^= 1
    let again = try await run()
    XCTAssertEqual(again.report?.orphanedDrafts, ["editor", "editor/inner"])
    try again.restoration.save()
    XCTAssertEqual(storage.drafts, drafts)
  }

  func testANodeOpenedWhereEditsWereLeftDoesNotMixThemIn() async throws {
    do {
      let first = try await run()
      try open(first, "editor").context.edit("of another item")
      // Killed before the screen was written.
      XCTAssertNil(storage.records["editor"])
    }
    let again = try await run()
    let fresh = try open(again, "editor")
    XCTAssertEqual(fresh.context.edits, [])
    fresh.context.edit("mine")
    XCTAssertEqual(storage.drafts["editor"]?.edits, ["of another item"])
    try again.restoration.save()
    let third = try await run()
    XCTAssertEqual(try screen(third, "editor")?.context.edits, ["mine"])
    fresh.context.discard()
    // Unless it is asked to.
    try screen(third, "editor")?.node.close()
    let resumed = try third.restoration.open(EditorScreen.kind, id: "editor", state: Row(), resumingDraft: true)
    XCTAssertEqual(resumed.context.edits, ["of another item"])
  }

  func testClosingANodeKeepsWhatWasTyped() async throws {
    let first = try await run()
    let editor = try open(first, "editor")
    editor.context.edit("work")
    editor.node.close()
    try first.restoration.save()
    XCTAssertEqual(storage.nodes, [:])
    XCTAssertEqual(storage.drafts["editor"]?.edits, ["work"])
  }

  func testAnEmptyDraftIsUsedAgain() async throws {
    let first = try await run()
    for _ in 0..<5 {
      let editor = try open(first, "editor")
      editor.context.edit("x")
      editor.context.discard()
      editor.node.close()
    }
    XCTAssertEqual(Set(storage.drafts.keys), ["editor"])
  }

  func testANodeWithoutAContextAboveItIsRefusedAndSoIsAParentThatIsNoContext() async throws {
    let first = try await run {
      try $0.register(Shelf(""), as: Keys.shelf)
      try $0.define(
        NodeKind<Row, EditorScreen>("wrong"), needs: .ownContext(under: ContextParent(registeredAs: "shelf"))
      ) { EditorScreen($0, $1) }
      try $0.define(
        NodeKind<Row, EditorScreen>("other"), needs: .ownContext(under: ContextParent(registeredAs: "root"))
      ) { (_, _: OtherContext) in nil }
    }
    func refused(_ path: String, _ kind: NodeKind<Row, EditorScreen>, _ reason: String) {
      assertThrows(
        "The screen '\(path)' was not made: \(reason). Remove the cause, then open the screen again.",
        try open(first, path, kind))
    }
    refused("lone", EditorScreen.nested, "no screen above it has a context")
    refused("lone", Self.viewer, "no screen above it has a context")
    refused("wrong", NodeKind("wrong"), "the object that is registered as 'shelf' is not an editing context")
    XCTAssertEqual(storage.drafts, [:])
    refused("other", NodeKind("other"), "its own context is not of the type OtherContext")
  }

  func testAKindWithTwoContextsOfItsOwnIsRefusedWhenItIsDefined() throws {
    let parent = ContextParent(registeredAs: "root")
    assertThrows(
      "'editor' cannot be defined: its `needs` have several own contexts, but a screen can have only one. Correct the "
        + "arguments of `define`.",
      try restoration().define(EditorScreen.kind, needs: .ownContext(under: parent), .ownContext(under: parent)) {
        (node, first: MemoryContext, second: MemoryContext) in EditorScreen(node, first)
      })
  }

  func testADraftThatIsTakenElsewhereCostsItsNodeOnly() async throws {
    do {
      let first = try await run()
      try open(first, "editor").context.edit("work")
      try first.restoration.openPlain("plain")
      try first.restoration.save()
    }
    storage.takenElsewhere = ["editor"]
    let again = try await run()
    guard case .failed? = again.report?.outcome("editor") else { return XCTFail("\(again)") }
    XCTAssertEqual(again.report?.outcome("plain"), .restored)
    XCTAssertEqual(again.report?.orphanedDrafts, ["editor"])
  }

  func testAMovedNodeKeepsItsDraft() async throws {
    do {
      let first = try await run()
      try open(first, "editor").context.edit("outer")
      let inner = try open(first, "editor/inner", EditorScreen.nested)
      inner.context.edit("inner")
      try first.restoration.openPlain("plain")
      assertThrows(
        "The screen 'editor/inner' cannot be moved: its context is a child of the context of the screen 'editor', "
          + "which would no longer be above it. Choose another place, or leave the screen where it is.",
        try inner.node.move(under: .of("plain")))
      try screen(first, "editor")?.node.move(id: "moved", under: .of("plain"))
      try first.restoration.save()
    }
    let again = try await run()
    XCTAssertEqual(try screen(again, "plain/moved")?.context.edits, ["outer"])
    XCTAssertEqual(try screen(again, "plain/moved/inner", EditorScreen.nested)?.context.edits, ["inner"])
    XCTAssertEqual(Set(storage.drafts.keys), ["editor", "editor/inner"])
  }

  func testWhatAMovedNodeLeftInItsDraftIsResumedAtItsLastPath() async throws {
    do {
      let first = try await run()
      let editor = try open(first, "untitled")
      editor.context.edit("typed")
      try editor.node.move(id: "letter", under: nil)
      editor.node.close()
      let resumed = try first.restoration.open(EditorScreen.kind, id: "letter", state: Row(), resumingDraft: true)
      XCTAssertEqual(resumed.context.edits, ["typed"])
      resumed.context.edit("more")
      resumed.node.close()
      try first.restoration.save()
    }
    // And by the next process.
    let again = try await run()
    let resumed = try again.restoration.open(EditorScreen.kind, id: "letter", state: Row(), resumingDraft: true)
    XCTAssertEqual(resumed.context.edits, ["typed", "more"])
  }

  func testADraftWhoseNodeIsGoneIsTakenUpByItsID() async throws {
    do {
      let first = try await run()
      try open(first, "gone").context.edit("typed")
      // Killed before the screen was written.
    }
    let again = try await run()
    let opened = try again.restoration.open(EditorScreen.kind, id: "found", state: Row(), draft: "gone")
    XCTAssertEqual(opened.context.edits, ["typed"])
    XCTAssertThrowsError(try again.restoration.open(EditorScreen.kind, id: "b", state: Row(), draft: "gone")) { error in
      guard case .draft(_, .inUse("gone"))? = error as? RestorationError else { return XCTFail("\(error)") }
    }
    try again.restoration.save()
    let third = try await run()
    XCTAssertEqual(try screen(third, "found")?.context.edits, ["typed"])
  }

  func testOfTwoDraftsLeftAtAPathTheLastIsResumed() async throws {
    let first = try await run()
    try {
      let editor = try open(first, "editor")
      editor.context.edit("older")
      editor.node.close()
    }()
    try {
      let editor = try open(first, "editor")
      editor.context.edit("newer")
      editor.node.close()
    }()
    let resumed = try first.restoration.open(EditorScreen.kind, id: "editor", state: Row(), resumingDraft: true)
    XCTAssertEqual(resumed.context.edits, ["newer"])
  }
}
