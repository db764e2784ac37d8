import RepriseCore
import RepriseTestModels
import RepriseTesting
import XCTest

/// Restoration on real stores and contexts, from one run to the next.
@MainActor final class StoreTests: XCTestCase {
  private enum StoreKeys {
    static let root: RestorationKey<RootContext> = "root"
  }

  private struct EditorState: Codable, Sendable {
    var item: Item.ID
    var caret = 0
  }

  @MainActor private final class Editor {
    static let kind = NodeKind<EditorState, Editor>("editor", title: { "Editor at \($0.caret)" })
    static let nested = NodeKind<EditorState, Editor>("nested editor")
    let node: RestorationNode<EditorState>
    let editing: ChildContext
    let item: Item
    init(_ node: RestorationNode<EditorState>, _ editing: ChildContext) throws {
      (self.node, self.editing) = (node, editing)
      item = try editing.object(node.state.item)
    }
  }

  private func launch(_ store: Store) async throws -> (run: Restoration, report: RestorationReport) {
    let run = Restoration(store)
    try run.register(store.mainContext, as: StoreKeys.root)
    try run.definePlain()
    try run.define(Editor.kind, needs: .ownContext(childOf: .registered(StoreKeys.root))) { try Editor($0, $1) }
    try run.define(Editor.nested, needs: .ownContext(childOf: .nearestAncestorNode)) { try Editor($0, $1) }
    return (run, try await run.restore())
  }

  private func item(_ name: String, _ store: Store) async throws -> Item {
    let item = store.mainContext.insert(Item(name: name))
    try await store.mainContext.save()
    return item
  }

  private func editor(
    _ run: Restoration, _ path: String, _ kind: NodeKind<EditorState, Editor> = Editor.kind
  ) throws -> Editor { try XCTUnwrap(try run.screen(kind, at: .of(path)), path) }

