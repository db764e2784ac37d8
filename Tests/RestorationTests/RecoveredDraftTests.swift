import RepriseCore
import RepriseEventStore
import RepriseTestModels
import RepriseTesting
import XCTest

/// What people are told of edits whose screen is gone.
@MainActor final class RecoveredDraftTests: XCTestCase {
  private struct Text: Codable, Sendable { var title: String }

  @MainActor private final class Editor {
    static let kind = NodeKind<Text, Editor>("editor", title: \.title)
    let node: RestorationNode<Text>
    let context: ChildContext
    init(_ node: RestorationNode<Text>, _ context: ChildContext) { (self.node, self.context) = (node, context) }
  }

  private let key: RestorationKey<RootContext> = "root"

  private func launch(
    _ archives: Store, _ store: Store, _ scene: String = "main", isThere: Bool = true
  ) async throws -> Restoration {
    let run = Restoration(archives, scene: scene)
    try run.register(store.mainContext, as: key)
    try run.define(Editor.kind, needs: .ownContext(childOf: .registered(key))) { isThere ? Editor($0, $1) : nil }
    try await run.restore()
    return run
  }

  @discardableResult
  private func type(_ run: Restoration, _ id: String) throws -> Editor {
    let editor = try run.open(Editor.kind, id: id, state: Text(title: "old"))
    editor.context.insert(Item(name: id))
    editor.node.state.title = "Letter to \(id)"
    return editor
  }

  func testADraftOfAClosedNodeHasItsKindAndItsTitleInLaterLaunches() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    do {
      let run = try await launch(temporary.store, temporary.store)
      try type(run, "Ada").node.close()
      let lost = try XCTUnwrap(try run.recoverableDrafts().first)
      XCTAssertEqual([lost.kind, lost.title, lost.path?.text, lost.scene], ["editor", "Letter to Ada", "Ada", "main"])
      // Another one at the path, as well.
      try type(run, "Ada").node.close()
      XCTAssertEqual(try run.recoverableDrafts().map(\.path?.text), ["Ada", "Ada"])
    }
    for _ in 1...2 {
      let store = try await temporary.relaunch()
      let run = try await launch(store, store)
      XCTAssertEqual(try run.recoverableDrafts().map(\.title), ["Letter to Ada", "Letter to Ada"])
      XCTAssertEqual(try run.recoverableDrafts().map(\.kind), ["editor", "editor"])
      try type(run, "more").node.close()
      try store.drafts.discard("more")
    }
  }

  func testATitleThatIsAWholeTextIsCut() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let run = try await launch(temporary.store, temporary.store)
    do {
      let editor = try type(run, "Ada")
      editor.node.state.title = String(repeating: "é", count: 10_000)
      editor.node.close()
    }
    XCTAssertEqual(try run.recoverableDrafts().map(\.title), [String(repeating: "é", count: 200)])
  }

  func testDraftsOfAllScenesAreListedWithoutRestoringAnyAndAfterTheirScenesAreGone() async throws {
    for separate in [false, true] {
      let items = try await TemporaryStore(for: Item.self, Person.self)
      let screens = separate ? try await TemporaryStore(for: Schema()) : items
      do {
        let main = try await launch(screens.store, items.store)
        try type(main, "open")
        let second = try await launch(screens.store, items.store, "second window")
        try type(second, "closed").node.close()
        let third = try await launch(screens.store, items.store, "third/window")
        try type(third, "a")
        XCTAssertEqual(
          try Restoration.recoverableDrafts(in: items.store, archives: screens.store).map(\.scene), ["second window"],
          "the others are in use")
      }
      let store = try await items.relaunch()
      let archives = separate ? try await screens.relaunch() : store
      try Restoration.removeScene("third/window", in: archives)
      let found = try Restoration.recoverableDrafts(in: store, archives: separate ? archives : nil)
      XCTAssertEqual(Set(found.map(\.scene)), ["main", "second window", "third/window"])
      func draft(_ scene: String) throws -> RecoverableDraft { try XCTUnwrap(found.first { $0.scene == scene }) }
      XCTAssertEqual(try draft("main").kind, "editor")
      XCTAssertEqual(try draft("main").state, ["title": "Letter to open"])
      XCTAssertEqual(try draft("second window").title, "Letter to closed")
      XCTAssertNil(try draft("second window").state)
      XCTAssertNil(try draft("third/window").kind)
      XCTAssertEqual(try draft("third/window").path?.text, "a")
    }
  }
}
