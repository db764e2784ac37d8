import RepriseCore
import RepriseRestoration
import RepriseTestModels
import RepriseTesting
import XCTest

/// An archive that ends one launch after the other is set aside, though no node can be blamed, and no edit is lost.
final class PlainStartTests: RestorationTestCase {
  private enum Death: Error { case died }

  /// A launch that dies where nothing is watched: while it asks the program.
  private func die(appVersion: String = "1.0") async throws {
    let run = Restoration(storage: storage, appVersion: appVersion)
    try run.definePlain()
    var note: [UInt8]?
    let before = storage.scenes
    try await run.restore { [storage] _ in
      note = storage.notes["main"]?.read()
      return true
    }
    storage.notes["main"]?.write(try XCTUnwrap(note, "it was not asked"))
    storage.scenes = before
  }

  func testAnArchiveThatEndsFourLaunchesIsSetAsideAndTheNextStartsPlainly() async throws {
    try await leave(["a", "a/b"])
    let before = storage.records
    for _ in 1...4 { try await die() }
    let run = restoration()
    try run.definePlain { _ in
      XCTFail("something was made")
      return true
    }
    let report = try await run.restore { _ in
      XCTFail("the program was asked")
      return true
    }
    XCTAssertEqual(report.start, .quarantined)
    XCTAssertEqual(report.entries, [])
    XCTAssertEqual(report.lastExit, .crashedWhileRestoring)
    XCTAssertEqual(report.archive?.nodeCount, 2)
    XCTAssertTrue(report.description.contains("set aside"), report.description)
    // At once: whatever happens to this launch, the next one is not ended by it.
    XCTAssertEqual(storage.scenes["main#refused"], before)
    XCTAssertEqual(storage.nodes, [:])
    let next = restoration()
    try next.definePlain()
    let second = try await next.restore()
    XCTAssertEqual(second.start, .fresh)
    next.end()
    // It can be looked at, and restored after all, as any that was set aside.
    let former = Restoration(storage: storage, scene: "//refused/1/main")
    try former.definePlain()
    let third = try await former.restore()
    XCTAssertEqual(third.entries.map(\.outcome), [.restored, .restored])
  }

  func testALaunchThatComesThroughOrIsOfAnotherVersionStartsTheCountAnew() async throws {
    try await leave(["a"])
    for _ in 1...3 { try await die() }
    var run = restoration()
    try run.definePlain()
    let third = try await run.restore()
    XCTAssertEqual(third.start, .restored)
    // What ends it later, as somebody asks for more, is the first again.
    try run.openPlain("b")
    try run.select("a", at: nil)
    try run.save()
    await endOfTurn()
    for _ in 1...3 { try await die() }
    var note: [UInt8]?
    run = restoration()
    try run.definePlain { [storage] node in
      if node.path.id == "b" { note = storage.notes["main"]?.read() }
      return true
    }
    try await run.restore()
    XCTAssertNotNil(try run.screen(PlainScreen.kind, at: .of("b")))
    storage.notes["main"]?.write(try XCTUnwrap(note))
    for _ in 1...2 { try await die() }
    run = restoration()
    try run.definePlain()
    let fourth = try await run.restore()
    XCTAssertEqual(fourth.start, .restored, "after three in a row, and not six")
    // The version that died is another one.
    for _ in 1...4 { try await die(appVersion: "1.1") }
    run = Restoration(storage: storage, appVersion: "1.2")
    try run.definePlain()
    let other = try await run.restore()
    XCTAssertEqual(other.start, .restored)
  }

  func testNodesKnownToEndLaunchesAreLeftOutBeforeTheArchiveIs() async throws {
    try await leave(["a", "b"])
    func launch(dyingAt deadly: String?) async throws -> RestorationReport {
      var note: [UInt8]?
      let before = storage.scenes
      let run = restoration()
      try run.definePlain { [storage] node in
        if node.path.text == deadly { note = storage.notes["main"]?.read() }
        return true
      }
      let report = try await run.restore()
      if let note {
        storage.notes["main"]?.write(note)
        storage.scenes = before
      }
      return report
    }
    for _ in 1...2 { _ = try await launch(dyingAt: "a") }
    let third = try await launch(dyingAt: "b")
    XCTAssertEqual(third.start, .restored)
    let fourth = try await launch(dyingAt: nil)
    XCTAssertEqual(fourth.start, .restored)
    XCTAssertEqual(fourth.entries.count { if case .quarantined = $0.outcome { true } else { false } }, 2)
  }

  func testAPlainStartListsTheEditsOfAllNodesAndDeletesNone() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let root: RestorationKey<RootContext> = "root"
    final class Editor {
      let context: ChildContext
      init(_ context: ChildContext) { self.context = context }
    }
    let kind = NodeKind<Row, Editor>("editor")
    func define(_ store: Store) throws -> Restoration {
      let run = Restoration(store, appVersion: "1.0")
      try run.register(store.mainContext, as: root)
      try run.define(kind, needs: .ownContext(childOf: .registered(root))) { Editor($1) }
      return run
    }
    var store = temporary.store
    do {
      let run = try define(store)
      try await run.restore()
      for id in ["one", "two"] {
        try run.open(kind, id: id, state: Row()).context.insert(Item(name: "typed in \(id)"))
      }
      try await run.flush()
    }
    for _ in 1...4 {
      store = try await temporary.relaunch()
      let file = SceneNote.launch(of: "main", at: store.path)
      var note: [UInt8]?
      try await define(store).restore { _ in
        note = file.read()
        return true
      }
      file.write(try XCTUnwrap(note))
    }
    store = try await temporary.relaunch()
    let run = try define(store)
    let report = try await run.restore()
    XCTAssertEqual(report.start, .quarantined)
    XCTAssertEqual(Set(try run.recoverableDrafts().map(\.draft.id)), ["one", "two"])
    let screen = try run.open(kind, id: "one", state: Row(), draft: "one")
    XCTAssertEqual(try screen.context.fetch(Fetch<Item>()).map(\.name), ["typed in one"])
    XCTAssertEqual(try run.recoverableDrafts().map(\.draft.id), ["two"])
    XCTAssertEqual(try Restoration.refusedArchives(of: "main", in: store).map(\.paths), [["one", "two"]])
  }
}
