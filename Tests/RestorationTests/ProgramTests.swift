import RepriseCore
import RepriseTestModels
import RepriseTesting
import XCTest

/// A program of a list, a detail and an editor, as a user of the library writes it.
private enum ProgramKeys {
  static let items: RestorationKey<FetchedList<Item>> = "DataSource"
  static let root: RestorationKey<RootContext> = "main"
  static let catalog: RestorationKey<Catalog> = "catalog"
}

@MainActor private final class Catalog {
  static func load() async throws -> Catalog {
    await Task.yield()
    return Catalog()
  }
}

private struct ListState: Codable, Sendable {
  var topRow: ModelIdentifier?
  var fetch: Fetch<Item>?
}

private struct DetailState: Codable, Sendable { var item: Item.ID }

private struct EditorState: Codable, Sendable {
  var item: Item.ID
  var caret = 0
}

@MainActor private final class ItemListScreen {
  static let kind = NodeKind<ListState, ItemListScreen>("list")
  let node: RestorationNode<ListState>
  let items: FetchedList<Item>
  init(node: RestorationNode<ListState>, items: FetchedList<Item>) { (self.node, self.items) = (node, items) }
  func scrolled(to path: RowPath) { node.state.topRow = items.modelIdentifier(at: path) }
}

@MainActor private final class ItemDetailScreen {
  static let kind = NodeKind<DetailState, ItemDetailScreen>("detail")
  let node: RestorationNode<DetailState>
  let item: Item
  let catalog: Catalog
  init(node: RestorationNode<DetailState>, item: Item, catalog: Catalog) {
    (self.node, self.item, self.catalog) = (node, item, catalog)
  }
}

@MainActor private final class ItemEditorScreen {
  static let kind = NodeKind<EditorState, ItemEditorScreen>("editor")
  let node: RestorationNode<EditorState>
  let editing: ChildContext
  let item: Item
  init(node: RestorationNode<EditorState>, editing: ChildContext) throws {
    (self.node, self.editing) = (node, editing)
    item = try editing.object(node.state.item)
  }
  func typed(_ text: String) { item.name = text }
  func done() throws {
    try editing.save("Edit item")
    node.close()
  }
}

@MainActor private final class OldDetail: @MainActor RestorableScreen {
  var dataSource: FetchedList<Item>?
  var item: Item?
  var context: RootContext?
  func encodeRestorableState(with coder: RestorationEncoder) {
    coder.encode(item, forKey: "item")
    coder.encodeReference(to: "DataSource", forKey: "DataSource")
  }
  func decodeRestorableState(with coder: RestorationDecoder) throws {
    dataSource = coder.decodeObject(forKey: "DataSource") as? FetchedList<Item>
    context = try coder.object(for: ProgramKeys.root)
    if let id = try coder.decode(Item.ID.self, forKey: "item") { item = context?.find(id) }
  }
}

@MainActor final class ProgramTests: XCTestCase {
  private func launch(_ store: Store) async throws -> (Restoration, RestorationReport) {
    let restoration = Restoration(store, schemaVersion: 3)
    let context = store.mainContext
    try restoration.register(context, as: ProgramKeys.root)
    try restoration.register(
      try FetchedList(Fetch<Item>().sorted { $0.name.ascending }, in: context), as: ProgramKeys.items)
    try restoration.register(late: ProgramKeys.catalog) { try await Catalog.load() }
    try restoration.define(ItemListScreen.kind, needs: .registered(ProgramKeys.items)) { node, items in
      if let fetch = node.state.fetch { try items.setFetch(fetch) }
      return ItemListScreen(node: node, items: items)
    }
    try restoration.define(
      ItemDetailScreen.kind, needs: .registered(ProgramKeys.root), .registered(ProgramKeys.catalog)
    ) { node, root, catalog in
      guard let item = root.find(node.state.item) else { return nil }
      return ItemDetailScreen(node: node, item: item, catalog: catalog)
    }
    try restoration.define(ItemEditorScreen.kind, needs: .ownContext(childOf: .registered(ProgramKeys.root))) {
      node, editing in try ItemEditorScreen(node: node, editing: editing)
    }
    try restoration.define(twoPhase: "OldDetail") { path, _ in path.components.last == "OldDetail" ? OldDetail() : nil }
    let report = try await restoration.restore { $0.schemaVersion >= 3 }
    if report.entries.isEmpty {
      let list = try restoration.open(ItemListScreen.kind, id: "list", state: ListState())
      if let first = try context.fetch(Fetch<Item>().limit(1)).first {
        let detail = try await restoration.openWhenReady(
          ItemDetailScreen.kind, id: "detail", under: list.node.path, state: DetailState(item: first.id))
        try restoration.open(
          ItemEditorScreen.kind, id: "editor", under: detail.node.path, state: EditorState(item: first.id))
      }
    }
    return (restoration, try await restoration.waitUntilSettled())
  }

