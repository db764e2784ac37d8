import RepriseCore
import RepriseTestModels
import RepriseTestSeeds
import RepriseTesting
import XCTest

/// Several scenes of a store, with launches in between, against a plain model: nodes opened, typed in, moved,
/// reordered, shown, handed over and closed; scenes left, taken over, looked at and removed. No typing is ever lost.
@MainActor final class SceneRandomTests: XCTestCase {
  private static let root: RestorationKey<RootContext> = "root"
  private static let editor = NodeKind<Row, Editor>("editor")

  private final class Editor {
    let node: RestorationNode<Row>
    let context: ChildContext
    init(_ node: RestorationNode<Row>, _ context: ChildContext) { (self.node, self.context) = (node, context) }

    func type(_ text: String) throws {
      if let item = try context.fetch(Fetch<Item>()).first {
        item.name = text
      } else {
        context.insert(Item(name: text))
      }
    }
  }

  /// A node as it should be; a scene is the one above its roots.
  private final class Model {
    var id: String
    var row = 0
    /// What is typed in it, if it is an editor.
    var typed: String?
    var shown: [String] = []
    var children: [Model] = []
    weak var parent: Model?

    init(_ id: String = "") { self.id = id }

    var path: NodePath? { parent.map { $0.path.map { .of($0.text + "/" + id) } ?? .of(id) } ?? nil }
    var depth: Int { parent.map { $0.depth + 1 } ?? 0 }
    var all: [Model] { children.flatMap { [$0] + $0.all } }
    var text: String { "\(id):\(row)'\(typed ?? "-")'\(shown)[\(children.map(\.text).joined())]" }

    func isWithin(_ other: Model) -> Bool { self === other || parent.map { $0.isWithin(other) } ?? false }

    func insert(_ child: Model) {
      children.append(child)
      child.parent = self
    }

    func leave() { parent?.children.removeAll { $0 === self } }
  }

  private struct Window {
    var top = Model()
    var run: Restoration?
  }

  /// One test: a store, its scenes, and what was typed in nodes that are gone.
  @MainActor private final class Desk {
    static let names = ["main", "one", "two"]
    let temporary: TemporaryStore
    var store: Store
    var windows = Dictionary(uniqueKeysWithValues: names.map { ($0, Window()) })
    var left: Set<String> = []
    var numbers: RepriseTestSeeds.SeededGenerator
    var count = 0

    init(_ seed: UInt64) async throws {
      temporary = try await TemporaryStore(for: Item.self, Person.self)
      store = temporary.store
      numbers = RepriseTestSeeds.SeededGenerator(seed: seed)
    }

