import RepriseCore
import RepriseTestModels
import RepriseTesting
import XCTest

/// Nodes that a placeholder made are made again when what it stood in for comes.
final class PlaceholderTests: RestorationTestCase {
  private struct Offline: Error {}

  private let gate = Gate()
  private let clock = Clock()
  private var replaced: [String] = []

  private func makeRun() -> Restoration {
    let clock = clock
    let run = Restoration(storage: storage, sleep: { await clock.sleep($0) })
    run.onReplacement = { [unowned self] path, former, now in
      replaced.append("\(path) \(now == nil ? "gone" : now === former ? "same" : "new")")
    }
    return run
  }

  /// A launch in which the shelf is overdue.
  private func overdueLaunch(_ define: (Restoration) throws -> Void = { _ in }) async throws -> Restoration {
    let (gate, run) = (gate, makeRun())
    try run.register(late: Keys.shelf, within: .seconds(5), placeholder: Shelf("placeholder")) {
      try await gate.value()
    }
    try run.define(ListScreen.kind, needs: .registered(Keys.shelf)) { ListScreen($0, $1) }
    try run.definePlain()
    try define(run)
    try await run.restore()
    await clock.advance(.seconds(5))
    // On a busy machine who slept comes later than that.
    while run.lateObjects.contains(where: { $0.stage == .pending }) { await Task.yield() }
    return run
  }

  private func arrive(_ result: Result<Shelf, any Error> = .success(Shelf("late"))) async {
    gate.open(result)
    for _ in 0..<20 { await Task.yield() }
  }

  private func list(_ run: Restoration, _ path: String = "list") throws -> ListScreen {
    try XCTUnwrap(try run.screen(ListScreen.kind, at: .of(path)))
  }

  func testWhatTheUserDidInThePlaceholdersScreenIsInTheRealOne() async throws {
    let run = try await overdueLaunch()
    try run.open(ListScreen.kind, id: "list", state: Row())
    try run.openPlain("list/detail", 1)
    try run.openPlain("other", 2)
    let (former, other) = (try list(run), try run.screen(PlainScreen.kind, at: .of("other")))
    former.node.state.row = 7
    try run.screen(PlainScreen.kind, at: .of("list/detail"))?.node.state.row = 8
    await arrive()
    XCTAssertEqual(replaced, ["list new", "list/detail new"])
    let now = try list(run)
    XCTAssertEqual(now.shelf.name, "late")
    XCTAssertEqual(now.node.state.row, 7)
    XCTAssertEqual(try run.screen(PlainScreen.kind, at: .of("list/detail"))?.node.state.row, 8)
    XCTAssertTrue(try run.screen(PlainScreen.kind, at: .of("other")) === other, "it has nothing to do with it")
    XCTAssertTrue(former.node.isClosed)
    XCTAssertEqual(run.lateObjects, [])
    now.node.state.row = 9
    try run.save()
    run.end()
    let again = restoration()
    try again.register(Shelf("next"), as: Keys.shelf)
    try again.define(ListScreen.kind, needs: .registered(Keys.shelf)) { ListScreen($0, $1) }
    try again.definePlain()
    try await again.restore()
    XCTAssertEqual(try list(again).node.state.row, 9)
    XCTAssertEqual(again.report?.outcome("list/detail"), .restored)
  }

  func testNothingIsWrittenTwiceAndNothingElseIsMade() async throws {
    var made: [String] = []
    let run = try await overdueLaunch()
    try run.open(ListScreen.kind, id: "list", state: Row(row: 3))
    try run.save()
    let before = storage.nodes
    await arrive()
    made.append(try list(run).shelf.name)
    await endOfTurn()
    XCTAssertEqual(made, ["late"])
    XCTAssertEqual(storage.nodes, before)
  }

  func testAFactoryMayGiveTheRealThingToTheScreenThatIsThere() async throws {
    @MainActor final class Table {
      static let kind = NodeKind<Row, Table>("table")
      var shelf: Shelf
      init(_ shelf: Shelf) { self.shelf = shelf }
    }
    var shown: Table?
    let run = try await overdueLaunch { run in
      try run.define(Table.kind, needs: .registered(Keys.shelf)) { _, shelf in
        shown?.shelf = shelf
        let table = shown ?? Table(shelf)
        shown = table
        return table
      }
    }
    let table = try run.open(Table.kind, id: "table", state: Row())
    XCTAssertEqual(table.shelf.name, "placeholder")
    await arrive()
    XCTAssertEqual(table.shelf.name, "late")
    XCTAssertEqual(replaced, ["table same"])
  }