  func testAProgramIsWhereItWasWithWhatWasTyped() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let chair = temporary.store.mainContext.insert(Item(name: "Red chair"))
    temporary.store.mainContext.insert(Item(name: "Sofa"))
    try await temporary.store.mainContext.save()
    let (first, fresh) = try await launch(temporary.store)
    XCTAssertEqual(fresh.start, .fresh)
    let list = try XCTUnwrap(try first.screen(ItemListScreen.kind, at: .of("list")))
    // The second row of two, and a condition for the archive.
    list.scrolled(to: RowPath(item: 1))
    list.node.state.fetch = Fetch<Item> { $0.name != "Table" }.sorted { $0.name.descending }
    try XCTUnwrap(try first.screen(ItemEditorScreen.kind, at: .of("list/detail/editor"))).typed("Blue chair")
    let old = OldDetail()
    old.item = chair
    try first.adopt(old, kind: "OldDetail", id: "OldDetail", under: .of("list"))

    let store = try await temporary.relaunch()
    let (again, report) = try await launch(store)
    XCTAssertEqual(
      report.entries.map { "\($0.path): \($0.outcome)" },
      ["list: restored", "list/detail: restored", "list/detail/editor: restored", "list/OldDetail: restored"])
    let restored = try XCTUnwrap(try again.screen(ItemListScreen.kind, at: .of("list")))
    XCTAssertEqual((0..<2).map { restored.items.element(at: RowPath(item: $0)).name }, ["Sofa", "Red chair"])
    let topRow = try XCTUnwrap(restored.node.state.topRow)
    XCTAssertEqual(restored.items.row(for: topRow), .row(RowPath(item: 0)))
    let editor = try XCTUnwrap(try again.screen(ItemEditorScreen.kind, at: .of("list/detail/editor")))
    XCTAssertEqual(editor.item.name, "Blue chair")
    let shown = try XCTUnwrap(try again.screen(ItemDetailScreen.kind, at: .of("list/detail")))
    XCTAssertEqual(shown.item.name, "Red chair")
    let detail: OldDetail = try XCTUnwrap(try again.screen(at: .of("list/OldDetail")))
    XCTAssertTrue(detail.dataSource === restored.items)
    XCTAssertTrue(detail.item === store.mainContext.find(chair.id))
    XCTAssertTrue(detail.context === store.mainContext)

    try editor.done()
    try await store.mainContext.save("Edit item")
    let third = try await temporary.relaunch()
    let (last, end) = try await launch(third)
    XCTAssertNil(end.outcome(at: .of("list/detail/editor")))
    let saved = try XCTUnwrap(try last.screen(ItemDetailScreen.kind, at: .of("list/detail")))
    XCTAssertEqual(saved.item.name, "Blue chair")
  }

  func testADetailOfAnObjectThatIsGoneFallsBackToTheList() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let chair = temporary.store.mainContext.insert(Item(name: "Red chair"))
    try await temporary.store.mainContext.save()
    let (first, _) = try await launch(temporary.store)
    try XCTUnwrap(try first.screen(ItemEditorScreen.kind, at: .of("list/detail/editor"))).typed("Typed")
    await Task { @MainActor in }.value
    temporary.store.mainContext.delete(chair)
    try await temporary.store.mainContext.save()

    let store = try await temporary.relaunch()
    let (_, report) = try await launch(store)
    XCTAssertEqual(report.outcome(at: .of("list")), .restored)
    XCTAssertEqual(report.outcome(at: .of("list/detail")), .skipped(reason: "its factory found nothing to restore"))
    XCTAssertEqual(report.orphanedDrafts, ["list/detail/editor"])
  }
}