    func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &numbers) == 0 }
    func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &numbers) }

    func next() -> Int {
      count += 1
      return count
    }

    // MARK: Launches

    func define(_ run: Restoration) throws {
      try run.register(store.mainContext, as: SceneRandomTests.root)
      try run.definePlain()
      try run.define(SceneRandomTests.editor, needs: .ownContext(childOf: .registered(SceneRandomTests.root))) {
        Editor($0, $1)
      }
    }

    func launch(_ name: String, _ conflict: SceneConflictPolicy = .refuse) async throws -> Restoration {
      let run = Restoration(store, scene: name)
      run.sceneConflictPolicy = conflict
      run.onTakeover = {}
      try define(run)
      let report = try await run.restore()
      for entry in report.entries where entry.outcome != .restored && entry.outcome != .deferred {
        XCTFail("\(name): \(entry)")
      }
      XCTAssertEqual(report.orphanedDrafts, [], name)
      windows[name]?.run = run
      return run
    }

    func run(_ name: String) async throws -> Restoration {
      if let run = windows[name]?.run { return run }
      return try await launch(name)
    }

    /// As the process was killed after its last turn.
    func relaunch() async throws {
      if chance(2) { try await store.journals.checkpoint() }
      for name in Self.names { windows[name]?.run = nil }
      store = try await temporary.relaunch()
    }

    // MARK: What there is

    func text(_ run: Restoration) throws -> String {
      "\(try run.visibleChildren(of: nil)) \(try text(nil, run))"
    }

    private func text(_ parent: NodePath?, _ run: Restoration) throws -> String {
      try run.children(of: parent).map { path in
        var (row, typed): (Int?, String) = (nil, "-")
        if let plain = try run.screen(PlainScreen.kind, at: path) { row = plain.node.state.row }
        if let editor = try run.screen(SceneRandomTests.editor, at: path) {
          row = editor.node.state.row
          typed = try editor.context.fetch(Fetch<Item>()).first?.name ?? "nothing"
        }
        let shown = try run.visibleChildren(of: path)
        return "\(path.id):\(row.map(String.init) ?? "?")'\(typed)'\(shown)[\(try text(path, run))]"
      }.joined()
    }

    func check(_ name: String, _ place: String) async throws {
      let top = try XCTUnwrap(windows[name]).top
      let expected = "\(top.shown) \(top.children.map(\.text).joined())"
      let found = try text(await run(name))
      XCTAssertEqual(found, expected, "\(place), \(name)")
    }

    /// When nobody has a scene any more, every draft has what was typed in it.
    func checkDrafts(_ place: String) throws {
      var expected = left
      for window in windows.values { expected.formUnion(window.top.all.compactMap(\.typed)) }
      let drafts = try store.drafts.all().filter { $0.id != "main" && !$0.objects.isEmpty }
      XCTAssertEqual(drafts.map(\.id).count, expected.count, place)
      let found = try drafts.map { try store.mainContext.makeChild(draft: $0.id).fetch(Fetch<Item>()).map(\.name) }
      XCTAssertEqual(Set(found.joined()), expected, place)
    }
  }

  // MARK: Steps

  private func step(_ desk: Desk, _ place: String) async throws {
    guard let name = desk.pick(Desk.names) else { return }
    switch Int.random(in: 0..<30, using: &desk.numbers) {
    case 0..<22: try change(desk, name, try await desk.run(name))
    case 22:
      desk.windows[name]?.run?.end()
      desk.windows[name]?.run = nil
    case 23:
      // Taken over from whoever has it.
      let former = desk.windows[name]?.run
      let run = try await desk.launch(name, .takeOver)
      if let former, former !== run { XCTAssertThrowsError(try former.children(of: nil), place) }
    case 24: try await look(desk, name, place)
    case 25: try remove(desk, name, place)
    case 26: try await desk.run(name).flush()
    case 27: try await desk.relaunch()
    default: try await desk.check(name, place)
    }
    // The end of the turn.
    await Task { @MainActor in }.value
  }

  private func look(_ desk: Desk, _ name: String, _ place: String) async throws {
    guard let owner = desk.windows[name]?.run, let top = desk.windows[name]?.top else { return }
    try await owner.flush()
    let reader = Restoration(desk.store, scene: name)
    reader.sceneConflictPolicy = .readOnly
    try reader.definePlain()
    try reader.define(NodeKind<Row, PlainScreen>("editor")) { PlainScreen($0) }
    try await reader.restore()
    XCTAssertTrue(reader.isReadOnly, place)
    XCTAssertEqual(try reader.children(of: nil).map(\.id), top.children.map(\.id), place)
    for path in try reader.children(of: nil) {
      if desk.chance(2) { try reader.close(at: path) }
    }
    try reader.openPlain("of the reader")
    try await reader.flush()
    reader.end()
  }

  private func remove(_ desk: Desk, _ name: String, _ place: String) throws {
    if let run = desk.windows[name]?.run {
      XCTAssertThrowsError(try Restoration.removeScene(name, in: desk.store), place)
      run.end()
      desk.windows[name]?.run = nil
    }
    try Restoration.removeScene(name, in: desk.store)
    XCTAssertNil(try Restoration.archive(of: name, in: desk.store), place)
    desk.left.formUnion(desk.windows[name]?.top.all.compactMap(\.typed) ?? [])
    desk.windows[name]?.top = Model()
  }

  private func change(_ desk: Desk, _ name: String, _ run: Restoration) throws {
    guard let top = desk.windows[name]?.top else { return }
    let any = desk.pick(top.all)
    let other = desk.pick([top] + top.all) ?? top
    switch Int.random(in: 0..<14, using: &desk.numbers) {
    case 0..<4: if other.depth < 4 { try open(desk, below: other, run) }
    case 4, 5: if let any { try type(desk, any, run) }
    case 6:
      guard let any, desk.chance(2), let path = any.path else { return }
      desk.left.formUnion(([any] + any.all).compactMap(\.typed))
      try run.close(at: path)
      any.leave()
    case 7:
      guard let any, let path = any.path, let parent = any.parent else { return }
      let index = Int.random(in: 0..<parent.children.count, using: &desk.numbers)
      try run.move(at: path, to: index)
      any.leave()
      parent.children.insert(any, at: index)
    case 8:
      guard let any, let path = any.path, !other.isWithin(any), other !== any.parent, other.depth < 4 else { return }
      let id = "m\(desk.next())"
      try run.move(at: path, id: id, under: other.path)
      any.leave()
      any.id = id
      other.insert(any)
    case 9, 10:
      let ids = other.children.shuffled(using: &desk.numbers).prefix(Int.random(in: 0...3, using: &desk.numbers))
      other.shown = ids.map(\.id)
      try run.setVisibleChildren(other.shown, of: other.path)
    case 11, 12: if let any, other !== top { try changePlaces(any, other, run) }
    default: if let any { try handOverInVain(desk, any, run) }
    }
  }

  private func open(_ desk: Desk, below parent: Model, _ run: Restoration) throws {
    let model = Model("n\(desk.next())")
    model.row = desk.count
    if desk.chance(2) {
      try run.open(PlainScreen.kind, id: model.id, under: parent.path, state: Row(row: model.row))
    } else {
      model.typed = "typed \(desk.next())"
      let editor = try run.open(Self.editor, id: model.id, under: parent.path, state: Row(row: model.row))
      XCTAssertFalse(editor.context.hasChanges)
      try editor.type(model.typed ?? "")
    }
    parent.insert(model)
  }

  private func type(_ desk: Desk, _ model: Model, _ run: Restoration) throws {
    guard let path = model.path else { return }
    model.row = desk.next()
    if model.typed == nil { return try XCTUnwrap(run.screen(PlainScreen.kind, at: path)).node.state.row = model.row }
    model.typed = "typed \(desk.next())"
    let editor = try XCTUnwrap(try run.screen(Self.editor, at: path))
    editor.node.state.row = model.row
    try editor.type(model.typed ?? "")
  }

  /// What a node shows after a handover: who stays under its new name, who left is followed by whoever has its name.
  private func rename(_ parents: [Model], _ body: () -> Void) {
    let shown = parents.map { parent in
      parent.shown.map { id in (id, parent.children.first { $0.id == id }) }
    }
    body()
    for (parent, children) in zip(parents, shown) {
      parent.shown = children.map { id, child in child.map { $0.parent === parent ? $0.id : id } ?? id }
    }
  }

  private func changePlaces(_ one: Model, _ other: Model, _ run: Restoration) throws {
    guard !one.isWithin(other), !other.isWithin(one), let path = one.path, let otherPath = other.path,
      let parent = one.parent, let otherParent = other.parent
    else { return }
    // Both are made: the path that is handed over names the new one.
    let (node, otherNode) = (try node(one, run), try node(other, run))
    try run.handOver {
      try node(otherPath)
      try otherNode(path)
    }
    rename(parent === otherParent ? [parent] : [parent, otherParent]) {
      (one.id, other.id) = (other.id, one.id)
      if parent === otherParent { return }
      one.leave()
      otherParent.insert(one)
      other.leave()
      parent.insert(other)
    }
  }

  private func node(_ model: Model, _ run: Restoration) throws -> (NodePath) throws -> Void {
    let path = try XCTUnwrap(model.path)
    if model.typed == nil {
      let node = try XCTUnwrap(try run.screen(PlainScreen.kind, at: path)).node
      return { try node.move(id: $0.id, under: $0.parent) }
    }
    let node = try XCTUnwrap(try run.screen(Self.editor, at: path)).node
    return { try node.move(id: $0.id, under: $0.parent) }
  }

  private func handOverInVain(_ desk: Desk, _ model: Model, _ run: Restoration) throws {
    guard let path = model.path else { return }
    struct Abandoned: Error {}
    // One that is deferred would not have to leave.
    _ = try node(model, run)
    let isThrown = desk.chance(2)
    XCTAssertThrowsError(
      try run.handOver {
        try run.open(PlainScreen.kind, id: path.id, under: path.parent, state: Row(row: -1))
        if isThrown { throw Abandoned() }
      }
    ) { error in
      if isThrown { XCTAssertTrue(error is Abandoned, "\(error)") }
    }
  }

  func testRandomScenesAreWhatAPlainModelSaysAndNoTypingIsLost() async throws {
    for seed in testSeeds(12) {
      let desk = try await Desk(seed)
      for step in 0..<150 {
        try await self.step(desk, "seed \(seed), step \(step)")
        if testRun?.totalFailureCount ?? 0 > 0 { return }
      }
      for name in Desk.names { try await desk.check(name, "seed \(seed), at the end") }
      try await desk.relaunch()
      try desk.checkDrafts("seed \(seed)")
    }
  }
}
