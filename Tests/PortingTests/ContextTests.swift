import Foundation
import Reprise
import RepriseTestModels
import RepriseTesting
import XCTest

/// Managed object contexts against state restoration: what cannot be archived is made again, with its ancestry.
final class ContextTests: PortingTestCase {
  struct ListState: Codable, Sendable {
    var fetch = Fetch<Item>()
  }

  struct EditorState: Codable, Sendable {
    var item: Item.ID
  }

  @MainActor final class ListController {
    static let kind = NodeKind<ListState, ListController>("List")
    let node: RestorationNode<ListState>
    let list: FetchedList<Item>
    init(_ node: RestorationNode<ListState>, _ context: EditingContext) throws {
      self.node = node
      list = try FetchedList(node.state.fetch, in: context)
    }
  }

  @MainActor final class Editor {
    static let kind = NodeKind<EditorState, Editor>("Editor")
    let node: RestorationNode<EditorState>
    let context: ChildContext
    let item: Item
    init(_ node: RestorationNode<EditorState>, _ context: ChildContext) throws {
      (self.node, self.context) = (node, context)
      item = try context.object(node.state.item)
    }
  }

  private func define(_ restoration: Restoration) throws {
    // The nearest context up the chain; at its end, the application delegate's.
    try restoration.define(ListController.kind, needs: .nearestContext(orRegistered: Keys.context)) { node, context in
      try ListController(node, context)
    }
    // Each screen makes a child of its own.
    try restoration.define(
      Editor.kind, needs: .ownContext(childOf: .nearestAncestorNode(orRegistered: Keys.context))
    ) { node, context in try Editor(node, context) }
  }

  private func launch(_ store: Store) async throws -> Restoration {
    let restoration = Restoration(store)
    try restoration.register(store.mainContext, as: Keys.context)
    try define(restoration)
    try await restoration.restore()
    return restoration
  }

  func testContextsHaveTheAncestryThatTheyHadAndTheEditsOnEachLevel() async throws {
    let temporary = try await makeStore()
    let chair = try await insert("Red chair", in: temporary.store)[0]
    let restoration = try await launch(temporary.store)
    let outer = try restoration.open(Editor.kind, id: "outer", state: EditorState(item: chair.id))
    let inner = try restoration.open(
      Editor.kind, id: "inner", under: outer.node.path, state: EditorState(item: chair.id))
    outer.item.name = "Green chair"
    inner.item.valueInDollars = 50

    let store = try await temporary.relaunch()
    let again = try await launch(store)
    let restored = try XCTUnwrap(try again.screen(Editor.kind, at: inner.node.path))
    XCTAssertTrue(restored.context.parent === (try again.screen(Editor.kind, at: outer.node.path))?.context)
    XCTAssertTrue((restored.context.parent as? ChildContext)?.parent === store.mainContext)
    XCTAssertEqual(restored.item.name, "Green chair")
    XCTAssertEqual(restored.item.valueInDollars, 50)
    XCTAssertEqual(try store.mainContext.object(chair.id).name, "Red chair")
  }

  func testTheNearestContextIsTheEditorsOrTheDelegates() async throws {
    let temporary = try await makeStore()
    let chair = try await insert("Red chair", "Table", in: temporary.store)[0]
    let restoration = try await launch(temporary.store)
    let editor = try restoration.open(Editor.kind, id: "editor", state: EditorState(item: chair.id))
    for parent in [editor.node.path, nil] {
      try restoration.open(ListController.kind, id: "list", under: parent, state: ListState())
    }
    let again = try await launch(temporary.relaunch())
    let (above, below) = (try NodePath(["list"]), try NodePath(["editor", "list"]))
    let lists = try [above, below].map { try XCTUnwrap(try again.screen(ListController.kind, at: $0)).list }
    XCTAssertTrue(lists[0].context is RootContext)
    XCTAssertTrue(lists[1].context === (try again.screen(Editor.kind, at: editor.node.path))?.context)
  }

  func testTheScreensInTheWindowOfADocumentHaveItsContext() async throws {
    struct DocumentState: Codable, Sendable { var name: String }
    @MainActor final class DocumentWindow {
      static let kind = NodeKind<DocumentState, DocumentWindow>("Document")
      let node: RestorationNode<DocumentState>
      let context: RootContext
      init(_ node: RestorationNode<DocumentState>, _ context: RootContext) {
        (self.node, self.context) = (node, context)
      }
    }
    let application = try await makeStore()
    let documents = ["letter": try await makeStore(), "bill": try await makeStore()]
    func launch(_ store: Store) async throws -> Restoration {
      let restoration = Restoration(store)
      try restoration.register(store.mainContext, as: Keys.context)
      for (name, document) in documents {
        try restoration.register(document.store.mainContext, as: Keys.document(name))
      }
      try restoration.define(
        DocumentWindow.kind, needs: .registered { (state: DocumentState, _) in Keys.document(state.name) }
      ) { node, context in DocumentWindow(node, context) }
      try define(restoration)
      try await restoration.restore()
      return restoration
    }
    let restoration = try await launch(application.store)
    for (name, document) in documents {
      let window = try restoration.open(DocumentWindow.kind, id: name, state: DocumentState(name: name))
      try restoration.open(ListController.kind, id: "list", under: window.node.path, state: ListState())
      let item = try await insert("Red chair", in: document.store)[0]
      let editor = try restoration.open(
        Editor.kind, id: "editor", under: window.node.path, state: EditorState(item: item.id))
      editor.item.name = "In the \(name)"
    }
    try await restoration.flush()
    restoration.end()

    let again = try await launch(application.relaunch())
    for (name, document) in documents {
      let list = try again.screen(ListController.kind, at: NodePath([name, "list"]))?.list
      XCTAssertTrue(list?.context === document.store.mainContext)
      let editor = try again.screen(Editor.kind, at: NodePath([name, "editor"]))
      XCTAssertTrue(editor?.context.parent === document.store.mainContext)
      XCTAssertEqual(editor?.item.name, "In the \(name)")
    }
  }