  func testAnObjectThatAFactoryMadeWithThePlaceholderIsMadeAgainWithItsState() async throws {
    @MainActor final class Search {
      static let key: RestorationKey<Search> = "search"
      let node: RestorationNode<Row>
      let shelf: Shelf
      init(_ node: RestorationNode<Row>, _ shelf: Shelf) { (self.node, self.shelf) = (node, shelf) }
    }
    @MainActor final class SearchScreen {
      static let kind = NodeKind<Row, SearchScreen>("search")
      let search: Search
      init(_ search: Search) { self.search = search }
    }
    let run = try await overdueLaunch { run in
      try run.define(object: Search.key, initial: Row(), needs: .registered(Keys.shelf)) { Search($0, $1) }
      try run.define(SearchScreen.kind, needs: .registered(Search.key)) { _, search in SearchScreen(search) }
    }
    let former = try run.open(SearchScreen.kind, id: "search", state: Row()).search
    XCTAssertEqual(former.shelf.name, "placeholder")
    former.node.state.row = 4
    await arrive()
    let now = try XCTUnwrap(try run.screen(SearchScreen.kind, at: .of("search"))).search
    XCTAssertEqual(now.shelf.name, "late")
    XCTAssertEqual(now.node.state.row, 4)
    now.node.state.row = 5
    try run.save()
    XCTAssertEqual(replaced, ["search new"])
  }

  func testATwoPhaseScreenTakesUpTheStateThatTheFormerOneHas() async throws {
    let run = try await overdueLaunch { try $0.define(twoPhase: "field") { _, _ in Field() } }
    let former: Field = try run.open("field", id: "field")
    former.text = "typed"
    try run.save()
    await arrive()
    let now: Field = try XCTUnwrap(try run.screen(at: .of("field")))
    XCTAssertEqual([now.text, now.shelf?.name, "\(now.finished)"], ["typed", "late", "1"])
    XCTAssertFalse(now === former)
  }

  func testARealThingThatIsRegisteredWithinAHandoverLosesNothingSinceTheLastSave() async throws {
    let run = try await overdueLaunch { try $0.define(twoPhase: "field") { _, _ in Field() } }
    try run.open(ListScreen.kind, id: "list", state: Row())
    let former: Field = try run.open("field", id: "field")
    try run.save()
    await endOfTurn()
    try list(run).node.state.row = 7
    former.text = "typed"
    try run.handOver {
      try run.register(Shelf("real"), as: Keys.shelf)
      run.unregister(Keys.shelf)
    }
    XCTAssertEqual(Set(replaced), ["list new", "field new"])
    XCTAssertEqual([try list(run).shelf.name, "\(try list(run).node.state.row)"], ["real", "7"])
    let now: Field = try XCTUnwrap(try run.screen(at: .of("field")))
    XCTAssertEqual([now.text, now.shelf?.name], ["typed", "real"])
    await endOfTurn()
    let again = restoration()
    try again.register(Shelf("next"), as: Keys.shelf)
    try again.define(ListScreen.kind, needs: .registered(Keys.shelf)) { ListScreen($0, $1) }
    try again.define(twoPhase: "field") { _, _ in Field() }
    try await again.restore()
    XCTAssertEqual(try list(again).node.state.row, 7)
    let field: Field = try XCTUnwrap(try again.screen(at: .of("field")))
    XCTAssertEqual(field.text, "typed")
    withExtendedLifetime(run) {}
  }

  func testWhatCannotBeMadeWithTheRealThingKeepsItsStateAndIsTold() async throws {
    let run = try await overdueLaunch { run in
      try run.defineStrict { shelf in
        if shelf.name == "late" { throw Offline() }
      }
    }
    try run.open(PlainScreen.strict, id: "strict", state: Row()).node.state.row = 6
    await arrive()
    XCTAssertEqual(replaced, ["strict gone"])
    XCTAssertNil(try run.screen(PlainScreen.strict, at: .of("strict")))
    try run.save()
    XCTAssertNotNil(storage.nodes["strict"])
    run.end()
    let again = restoration()
    try again.register(Shelf("next"), as: Keys.shelf)
    try again.defineStrict { _ in }
    try await again.restore()
    XCTAssertEqual(try again.screen(PlainScreen.strict, at: .of("strict"))?.node.state.row, 6)
  }

