import RepriseCore
import RepriseEventStore
import RepriseTestModels
import RepriseTesting
import XCTest

/// Drafts in another store than the one with the archive are work as those in it are, whoever makes the context.
@MainActor final class OtherStoreDraftTests: XCTestCase {
  private enum Source {
    case registered, closed, factory, late, none
  }

  @MainActor private final class Editor {
    static let kind = NodeKind<Row, Editor>("editor")
    let node: RestorationNode<Row>
    let context: ChildContext
    init(_ node: RestorationNode<Row>, _ context: ChildContext) { (self.node, self.context) = (node, context) }
  }

  private let key: RestorationKey<RootContext> = "items"
  private var screens: TemporaryStore!
  private var items: TemporaryStore!

  override func setUp() async throws {
    screens = try await TemporaryStore(for: Schema())
    items = try await TemporaryStore(for: Item.self, Person.self)
  }

  /// The next launch, or the first one.
  private func launch(
    _ source: Source, isFirst: Bool = false, _ isThere: @escaping @MainActor (String) -> Bool = { _ in true }
  ) async throws -> Restoration {
    let run = Restoration(isFirst ? screens.store : try await screens.relaunch())
    let store = isFirst ? items.store : try await items.relaunch()
    run.unrestoredNodeRetention = UnrestoredNodeRetention(launches: 1)
    try run.definePlain { isThere($0.path.id) }
    try run.define(Editor.kind, needs: .ownContext(childOf: .registered(key))) { Editor($0, $1) }
    switch source {
    case .registered: try run.register(store.mainContext, as: key)
    case .closed:
      let other = try await TemporaryStore(for: Item.self, Person.self)
      try run.register(other.store.mainContext, as: key)
      try await other.store.close()
    case .factory:
      try run.define(object: key, initial: 0) { (_: RestorationNode<Int>) in store.mainContext }
    case .late:
      try run.register(late: key) {
        try await Task.sleep(for: .seconds(3_600))
        return store.mainContext
      }
    case .none: break
    }
    try await run.restore()
    return run
  }

  func testWorkInAStoreThatAFactoryMakesIsNeverDroppedWithItsNode() async throws {
    let first = try await launch(.factory, isFirst: true)
    try first.openPlain("other")
    try first.openPlain("shell")
    let editor = try first.open(Editor.kind, id: "editor", under: .of("shell"), state: Row())
    editor.context.insert(Item(name: "work"))
    for row in 1...4 {
      let run = try await launch(.factory) { $0 != "shell" }
      XCTAssertEqual(run.report?.dropped, [])
      XCTAssertEqual(run.report?.orphanedDrafts, ["shell/editor"])
      XCTAssertEqual(try run.recoverableDrafts().map(\.path?.text), ["shell/editor"])
      try run.screen(PlainScreen.kind, at: .of("other"))?.node.state.row = row
      try await run.flush()
    }
  }

  func testWorkBelowANodeIsNotDroppedBeforeItsStoreIsThere() async throws {
    let first = try await launch(.registered, isFirst: true)
    try first.openPlain("other")
    try first.openPlain("shell")
    let editor = try first.open(Editor.kind, id: "editor", under: .of("shell"), state: Row())
    editor.context.insert(Item(name: "work"))
    for (row, source) in [Source.late, .none, .late, .none, .closed, .closed].enumerated() {
      let run = try await launch(source) { $0 != "shell" }
      XCTAssertEqual(run.report?.dropped, [])
      try run.screen(PlainScreen.kind, at: .of("other"))?.node.state.row = 100 + row
      try await run.flush()
    }
    let run = try await launch(.registered)
    XCTAssertEqual(try run.screen(Editor.kind, at: .of("shell/editor"))?.context.hasChanges, true)
  }

  func testWhereAClosedNodeLeftADraftIsKnownThoughItsStoreCameLateMeanwhile() async throws {
    let first = try await launch(.registered, isFirst: true)
    try first.openPlain("other")
    let editor = try first.open(Editor.kind, id: "editor", state: Row())
    editor.context.insert(Item(name: "work"))
    try editor.node.move(id: "moved", under: nil)
    editor.node.close()
    for (row, source) in [Source.late, .none, .closed, .factory, .late].enumerated() {
      let run = try await launch(source)
      XCTAssertEqual(run.report?.unread, 0)
      try run.screen(PlainScreen.kind, at: .of("other"))?.node.state.row = 100 + row
      try await run.flush()
    }
    let run = try await launch(.registered)
    XCTAssertEqual(try run.recoverableDrafts().map(\.path?.text), ["moved"])
    let again = try run.open(Editor.kind, id: "moved", state: Row(), resumingDraft: true)
    XCTAssertEqual(try again.context.fetch(Fetch<Item>()).map(\.name), ["work"])
    again.context.discard()
    again.node.close()
    try await run.flush()
    let last = try await launch(.registered)
    XCTAssertEqual(try last.recoverableDrafts(), [])
  }
}