  func testAPredicateAndSortDescriptorsAreInTheArchive() async throws {
    let temporary = try await makeStore()
    try await insert("Red chair", "Table", "Red lamp", in: temporary.store)
    let restoration = try await launch(temporary.store)
    let red = Fetch<Item> { $0.name.hasPrefix("Red") }.sorted { $0.name.descending }
    try restoration.open(ListController.kind, id: "list", state: ListState(fetch: red))

    let again = try await launch(temporary.relaunch())
    let list = try XCTUnwrap(try again.screen(ListController.kind, at: NodePath(["list"]))).list
    XCTAssertEqual(list.rows.map(\.name), ["Red lamp", "Red chair"])
  }

  func testAURILeadsBackToTheObjectInWhateverContext() async throws {
    let temporary = try await makeStore()
    let chair = try await insert("Red chair", in: temporary.store)[0]
    // [[managedObject objectID] URIRepresentation]
    let uri = try temporary.store.uri(for: chair.id.any)
    let store = try await temporary.relaunch()
    let child = store.mainContext.makeChild()
    // managedObjectIDForURIRepresentation:, then existingObjectWithID:error:
    let item = try child.object(uri: uri)
    XCTAssertEqual((item as? Item)?.name, "Red chair")
    store.mainContext.delete(try store.mainContext.object(chair.id))
    XCTAssertThrowsError(try child.object(uri: uri)) { error in
      guard case LookupError.deleted = error else { return XCTFail("\(error)") }
    }
  }

  /// The store of the data opens, or migrates, while the screens are there already: their archive is in one of its own.
  func testAContextThatArrivesLateFindsItsScreensWaitingAndTheOthersThere() async throws {
    final class Welcome {
      static let kind = NodeKind<ListState, Welcome>("Welcome")
    }
    let (data, screens) = (try await makeStore(), try await TemporaryStore(for: Schema()))
    let chair = try await insert("Red chair", in: data.store)[0]
    func launch(_ screens: Store, opening: @escaping @MainActor () async throws -> Store) async throws -> Restoration {
      let restoration = Restoration(screens)
      try restoration.register(late: Keys.context) { try await opening().mainContext }
      try restoration.define(Welcome.kind) { _ in Welcome() }
      try define(restoration)
      try await restoration.restore()
      return restoration
    }
    do {
      let restoration = try await launch(screens.store) { data.store }
      try restoration.open(Welcome.kind, id: "welcome", state: ListState())
      let editor = try await restoration.openWhenReady(Editor.kind, id: "editor", state: EditorState(item: chair.id))
      editor.item.name = "Green chair"
      try await restoration.flush()
    }

    let (opened, isOpened) = AsyncStream<Store>.makeStream()
    let restoration = try await launch(screens.relaunch()) {
      for await store in opened { return store }
      throw CancellationError()
    }
    XCTAssertEqual(restoration.report?.outcome(at: try NodePath(["welcome"])), .restored)
    XCTAssertEqual(restoration.report?.outcome(at: try NodePath(["editor"])), .pending(key: "managedObjectContext"))
    isOpened.yield(try await data.relaunch())
    let report = try await restoration.waitUntilSettled()
    XCTAssertTrue(report.isSettled)
    XCTAssertEqual(try restoration.screen(Editor.kind, at: NodePath(["editor"]))?.item.name, "Green chair")
    try restoration.close(at: NodePath(["editor"]))
    XCTAssertEqual(try restoration.recoverableDrafts().map(\.path?.text), ["editor"])
  }

  /// The archive lies in the store that opens, or migrates: its screens are there meanwhile.
  func testScreensAreThereBeforeTheirOwnStoreIsOpen() async throws {
    final class Welcome {
      static let kind = NodeKind<ListState, Welcome>("Welcome")
    }
    let temporary = try await makeStore()
    let chair = try await insert("Red chair", in: temporary.store)[0]
    do {
      let restoration = try await launch(temporary.store)
      try restoration.define(Welcome.kind) { _ in Welcome() }
      try restoration.open(Welcome.kind, id: "welcome", state: ListState())
      let editor = try restoration.open(Editor.kind, id: "editor", state: EditorState(item: chair.id))
      editor.item.name = "Green chair"
      try await restoration.flush()
    }
    let path = temporary.store.path
    try await temporary.store.close()

    let store = Store.opening(path, for: Item.self, Person.self, Run.self)
    let restoration = Restoration(store)
    restoration.waitsForStore = false
    try restoration.register(store.mainContext, as: Keys.context)
    try restoration.define(Welcome.kind) { _ in Welcome() }
    try define(restoration)
    try await restoration.restore()
    // The screens that need nothing of the store are there; the others follow.
    XCTAssertNotNil(try restoration.screen(Welcome.kind, at: NodePath(["welcome"])))
    let report = try await restoration.waitUntilSettled()
    XCTAssertEqual(report.entries.map(\.outcome), [.restored, .restored])
    XCTAssertEqual(try restoration.screen(Editor.kind, at: NodePath(["editor"]))?.item.name, "Green chair")
    restoration.end()
    try await store.close()
  }
}
