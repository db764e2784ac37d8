import Reprise
import RepriseTestModels
import XCTest

/// UIKit's tree of view controllers: identifiers, classes that make them anew, a coder.
final class TreeTests: PortingTestCase {
  final class ItemsViewController: RestorableScreen {
    var isEditing = false
    var isFinished = false

    func encodeRestorableState(with coder: RestorationEncoder) {
      coder.encode(isEditing, forKey: "TableViewIsEditing")
    }

    func decodeRestorableState(with coder: RestorationDecoder) throws {
      isEditing = try coder.decode(Bool.self, forKey: "TableViewIsEditing") ?? false
    }

    // applicationFinishedRestoringState
    func restorationFinished() { isFinished = true }
  }

  final class DetailViewController: RestorableScreen {
    let item: Item
    var presenter: ItemsViewController?

    init(_ item: Item) { self.item = item }

    func encodeRestorableState(with coder: RestorationEncoder) {
      coder.encode(item, forKey: "item")
      if let presenter { coder.encodeReference(to: presenter, forKey: "presenter") }
    }

    func decodeRestorableState(with coder: RestorationDecoder) throws {
      presenter = coder.decodeObject(forKey: "presenter") as? ItemsViewController
    }
  }

  private var paths: [[String]] = []

  private func launch(_ store: Store, version: String = "1.2") async throws -> Restoration {
    let restoration = Restoration(store, appVersion: version)
    // application(_:willFinishLaunchingWithOptions:)
    try restoration.register(store.mainContext, as: Keys.context)
    // restorationClass, and viewController(withRestorationIdentifierPath:coder:)
    try restoration.define(twoPhase: "ItemsViewController") { _, _ in ItemsViewController() }
    try restoration.define(twoPhase: "DetailViewController") { path, coder -> DetailViewController? in
      self.paths.append(path.components)
      let context = try coder.object(for: Keys.context)
      guard let id = try coder.decode(Item.ID.self, forKey: "item"), let item = context.find(id) else { return nil }
      return DetailViewController(item)
    }
    // application(_:shouldRestoreApplicationState:)
    try await restoration.restore { archive in archive.appVersion == version }
    return restoration
  }

  private func leave(_ store: Store) async throws -> Item {
    let item = try await insert("Red chair", in: store)[0]
    let restoration = try await launch(store)
    // restorationIdentifier
    let items: ItemsViewController = try restoration.open("ItemsViewController", id: "items")
    let detail = DetailViewController(item)
    try restoration.adopt(detail, kind: "DetailViewController", id: "detail", under: NodePath(["items"]))
    detail.presenter = items
    items.isEditing = true
    // applicationDidEnterBackground(_:)
    try await restoration.flush()
    return item
  }

  func testTheTreeComesBackFromIdentifiersAndACoder() async throws {
    let temporary = try await makeStore()
    _ = try await leave(temporary.store)
    let restoration = try await launch(temporary.relaunch())
    XCTAssertEqual(paths.last, ["items", "detail"])
    let items: ItemsViewController = try XCTUnwrap(try restoration.screen(at: NodePath(["items"])))
    let detail: DetailViewController = try XCTUnwrap(try restoration.screen(at: NodePath(["items", "detail"])))
    XCTAssertTrue(items.isEditing && items.isFinished)
    XCTAssertEqual(detail.item.name, "Red chair")
    XCTAssertTrue(detail.presenter === items)
  }

  func testAControllerWhoseObjectIsGoneIsSkippedAndTheOthersComeBack() async throws {
    let temporary = try await makeStore()
    let item = try await leave(temporary.store)
    temporary.store.mainContext.delete(item)
    try await temporary.store.mainContext.save("Delete")
    let restoration = try await launch(temporary.relaunch())
    let report = try XCTUnwrap(restoration.report)
    XCTAssertEqual(report.outcome(at: try NodePath(["items"])), .restored)
    XCTAssertEqual(
      report.outcome(at: try NodePath(["items", "detail"])),
      .skipped(reason: "its factory found nothing to restore"))
  }