  func testWhatFailedAfterAllMayBeRegisteredAndReplacesThePlaceholder() async throws {
    let run = try await overdueLaunch()
    try run.open(ListScreen.kind, id: "list", state: Row(row: 3))
    await arrive(.failure(Offline()))
    XCTAssertEqual(try list(run).shelf.name, "placeholder")
    XCTAssertEqual(replaced, [])
    try run.register(Shelf("by hand"), as: Keys.shelf)
    XCTAssertEqual(try list(run).shelf.name, "by hand")
    XCTAssertEqual(try list(run).node.state.row, 3)
    XCTAssertThrowsError(try run.register(Shelf("another"), as: Keys.shelf))
  }

  func testATabThatIsNotVisibleAnyMoreIsMadeAgainAndADeferredOneIsNot() async throws {
    let run = try await overdueLaunch()
    try run.openPlain("tabs")
    for id in ["a", "b"] { try run.open(ListScreen.kind, id: id, under: .of("tabs"), state: Row()) }
    try run.select("a", at: .of("tabs"))
    try run.save()
    run.end()
    let again = try await overdueLaunch()
    XCTAssertEqual(again.report?.outcome("tabs/b"), .deferred)
    _ = try list(again, "tabs/a")
    try again.select("b", at: .of("tabs"))
    gate.open(.success(Shelf("late")))
    for _ in 0..<20 { await Task.yield() }
    XCTAssertEqual(replaced, ["tabs/a new"])
    XCTAssertEqual(again.report?.outcome("tabs/b"), .deferred)
    XCTAssertEqual(try list(again, "tabs/b").shelf.name, "late")
  }

  /// The edits of an editor are in its own context, which the new screen has as well.
  func testUncommittedEditsAndTheirUndoStepsAreInTheNewScreensContext() async throws {
    @MainActor final class Editor {
      static let kind = NodeKind<Item.ID, Editor>("editor")
      let item: Item
      let editing: ChildContext
      let shelf: Shelf
      init(_ node: RestorationNode<Item.ID>, _ editing: ChildContext, _ shelf: Shelf) throws {
        (self.editing, self.shelf) = (editing, shelf)
        item = try editing.object(node.state)
      }
    }
    let root: RestorationKey<RootContext> = "root"
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let context = temporary.store.mainContext
    let chair = context.insert(Item(name: "Chair"))
    try await context.save()
    let gate = gate
    let run = Restoration(temporary.store)
    try run.register(context, as: root)
    try run.register(late: Keys.shelf, within: .milliseconds(1), placeholder: Shelf("placeholder")) {
      try await gate.value()
    }
    try run.define(Editor.kind, needs: .ownContext(childOf: .registered(root)), .registered(Keys.shelf)) {
      try Editor($0, $1, $2)
    }
    try await run.restore()
    while run.lateObjects.first?.stage != .overdue { await Task.yield() }
    do {
      let editor = try run.open(Editor.kind, id: "editor", state: chair.id)
      editor.item.name = "Green chair"
    }
    await arrive()
    let editor = try XCTUnwrap(try run.screen(Editor.kind, at: .of("editor")))
    XCTAssertEqual(editor.shelf.name, "late")
    XCTAssertEqual(editor.item.name, "Green chair")
    editor.editing.undo()
    XCTAssertEqual(editor.item.name, "Chair")
    editor.editing.redo()
    XCTAssertEqual(try temporary.store.drafts.all().filter { $0.id != "main" }.map(\.id), ["editor"])
  }
}

/// A two-phase screen with a text and the shelf.
private final class Field: @MainActor RestorableScreen {
  var text = ""
  var shelf: Shelf?
  var finished = 0
  func encodeRestorableState(with coder: RestorationEncoder) {
    coder.encode(text, forKey: "text")
    coder.encodeReference(to: Keys.shelf, forKey: "shelf")
  }
  func decodeRestorableState(with coder: RestorationDecoder) throws {
    text = try coder.decode(String.self, forKey: "text") ?? ""
    shelf = coder.decodeObject(forKey: "shelf") as? Shelf
  }
  func restorationFinished() { finished += 1 }
}

extension PlainScreen {
  fileprivate static let strict = NodeKind<Row, PlainScreen>("strict")
}

@MainActor extension Restoration {
  /// A kind whose factory looks at the shelf.
  fileprivate func defineStrict(_ look: @escaping @MainActor (Shelf) throws -> Void) throws {
    try define(PlainScreen.strict, needs: .registered(Keys.shelf)) { node, shelf in
      try look(shelf)
      return PlainScreen(node)
    }
  }
}
