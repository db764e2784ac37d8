import RepriseCore
import RepriseTestModels
import RepriseTesting
import XCTest

/// Scenes of a store that no `Restoration` has.
@MainActor final class SceneListTests: XCTestCase {
  private func launch(_ store: Store, _ scene: String) async throws -> Restoration {
    let run = Restoration(store, scene: scene, schemaVersion: 3)
    try run.definePlain()
    try await run.restore()
    return run
  }

  private func list(_ store: Store) throws -> [String] {
    try Restoration.scenes(in: store).map { "\($0.name) \($0.paths) \($0.isInUse)" }
  }

  func testScenesAreListedWhoeverHasThem() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    XCTAssertEqual(try list(temporary.store), [])
    let one = try await launch(temporary.store, "one")
    let two = try await launch(temporary.store, "two")
    _ = try await launch(temporary.store, "empty")
    try one.openPlain("list", 1)
    try two.openPlain("list", 1)
    try two.openPlain("detail", 2)
    try await one.flush()
    two.end()
    XCTAssertEqual(try list(temporary.store), [#"one ["list"] true"#, #"two ["detail", "list"] false"#])
    XCTAssertEqual(try Restoration.scenes(in: temporary.store).map(\.archive.schemaVersion), [3, 3])
    XCTAssertEqual(try Restoration.scenes(in: temporary.store).map(\.process), [getpid(), getpid()])
    let next = try await temporary.relaunch()
    XCTAssertEqual(try list(next), [#"one ["list"] false"#, #"two ["detail", "list"] false"#])
    try await next.journals.checkpoint()
    XCTAssertEqual(try list(next), [#"one ["list"] false"#, #"two ["detail", "list"] false"#])
  }

  func testTheScreensOfARemovedSceneAreGoneAndItsEditsAreListed() async throws {
    for isCheckpointed in [false, true] {
      let temporary = try await TemporaryStore(for: Item.self, Person.self)
      do {
        let run = try await launch(temporary.store, "window")
        try run.openPlain("list", 1)
        let editor = try temporary.store.mainContext.makeChild(draft: "window//editor")
        editor.insert(Item(name: "Typed"))
        do {
          try Restoration.removeScene("window", in: temporary.store)
          XCTFail("a live window lost its archive")
        } catch RestorationError.sceneInUse("window", getpid()) {
        }
      }
      let next = try await temporary.relaunch()
      if isCheckpointed { try await next.journals.checkpoint() }
      try Restoration.removeScene("window", in: next)
      try Restoration.removeScene("window", in: next)
      try Restoration.removeScene("no such window", in: next)
      XCTAssertEqual(try list(next), [])
      for store in [next, try await temporary.relaunch()] {
        XCTAssertEqual(try list(store), [])
        XCTAssertEqual(try store.drafts.all().map(\.id).filter { $0 != "main" }, ["window//editor"])
        let run = try await launch(store, "window")
        XCTAssertEqual(run.report?.entries.count, 0)
        XCTAssertEqual(
          try store.mainContext.makeChild(draft: "window//editor").fetch(Fetch<Item>()).map(\.name), ["Typed"])
        run.end()
      }
    }
  }

  func testASceneThatIsOpenedAgainAfterItsRemovalIsKept() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    do {
      let run = try await launch(temporary.store, "window")
      try run.openPlain("old", 1)
      run.end()
      try Restoration.removeScene("window", in: temporary.store)
      let again = try await launch(temporary.store, "window")
      try again.openPlain("new", 2)
    }
    let next = try await temporary.relaunch()
    XCTAssertEqual(try list(next), [#"window ["new"] false"#])
  }

  func testAnArchiveCanBeLookedIntoWithoutRestoringIt() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    XCTAssertNil(try Restoration.archive(of: "window", in: temporary.store))
    let run = Restoration(temporary.store, scene: "window", appVersion: "2.0")
    let root: RestorationKey<RootContext> = "root"
    try run.register(temporary.store.mainContext, as: root)
    try run.register(Note("shared"), as: Note.key)
    try run.definePlain()
    let editor = NodeKind<Row, Holder>("editor", version: 3)
    try run.define(editor, needs: .ownContext(childOf: .registered(root)), .registered(Note.key)) { node, context, _ in
      Holder(node, context)
    }
    try await run.restore()
    try run.openPlain("list", 7)
    try run.open(editor, id: "e", under: .of("list"), state: Row(row: 8))
    try await run.flush()
    for store in [temporary.store, try await temporary.relaunch()] {
      let archive = try XCTUnwrap(try Restoration.archive(of: "window", in: store))
      XCTAssertEqual(archive.archive.appVersion, "2.0")
      XCTAssertEqual(archive.archive.lastExit, store === temporary.store ? .unknown : .clean)
      XCTAssertEqual(archive.nodes.map(\.path.text), ["list", "list/e"])
      XCTAssertEqual(archive.nodes.map(\.kind), ["plain", "editor"])
      XCTAssertEqual(archive.nodes.map(\.version), [1, 3])
      XCTAssertEqual(archive.nodes.map(\.state), [["row": 7], ["row": 8]])
      XCTAssertEqual(archive.nodes.map(\.draft), [nil, "window//list/e"])
      XCTAssertEqual(archive.nodes.map(\.problem), [nil, nil])
      XCTAssertEqual(archive.objects.map(\.key), ["note"])
      XCTAssertEqual(archive.objects.map(\.state), [["text": "shared"]])
    }
  }

  // MARK: A scene that another has

  func testASceneThatAnotherHasIsRestoredReadOnlyAndNothingIsWritten() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let owner = try await launch(temporary.store, "window")
    let screen = try owner.openPlain("list", 1)
    try await owner.flush()
    let reader = Restoration(temporary.store, scene: "window")
    reader.sceneConflictPolicy = .readOnly
    try reader.definePlain()
    try await reader.restore()
    XCTAssertTrue(reader.isReadOnly)
    XCTAssertFalse(owner.isReadOnly)
    let copy = try XCTUnwrap(try reader.screen(PlainScreen.kind, at: .of("list")))
    XCTAssertEqual(copy.node.state.row, 1)
    copy.node.state.row = 99
    try reader.openPlain("only here")
    try reader.save()
    try await reader.flush()
    reader.end()
    screen.node.state.row = 2
    try await owner.flush()
    let run = try await launch(temporary.relaunch(), "window")
    XCTAssertEqual(run.report?.entries.map(\.path.text), ["list"])
    XCTAssertEqual(try run.screen(PlainScreen.kind, at: .of("list"))?.node.state.row, 2)
    XCTAssertEqual(run.report?.lastExit, .clean)
  }

  func testASceneIsTakenOverFromAnotherRestorationOfTheProcessWithWhatItJustChanged() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let owner = try await launch(temporary.store, "window")
    var isTold = false
    owner.onTakeover = { isTold = true }
    try owner.openPlain("list", 1).node.state.row = 2
    let next = Restoration(temporary.store, scene: "window")
    next.sceneConflictPolicy = .takeOver
    try next.definePlain()
    try await next.restore()
    XCTAssertTrue(isTold)
    XCTAssertEqual(try next.screen(PlainScreen.kind, at: .of("list"))?.node.state.row, 2)
    XCTAssertThrowsError(try owner.openPlain("late")) { error in
      guard case .ended("window")? = error as? RestorationError else { return XCTFail("\(error)") }
    }
  }

  func testWhatWasOpenIsStillThereWhenAProgramIsOpenedForSomethingElse() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let first = try await launch(temporary.store, "main")
    try first.openPlain("document", 1)
    let editor = try temporary.store.mainContext.makeChild(draft: "document")
    editor.insert(Item(name: "Typed"))
    // By a URL: the program refuses the archive, shows what it was asked for, and writes.
    let store = try await temporary.relaunch()
    let byURL = Restoration(store)
    try byURL.definePlain()
    try await byURL.restore { _ in false }
    try byURL.openPlain("document of the URL", 2)
    try await byURL.flush()
    let aside = try XCTUnwrap(try Restoration.archive(of: "//refused/1/main", in: store))
    XCTAssertEqual(aside.nodes.map(\.path.text), ["document"])
    XCTAssertEqual(aside.nodes.map(\.state), [["row": 1]])
    XCTAssertEqual(try store.drafts.all().first { $0.id == "document" }?.objects.count, 1)
    // In a window of its own, the former session is there as it was.
    let next = try await temporary.relaunch()
    let former = try await launch(next, "//refused/1/main")
    XCTAssertEqual(former.report?.entries.map(\.outcome), [.restored])
    XCTAssertEqual(try former.screen(PlainScreen.kind, at: .of("document"))?.node.state.row, 1)
    former.end()
    // Or the URL has a scene of its own from the start, and the session comes back beside it.
    let beside = try await launch(next, "url")
    try beside.openPlain("document of the URL", 2)
    try await beside.flush()
    let both = try await temporary.relaunch()
    for scene in ["url", "//refused/1/main"] {
      let run = try await launch(both, scene)
      XCTAssertEqual(run.report?.entries.map(\.outcome), [.restored], scene)
    }
  }

  func testARefusedArchiveIsNoSceneAndIsListedWhereItIsLookedFor() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    for (number, scene) in ["window", "window", "window#2", "window"].enumerated() {
      let run = Restoration(temporary.store, scene: scene)
      try run.definePlain()
      try await run.restore { _ in false }
      try run.openPlain("of launch \(number)")
      run.end()
    }
    func refused(_ scene: String, _ store: Store) throws -> [String] {
      try Restoration.refusedArchives(of: scene, in: store).map { "\($0.name) \($0.paths)" }
    }
    let next = try await temporary.relaunch()
    XCTAssertEqual(try list(next), [#"window ["of launch 3"] false"#, #"window#2 ["of launch 2"] false"#])
    let expected = [#"//refused/1/window ["of launch 0"]"#, #"//refused/2/window ["of launch 1"]"#]
    XCTAssertEqual(try refused("window", next), expected)
    XCTAssertEqual(try refused("window#2", next), [])
    XCTAssertEqual(
      try Restoration.archive(of: "//refused/2/window", in: next)?.nodes.map(\.path.text), ["of launch 1"])
    try Restoration.removeScene("//refused/1/window", in: next)
    XCTAssertEqual(try refused("window", next), [expected[1]])
  }

  func testNoSceneThatAProgramNamesIsTakenForAnArchiveThatWasSetAside() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let names = [
      "main", "note", "note#refused", "note#refused-2", "note#refused#refused", "//note", "//note#refused/",
      "//objects", "//refused/x/note", "//refused/01/note", "/", "//", "", "#refused",
    ]
    let root: RestorationKey<RootContext> = "root"
    var store = temporary.store
    for round in 1...3 {
      for name in names {
        let run = Restoration(store, scene: name)
        try run.register(store.mainContext, as: root)
        try run.definePlain()
        try run.define(NodeKind<Row, EditorOfItem>("editor"), needs: .ownContext(childOf: .registered(root))) {
          EditorOfItem($1)
        }
        // The second one sets the archive of the first aside.
        let report = try await run.restore { _ in round != 2 }
        XCTAssertEqual(report.start, round == 1 ? .fresh : round == 2 ? .refused : .restored, name)
        XCTAssertEqual(run.scene, name)
        if round < 3 {
          try run.openPlain("round \(round) of \(names.firstIndex(of: name) ?? -1)")
          let editor = try run.open(NodeKind<Row, EditorOfItem>("editor"), id: "editor \(round)", state: Row())
          editor.context.insert(Item(name: "\(name) \(round)"))
        } else {
          let number = names.firstIndex(of: name) ?? -1
          XCTAssertEqual(report.entries.map(\.path.text), ["round 2 of \(number)", "editor 2"], name)
          let lost = try run.recoverableDrafts().flatMap(\.draft.preview).flatMap(\.properties)
          XCTAssertEqual(lost.filter { $0.name == "name" }.map(\.new), [.string("\(name) 1")], name)
        }
        run.end()
      }
      store = try await temporary.relaunch()
    }
    XCTAssertEqual(try Restoration.scenes(in: store).map(\.name), names.sorted())
    for (number, name) in names.enumerated() {
      let refused = try Restoration.refusedArchives(of: name, in: store)
      XCTAssertEqual(refused.map { $0.paths.first { $0.hasPrefix("round") } }, ["round 1 of \(number)"], name)
      let aside = try XCTUnwrap(refused.first).name
      XCTAssertEqual(aside, "//refused/1/\(name)")
      XCTAssertNotNil(try Restoration.archive(of: aside, in: store), aside)
      try Restoration.removeScene(aside, in: store)
      XCTAssertEqual(try Restoration.refusedArchives(of: name, in: store).count, 0, name)
    }
    XCTAssertEqual(try Restoration.scenes(in: store).count, names.count)
  }

  private final class EditorOfItem {
    let context: ChildContext
    init(_ context: ChildContext) { self.context = context }
  }

  func testASharedObjectIsInTheStoreOnceAndNoSceneOfItsOwn() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    func launch(_ store: Store, _ scene: String, _ note: Note) async throws -> Restoration {
      let run = Restoration(store, scene: scene)
      try run.register(note, as: Note.key)
      try run.define(NoteScreen.kind, needs: .registered(Note.key)) { NoteScreen($0, $1) }
      try await run.restore()
      return run
    }
    func texts(_ store: Store) throws -> [StateValue?] {
      try ["one", "two"].map { scene in
        let objects = try XCTUnwrap(try Restoration.archive(of: scene, in: store)).objects
        XCTAssertEqual(objects.map(\.key), ["note"])
        return objects.first?.state
      }
    }
    let note = Note("first")
    for scene in ["one", "two"] {
      let run = try await launch(temporary.store, scene, note)
      try run.open(NoteScreen.kind, id: "a", state: Row())
    }
    await Task { @MainActor in }.value
    note.text = "typed before the kill"
    for case let run as Restoration in SceneOwners.known(of: temporary.store)?.owners(in: MainActor.shared) ?? [] {
      run.invalidateState(of: note)
    }
    XCTAssertEqual(try Restoration.scenes(in: temporary.store).map(\.name), ["one", "two"])
    for isCheckpointed in [false, true] {
      let next = try await temporary.relaunch()
      if isCheckpointed { try await next.journals.checkpoint() }
      XCTAssertEqual(try next.scenes.archive(of: .scene("//objects")).nodes.nodes.count, 1)
      let states = try texts(next)
      XCTAssertEqual(states[0], states[1])
      XCTAssertEqual(try Restoration.scenes(in: next).map(\.name), ["one", "two"])
      let again = Note("fresh")
      let run = try await launch(next, isCheckpointed ? "two" : "one", again)
      XCTAssertEqual(again.text, "typed before the kill")
      run.end()
    }
    let last = try await temporary.relaunch()
    try Restoration.removeScene("one", in: last)
    XCTAssertEqual(try last.scenes.archive(of: .scene("//objects")).nodes.nodes.count, 1)
    try Restoration.removeScene("two", in: last)
    XCTAssertEqual(try last.scenes.archive(of: .scene("//objects")).nodes.nodes.count, 0)
  }
}

@MainActor private final class Holder {
  let node: RestorationNode<Row>
  let context: ChildContext
  init(_ node: RestorationNode<Row>, _ context: ChildContext) { (self.node, self.context) = (node, context) }
}