  func testTwoWindowsOfOnePathEditContextsOfTheirOwn() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let chair = try await item("Chair", temporary.store)
    func launch(_ store: Store, _ scene: String) async throws -> Restoration {
      let run = Restoration(store, scene: scene)
      try run.register(store.mainContext, as: StoreKeys.root)
      try run.define(Editor.kind, needs: .ownContext(childOf: .registered(StoreKeys.root))) { try Editor($0, $1) }
      try await run.restore()
      return run
    }
    do {
      let one = try await launch(temporary.store, "one")
      let two = try await launch(temporary.store, "two")
      let first = try one.open(Editor.kind, id: "editor", state: EditorState(item: chair.id))
      let second = try two.open(Editor.kind, id: "editor", state: EditorState(item: chair.id))
      first.item.name = "Typed in window one"
      second.editing.discard()
      XCTAssertEqual(first.item.name, "Typed in window one")
      second.item.name = "Typed in window two"
    }
    let store = try await temporary.relaunch()
    for (scene, name) in [("one", "Typed in window one"), ("two", "Typed in window two")] {
      let run = try await launch(store, scene)
      XCTAssertEqual(try editor(run, "editor").item.name, name)
    }
  }

  func testAnArchiveInAStoreOfItsOwnIsRestoredBeforeTheOtherStoreIsOpen() async throws {
    let screens = try await TemporaryStore(for: Schema())
    let items = try await TemporaryStore(for: Item.self, Person.self)
    func define(_ run: Restoration) throws {
      try run.definePlain()
      try run.define(Editor.kind, needs: .ownContext(childOf: .registered(StoreKeys.root))) { try Editor($0, $1) }
    }
    do {
      let chair = try await item("Chair", items.store)
      let run = Restoration(screens.store)
      try run.register(items.store.mainContext, as: StoreKeys.root)
      try define(run)
      try await run.restore()
      try run.openPlain("list", 5)
      let editor = try run.open(Editor.kind, id: "editor", state: EditorState(item: chair.id))
      editor.node.state.caret = 3
      editor.item.name = "typed"
      try await run.flush()
    }
    let run = Restoration(try await screens.relaunch())
    let (opened, open) = AsyncStream<Void>.makeStream()
    try run.register(late: StoreKeys.root) {
      for await _ in opened { break }
      return try await items.relaunch().mainContext
    }
    try define(run)
    try await run.restore()
    XCTAssertEqual(try run.screen(PlainScreen.kind, at: .of("list"))?.node.state.row, 5)
    XCTAssertEqual(run.report?.outcome("editor"), .pending(key: "root"))
    open.yield()
    try await run.waitUntilSettled()
    let editor = try editor(run, "editor")
    XCTAssertEqual(editor.node.state.caret, 3)
    XCTAssertEqual(editor.item.name, "typed")
  }

  func testAStateThatComesAfterTheStoreWasClosedIsNotSaidToBeSaved() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let (run, _) = try await launch(temporary.store)
    try run.openPlain("list", 1).node.state.row = 2
    try await temporary.store.close()
    XCTAssertThrowsError(try run.save()) { error in
      guard case RestorationError.store(.closed)? = error as? RestorationError else { return XCTFail("\(error)") }
    }
    let store = try await Store.open(temporary.store.path, for: Item.self, Person.self)
    let (again, _) = try await launch(store)
    XCTAssertEqual(try again.screen(PlainScreen.kind, at: .of("list"))?.node.state.row, 2, "set before the close")
    try await store.close()
  }

  func testASecondRestorationOfALiveSceneIsRefused() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    try await {
      let (run, _) = try await launch(temporary.store)
      do {
        try await Restoration(temporary.store).restore()
        XCTFail("two restorations write one archive")
      } catch {
        XCTAssertEqual("\(error)", RestorationError.sceneInUse("main", process: getpid()).description)
      }
      try await Restoration(temporary.store, scene: "second window").restore()
      run.end()
      run.end()
    }()
    _ = try await launch(temporary.store)
  }

  func testASceneThatEndedLetsItsScreensGoAndComesBack() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let chair = try await item("Chair", temporary.store)
    weak var screen: Editor?
    weak var ended: Restoration?
    var node: RestorationNode<EditorState>?
    var problems: [String] = []
    try await {
      let (run, _) = try await launch(temporary.store)
      let editor = try run.open(Editor.kind, id: "editor", state: EditorState(item: chair.id))
      editor.item.name = "Typed"
      await Task { @MainActor in }.value
      editor.node.state.caret = 7
      (screen, ended, node) = (editor, run, editor.node)
      run.onProblem = { problems.append($0.description) }
      run.end()
      editor.node.state.caret = 8
      XCTAssertTrue(editor.node.isClosed)
      XCTAssertThrowsError(try run.save()) { error in
        guard case RestorationError.ended("main")? = error as? RestorationError else { return XCTFail("\(error)") }
      }
    }()
    XCTAssertEqual(problems.count, 1)
    await Task { @MainActor in }.value
    XCTAssertNil(screen)
    XCTAssertNil(ended)
    XCTAssertEqual(node?.state.caret, 7)
    // In the same process, and in the next.
    var run = try await launch(temporary.store).run
    XCTAssertEqual(try editor(run, "editor").item.name, "Typed")
    XCTAssertEqual(try editor(run, "editor").node.state.caret, 7)
    run = try await launch(temporary.relaunch()).run
    XCTAssertEqual(try editor(run, "editor").node.state.caret, 7)
  }

  func testScreensAndUncommittedEditsAtEveryLevelComeBackTogether() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let chair = try await item("Red chair", temporary.store)
    let table = try await item("Table", temporary.store)
    var newID: Item.ID?
    var newURI: String?
    do {
      let (run, _) = try await launch(temporary.store)
      try run.openPlain("list", 7)
      let outer = try run.open(Editor.kind, id: "editor", under: .of("list"), state: EditorState(item: chair.id))
      outer.item.name = "Blue chair"
      outer.node.state.caret = 4
      let inner = try run.open(
        Editor.nested, id: "inner", under: .of("list/editor"), state: EditorState(item: chair.id))
      XCTAssertEqual(inner.item.name, "Blue chair")
      inner.item.name = "Green chair"
      inner.editing.delete(try inner.editing.object(table.id))
      newID = inner.editing.insert(Item(name: "Stool")).id
      newURI = try temporary.store.uri(for: XCTUnwrap(newID).any)
      temporary.store.mainContext.insert(Item(name: "Of the root"))
    }
    let store = try await temporary.relaunch()
    let (run, report) = try await launch(store)
    XCTAssertEqual(report.entries.map(\.outcome), [.restored, .restored, .restored])
    XCTAssertEqual(report.orphanedDrafts, [])
    XCTAssertEqual(report.damage, [])
    let outer = try editor(run, "list/editor")
    let inner = try editor(run, "list/editor/inner", Editor.nested)
    XCTAssertEqual(outer.node.state.caret, 4)
    XCTAssertEqual(outer.item.name, "Blue chair")
    XCTAssertEqual(inner.item.name, "Green chair")
    XCTAssertTrue(inner.editing.parent === outer.editing)
    XCTAssertTrue(outer.editing.parent === store.mainContext)
    XCTAssertEqual(try store.mainContext.object(chair.id).name, "Red chair")
    let stool = try inner.editing.object(XCTUnwrap(newID))
    XCTAssertEqual(stool.name, "Stool")
    XCTAssertEqual(try store.uri(for: stool.id.any), newURI, "permanent from birth")
    XCTAssertTrue(try inner.editing.object(uri: XCTUnwrap(newURI)) === stool)
    XCTAssertNil(try inner.editing.fetch(Fetch<Item>()).first { $0.name == "Table" })
    XCTAssertEqual(try outer.editing.object(table.id).name, "Table")
    let names = try store.mainContext.fetch(Fetch<Item>()).map(\.name).sorted()
    XCTAssertEqual(names, ["Of the root", "Red chair", "Table"])
  }

  func testWhatWasDiscardedOrSavedBeforeTheKillDoesNotReturnAsADraft() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let chair = try await item("Red chair", temporary.store)
    let (first, _) = try await launch(temporary.store)
    let saved = try first.open(Editor.kind, id: "saved", state: EditorState(item: chair.id))
    saved.item.name = "Saved"
    try saved.editing.save("Rename")
    let discarded = try first.open(Editor.kind, id: "discarded", state: EditorState(item: chair.id))
    discarded.item.name = "Discarded"
    discarded.editing.discard()

    let store = try await temporary.relaunch()
    let (run, _) = try await launch(store)
    XCTAssertFalse(try editor(run, "saved").editing.hasChanges)
    XCTAssertFalse(try editor(run, "discarded").editing.hasChanges)
    XCTAssertEqual(try editor(run, "discarded").item.name, "Saved")
    XCTAssertEqual(try store.mainContext.object(chair.id).name, "Saved")
    XCTAssertTrue(store.mainContext.hasChanges)
  }

  func testAnOrphanedDraftIsListedWithItsDateSizeAndContentAndCanBeOpened() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let chair = try await item("Red chair", temporary.store)
    let id = chair.id
    let before = Int64(Date().timeIntervalSince1970 * 1_000_000)
    do {
      let (run, _) = try await launch(temporary.store)
      let opened = try run.open(Editor.kind, id: "editor", state: EditorState(item: id, caret: 4))
      opened.item.name = String(repeating: "x", count: 500)
      opened.editing.insert(Item(name: "New"))
      // At the path of one that is closed with its edits, another one gets a draft "#2"; and one that was moved.
      for name in ["first", "second"] {
        try run.open(Editor.kind, id: "desk", state: EditorState(item: id)).item.name = name
        if name == "first" { try run.close(at: .of("desk")) }
      }
      try editor(run, "desk").node.move(id: "moved", under: nil)
      try run.close(at: .of("moved"))
    }
    let store = try await temporary.relaunch()
    for isCheckpointed in [false, true] {
      if isCheckpointed { try await store.journals.checkpoint() }
      let run = Restoration(store)
      try run.register(store.mainContext, as: StoreKeys.root)
      try run.definePlain()
      try run.define(Editor.kind, needs: .ownContext(childOf: .registered(StoreKeys.root))) { node, context in
        node.path.id == "editor" ? nil : try Editor(node, context)
      }
      try await run.restore()
      let found = try run.recoverableDrafts()
      XCTAssertEqual(Set(found.map(\.draft.id)), ["editor", "desk", "desk#2"])
      let one = try XCTUnwrap(found.first { $0.draft.id == "editor" })
      XCTAssertEqual(one.path, .of("editor"))
      XCTAssertEqual(one.kind, "editor")
      XCTAssertEqual(one.title, "Editor at 4")
      XCTAssertEqual(one.state?["caret"]?.int, 4)
      XCTAssertEqual(one.outcome, .skipped(reason: "its factory found nothing to restore"))
      let changed = try XCTUnwrap(one.draft.changedAt)
      XCTAssertGreaterThanOrEqual(changed, before)
      XCTAssertLessThan(changed, before + 3_600_000_000)
      XCTAssertGreaterThan(one.draft.byteCount, 500)
      XCTAssertEqual(one.draft.groupCount, 2)
      XCTAssertEqual(one.draft.preview.map(\.kind), [.updated, .inserted])
      XCTAssertEqual(one.draft.preview.first?.object, id.any)
      let name = try XCTUnwrap(one.draft.preview.first?.properties.first)
      XCTAssertEqual(name.name, "name")
      XCTAssertEqual(name.old, .string("Red chair"))
      XCTAssertEqual(name.new, .string(String(repeating: "x", count: 199) + "…"))
      let moved = try XCTUnwrap(found.first { $0.draft.id == "desk#2" })
      XCTAssertEqual(moved.path, .of("moved"), "where it stood last")
      XCTAssertEqual([moved.kind, moved.title], ["editor", "Editor at 0"])
      XCTAssertEqual(moved.draft.preview.first?.properties.first?.new, .string("second"))
      XCTAssertEqual(found.first { $0.draft.id == "desk" }?.path, .of("desk"))
      if !isCheckpointed {
        run.end()
        continue
      }
      // A node, and a context without one.
      let again = try run.open(Editor.kind, id: "recovered", state: EditorState(item: id), draft: "desk#2")
      XCTAssertEqual(again.item.name, "second")
      let context = try store.mainContext.makeChild(draft: "desk")
      XCTAssertEqual(try context.object(id).name, "first")
      XCTAssertEqual(try run.recoverableDrafts().map(\.draft.id), ["editor"])
    }
  }

  func testAChildWhoseContextAboveWasEmptiedIsInTheReport() async throws {
    for isEmptied in [true, false] {
      let temporary = try await TemporaryStore(for: Item.self, Person.self)
      let chair = try await item("Red chair", temporary.store)
      let id = chair.id
      do {
        let (run, _) = try await launch(temporary.store)
        try run.open(Editor.kind, id: "editor", state: EditorState(item: id)).item.name = "Above"
        try run.open(Editor.nested, id: "inner", under: .of("editor"), state: EditorState(item: id)).item.name = "Below"
      }
      let store = try await temporary.relaunch()
      if isEmptied { try store.drafts.discard("editor") }
      let (run, report) = try await launch(store)
      XCTAssertEqual(report.conflictingDrafts, isEmptied ? ["editor/inner"] : [])
      let inner = try editor(run, "editor/inner", Editor.nested)
      XCTAssertEqual(inner.item.name, "Below")
      XCTAssertEqual(try inner.editing.conflicts().isEmpty, !isEmptied)
    }
  }

  func testEditsOverALogThatAdvancedAreRebasedOrInConflictAndNeverSilentlyMixed() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let chair = try await item("Red chair", temporary.store)
    let id = chair.id
    let (first, _) = try await launch(temporary.store)
    try first.open(Editor.kind, id: "editor", state: EditorState(item: id)).item.name = "Typed"
    let store = try await temporary.relaunch()
    let other = BackgroundContext(store, author: "grace")
    try await other.perform { context in
      let item = try context.object(id)
      item.name = "Theirs"
      item.valueInDollars = 7
    }
    try await other.perform { _ = try await $0.save() }
    let (run, _) = try await launch(store)
    let restored = try editor(run, "editor")
    XCTAssertEqual(restored.item.name, "Typed")
    XCTAssertEqual(restored.item.valueInDollars, 7, "what was not typed is as they saved it")
    let conflicts = try restored.editing.conflicts()
    XCTAssertEqual(conflicts.map(\.kind), [.attribute("name")])
    XCTAssertThrowsError(try restored.editing.save("Rename"))
    XCTAssertEqual(restored.item.name, "Typed")
    XCTAssertEqual(try store.mainContext.object(id).name, "Theirs")
  }

  func testAnEditorOfADeletedObjectIsReportedAndItsEditsAreKept() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let chair = try await item("Red chair", temporary.store)
    let id = chair.id
    let (first, _) = try await launch(temporary.store)
    let editing = try first.open(Editor.kind, id: "editor", state: EditorState(item: id))
    editing.item.name = "Typed"
    try first.openPlain("other")
    temporary.store.mainContext.delete(chair)
    try await temporary.store.mainContext.save()

    let store = try await temporary.relaunch()
    let (run, report) = try await launch(store)
    guard case .failed(let reason)? = report.outcome("editor") else { return XCTFail("\(report)") }
    XCTAssertTrue(reason.contains("was deleted"), reason)
    XCTAssertEqual(report.orphanedDrafts, ["editor"])
    let draft = try XCTUnwrap(try run.recoverableDrafts().first)
    XCTAssertEqual(draft.draft.id, "editor")
    XCTAssertEqual(draft.draft.preview.first?.properties.first?.new, .string("Typed"))
    let context = try store.mainContext.makeChild(draft: "editor")
    XCTAssertTrue(context.hasChanges)
    XCTAssertThrowsError(try context.save("Rename"), "it is in conflict with the deletion")
    XCTAssertTrue(context.hasChanges)
    XCTAssertEqual(report.outcome("other"), .restored)
  }

  func testThreeLaunchesInARowLoseNothingAndWriteNothingNew() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let chair = try await item("Red chair", temporary.store)
    let (first, _) = try await launch(temporary.store)
    try first.open(Editor.kind, id: "editor", state: EditorState(item: chair.id)).item.name = "Typed"
    for _ in 0..<3 {
      let store = try await temporary.relaunch()
      let (run, report) = try await launch(store)
      XCTAssertEqual(report.entries.map(\.outcome), [.restored])
      XCTAssertEqual(try editor(run, "editor").item.name, "Typed")
      try run.save()
    }
  }

  func testAScreenAndTheEditsOfItsTurnStandInOneFrame() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let chair = try await item("Red chair", temporary.store)
    let (first, _) = try await launch(temporary.store)
    let opened = try first.open(Editor.kind, id: "editor", state: EditorState(item: chair.id))
    await Task { @MainActor in }.value
    let folder = temporary.store.path + "/journals"
    func journal() throws -> [UInt8] {
      try temporary.store.journal.write()
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".journal") }
      return try names.sorted().flatMap { [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/" + $0))) }
    }
    let before = try journal().count
    opened.item.name = "Typed at caret 77"
    opened.node.state.caret = 77
    await Task { @MainActor in }.value
    let added = Array(try journal()[before...])
    // A frame is its length, checksum, number, and payload: there is exactly one.
    let length = added[..<4].reversed().reduce(0) { $0 << 8 | Int($1) }
    XCTAssertLessThanOrEqual(added.count - length, 32)
    XCTAssertTrue(String(decoding: added, as: UTF8.self).contains("Typed at caret 77"))
    XCTAssertTrue(String(decoding: added, as: UTF8.self).contains("caret"))
  }

  func testAJournalCutOffAnywhereCostsNothingThatWasWholeBefore() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let (first, _) = try await launch(temporary.store)
    let screen = try first.openPlain("list", 1)
    try first.save()
    await Task { @MainActor in }.value
    try temporary.store.journal.write()
    let files = FileManager.default
    let found = try files.contentsOfDirectory(atPath: temporary.store.path + "/journals")
    let name = "/journals/" + (try XCTUnwrap(found.first { $0.hasSuffix(".journal") }))
    let whole = try Data(contentsOf: URL(fileURLWithPath: temporary.store.path + name)).count
    screen.node.state.row = 2
    try first.save()
    await Task { @MainActor in }.value
    try temporary.store.journal.write()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: temporary.store.path + name))
    XCTAssertGreaterThan(bytes.count, whole)
    // Where not even the first frame is whole, there is nothing yet.
    for length in bytes.indices.reversed() + [bytes.count] {
      let copy = temporary.store.path + " cut to \(length)"
      try files.createDirectory(atPath: copy + "/journals", withIntermediateDirectories: true)
      try files.copyItem(atPath: temporary.store.path + "/data.mdb", toPath: copy + "/data.mdb")
      try bytes.prefix(length).write(to: URL(fileURLWithPath: copy + name))
      let store = try await Store.open(copy, for: Item.self, Person.self)
      let (run, report) = try await launch(store)
      let row = try run.screen(PlainScreen.kind, at: .of("list"))?.node.state.row
      XCTAssertEqual(row, length == bytes.count ? 2 : length < whole ? nil : 1, "\(length) of \(bytes.count)")
      XCTAssertEqual(report.entries.map(\.outcome), row == nil ? [] : [.restored])
      try await store.close()
      try files.removeItem(atPath: copy)
    }
  }

  func testAnArchiveThatWasCheckpointedIntoTheTablesIsThere() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let chair = try await item("Red chair", temporary.store)
    let (first, _) = try await launch(temporary.store)
    try first.openPlain("list", 3)
    let opened = try first.open(Editor.kind, id: "editor", under: .of("list"), state: EditorState(item: chair.id))
    opened.item.name = "Typed"
    try first.save()
    try await temporary.store.journals.checkpoint()
    opened.node.state.caret = 9
    try first.openPlain("later")

    let store = try await temporary.relaunch()
    let (run, report) = try await launch(store)
    XCTAssertEqual(report.entries.map(\.outcome), [.restored, .restored, .restored])
    XCTAssertEqual(try editor(run, "list/editor").node.state.caret, 9)
    XCTAssertEqual(try editor(run, "list/editor").item.name, "Typed")
  }

  func testAStateThatIsSetWhenNobodyHoldsTheRestorationIsKept() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let screen = try await { try await launch(temporary.store).run.openPlain("list", 1) }()
    await Task { @MainActor in }.value
    screen.node.state.row = 2
    let (run, _) = try await launch(temporary.relaunch())
    XCTAssertEqual(try run.screen(PlainScreen.kind, at: .of("list"))?.node.state.row, 2)
  }

  /// Each document has a context of its own, and each editor one below that of its document.
  func testEditorsOfTwoDocumentsHaveContextsBelowThoseOfTheirDocuments() async throws {
    struct Page: Codable, Sendable {
      var document: String
      var item: Item.ID
    }
    @MainActor final class Sheet {
      static let kind = NodeKind<Page, Sheet>("sheet")
      let editing: ChildContext
      init(_ editing: ChildContext) { self.editing = editing }
    }
    func key(_ document: String) -> RestorationKey<RootContext> { RestorationKey("context of \(document)") }
    func launch(_ store: Store) async throws -> (Restoration, [String: RootContext]) {
      let run = Restoration(store)
      var contexts: [String: RootContext] = [:]
      for name in ["A", "B"] {
        let context = try RootContext(store, draft: name)
        contexts[name] = context
        try run.register(context, as: key(name))
      }
      try run.define(
        Sheet.kind, needs: .ownContext(childOf: .registered { (page: Page, _) in key(page.document) })
      ) { _, editing in Sheet(editing) }
      try await run.restore()
      return (run, contexts)
    }
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let chair = try await item("Chair", temporary.store)
    let (first, _) = try await launch(temporary.store)
    for name in ["A", "B"] {
      let sheet = try first.open(Sheet.kind, id: "sheet \(name)", state: Page(document: name, item: chair.id))
      try sheet.editing.object(chair.id).name = "Typed in \(name)"
    }
    try first.save()
    let (again, contexts) = try await launch(temporary.relaunch())
    for name in ["A", "B"] {
      let sheet = try XCTUnwrap(try again.screen(Sheet.kind, at: .of("sheet \(name)")))
      XCTAssertTrue(sheet.editing.parent === contexts[name])
      XCTAssertEqual(try sheet.editing.object(chair.id).name, "Typed in \(name)")
    }
  }

  func testANodeNamedAsTheMainContextLeavesItsDraft() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let own = try RootContext(temporary.store, draft: "own")
    let chair = own.insert(Item(name: "Chair"))
    try await own.save()
    let run = Restoration(temporary.store)
    try run.register(own, as: StoreKeys.root)
    try run.define(Editor.kind, needs: .ownContext(childOf: .registered(StoreKeys.root))) { try Editor($0, $1) }
    try await run.restore()
    let editor = try run.open(Editor.kind, id: "main", state: EditorState(item: chair.id))
    XCTAssertEqual(editor.editing.draftID, "main#2")
    XCTAssertEqual(temporary.store.mainContext.draftID, "main")
  }

  func testTheEndOfATurnAfterTheStoreWasClosedIsTold() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let (run, _) = try await launch(temporary.store)
    let node = try run.openPlain("list", 1).node
    try run.save()
    await Task { @MainActor in }.value
    var problems: [RestorationError] = []
    run.onProblem = { problems.append($0) }
    try await temporary.store.close()
    node.state.row = 2
    await Task { @MainActor in }.value
    guard case .store(.closed)? = problems.first else { return XCTFail("\(problems)") }
  }
}