  func testTheDelegateRefusesTheArchiveOfAnotherVersionAndItIsSetAside() async throws {
    let temporary = try await makeStore()
    _ = try await leave(temporary.store)
    let store = try await temporary.relaunch()
    let restoration = try await launch(store, version: "2.0")
    XCTAssertEqual(restoration.report?.start, .refused)
    let _: ItemsViewController = try restoration.open("ItemsViewController", id: "items")
    try await restoration.flush()
    XCTAssertEqual(try Restoration.scenes(in: store).map(\.name), ["main"])
    XCTAssertEqual(try Restoration.refusedArchives(of: "main", in: store).map(\.name), ["//refused/1/main"])
  }

  // MARK: The last screen

  func testTheLastScreenIsShownUntilTheSceneIsRestored() async throws {
    @MainActor final class Window {
      var picture: [UInt8] = []
      var isStale = false
    }
    let temporary = try await makeStore()
    let (window, picture) = (Window(), Array("the picture of a window".utf8))
    do {
      let restoration = try await launch(temporary.store)
      let _: ItemsViewController = try restoration.open("ItemsViewController", id: "items")
      // The picture that UIKit takes of the window as the program goes to the background.
      restoration.makePreview = { picture }
      try await restoration.flush()
    }
    let store = try await temporary.relaunch()
    let path = store.path
    // Before the store is opened: two small files are read.
    if let last = Restoration.preview(at: path) {
      window.picture = last.bytes
      window.isStale = !last.isCurrent
    }
    XCTAssertEqual(window.picture, picture)
    XCTAssertFalse(window.isStale)
    let restoration = try await launch(store)
    let items: ItemsViewController = try XCTUnwrap(try restoration.screen(at: NodePath(["items"])))
    // What ignoreSnapshotOnNextApplicationLaunch() is for.
    items.isEditing.toggle()
    restoration.invalidateState(of: items)
    await Task { @MainActor in }.value
    XCTAssertEqual(Restoration.preview(at: path)?.isCurrent, false)
  }

  // MARK: Containers

  struct TabState: Codable, Sendable { var title = "" }

  @MainActor final class TabBarController {
    static let kind = NodeKind<TabState, TabBarController>("UITabBarController")
    let node: RestorationNode<TabState>
    init(_ node: RestorationNode<TabState>) { self.node = node }

    // selectedViewController, which UIKit leaves to the application to restore
    var selectedID: String? {
      get { node.selection }
      set { node.selection = newValue }
    }
  }

  @MainActor final class Tab {
    static let kind = NodeKind<TabState, Tab>("Tab")
    let node: RestorationNode<TabState>
    init(_ node: RestorationNode<TabState>) { self.node = node }
  }

  func testTheSelectionAndTheOrderOfTabsAreWrittenByThemselves() async throws {
    let temporary = try await makeStore()
    func launch(_ store: Store) async throws -> Restoration {
      let restoration = Restoration(store)
      try restoration.define(TabBarController.kind) { node in TabBarController(node) }
      try restoration.define(Tab.kind) { node in Tab(node) }
      try await restoration.restore()
      return restoration
    }
    let restoration = try await launch(temporary.store)
    let bar = try restoration.open(TabBarController.kind, id: "tabs", state: TabState())
    for id in ["runs", "plans", "settings"] {
      try restoration.open(Tab.kind, id: id, under: bar.node.path, state: TabState(title: id))
    }
    let plans = try XCTUnwrap(try restoration.screen(Tab.kind, at: bar.node.path.appending("plans")))
    try plans.node.move(to: 0)
    bar.selectedID = "runs"

    let again = try await launch(temporary.relaunch())
    XCTAssertEqual(try again.children(of: bar.node.path).map(\.id), ["plans", "runs", "settings"])
    XCTAssertEqual(try again.selection(at: bar.node.path), "runs")
    XCTAssertEqual(again.report?.outcome(at: try bar.node.path.appending("plans")) ?? .deferred, .deferred)
  }
}
