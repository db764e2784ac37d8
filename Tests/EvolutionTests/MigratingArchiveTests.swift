import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import Synchronization
import XCTest

/// Screens that lie in the store that is migrating are there meanwhile, all but what needs its objects.
@MainActor final class MigratingArchiveTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  private static let context: RestorationKey<RootContext> = "context"

  override func tearDown() async throws { try? FileManager.default.removeItem(atPath: path) }

  private struct State: Codable, Sendable { var row = 0 }

  @MainActor private final class Welcome {
    static let kind = NodeKind<State, Welcome>("welcome")
    let node: RestorationNode<State>
    init(_ node: RestorationNode<State>) { self.node = node }
  }

  @MainActor private final class Editor {
    static let kind = NodeKind<State, Editor>("editor")
    let node: RestorationNode<State>
    let editing: ChildContext
    init(_ node: RestorationNode<State>, _ editing: ChildContext) { (self.node, self.editing) = (node, editing) }
  }

  private func launch(_ store: Store, waits: Bool = false) async throws -> Restoration {
    let restoration = Restoration(store)
    restoration.waitsForStore = waits
    try restoration.register(store.mainContext, as: Self.context)
    try restoration.define(Welcome.kind) { Welcome($0) }
    try restoration.define(Editor.kind, needs: .ownContext(childOf: .registered(Self.context))) { Editor($0, $1) }
    try await restoration.restore()
    return restoration
  }

  private func screen<Screen: AnyObject>(
    _ kind: NodeKind<State, Screen>, _ run: Restoration, _ path: String
  ) throws -> Screen {
    try XCTUnwrap(try run.screen(kind, at: try NodePath(path.split(separator: "/").map(String.init))))
  }

  /// Leaves two screens, and an editor below one of them with uncommitted edits, as a kill does.
  private func makeOld(_ count: Int = 5_000, first: String = "1", closing: Bool = false) async throws {
    let store = try await Store.open(path, for: Schema([TextPrice.self]))
    store.mainContext.insert(TextPrice(["label": "first", "amount": first]))
    for number in 0..<count { store.mainContext.insert(TextPrice(["label": "l", "amount": "\(number % 7)"])) }
    store.mainContext.insert(TextPrice(["label": "last", "amount": "1"]))
    try await store.mainContext.save()
    let run = try await launch(store)
    try run.open(Welcome.kind, id: "welcome", state: State(row: 1))
    try run.open(Welcome.kind, id: "left", state: State(row: 7))
    let editor = try run.open(Editor.kind, id: "editor", under: NodePath(["welcome"]), state: State(row: 2))
    let price = try XCTUnwrap(try editor.editing.fetch(Fetch<TextPrice>()).last)
    price["amount"] = .string("12")
    try await run.flush()
    if closing { try await store.close() } else { await store.abandon() }
  }

  private func opening(_ progress: @escaping @Sendable () -> Void = {}) -> Store {
    Store.opening(
      path, for: Schema([Price.self]), migrations: MigrationPlan(toNumbers)
    ) { _ in progress() }
  }

  private func last(_ editor: Editor) throws -> PropertyValue {
    try XCTUnwrap(try editor.editing.fetch(Fetch<Price>()).last)["amount"]
  }

  func testDraftsAreListedWhileAnotherStoreMigrates() async throws {
    try await makeOld(closing: true)
    let screens = path + "-screens"
    defer { try? FileManager.default.removeItem(atPath: screens) }
    let archive = try await Store.open(screens, for: Schema())
    let goOn = DispatchSemaphore(value: 0)
    let hasBegun = DispatchSemaphore(value: 0)
    let store = opening {
      hasBegun.signal()
      _ = goOn.wait(timeout: .now() + 60)
    }
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        hasBegun.wait()
        continuation.resume()
      }
    }
    let restoration = Restoration(archive)
    try restoration.register(store, as: RestorationKey<Store>("document"))
    try await restoration.restore()
    XCTAssertEqual(try restoration.recoverableDrafts(), [], "its drafts are not known yet")
    for _ in 0..<100 { goOn.signal() }
    try await store.ready()
    var found: [RecoverableDraft] = []
    for _ in 0..<1_000 where found.isEmpty {
      await Task.yield()
      found = try restoration.recoverableDrafts()
    }
    XCTAssertEqual(found.map(\.path?.text), ["welcome/editor"])
    restoration.end()
    try await store.close()
    try await archive.close()
  }

  func testScreensOfTheStoreThatMigratesAreThereMeanwhileAndItsEditorsFollow() async throws {
    for closing in [false, true] {
      try? FileManager.default.removeItem(atPath: path)
      try await makeOld(closing: closing)
      let goOn = DispatchSemaphore(value: 0)
      let slices = Mutex(0)
      let store = opening {
        slices.withLock { $0 += 1 }
        _ = goOn.wait(timeout: .now() + 60)
      }
      let run = try await launch(store)
      XCTAssertFalse(store.isReady)
      let welcome = try screen(Welcome.kind, run, "welcome")
      XCTAssertEqual(welcome.node.state.row, 1)
      XCTAssertEqual(run.report?.outcome(at: try NodePath(["welcome", "editor"])), .pending(key: "context"))
      XCTAssertEqual(run.lateObjects.map(\.stage), [.pending])
      // They are used, and what they are set to is kept; one is closed, and one is new.
      welcome.node.state.row = 3
      try run.close(at: NodePath(["left"]))
      try run.open(Welcome.kind, id: "new", state: State(row: 9))
      try await run.flush(durable: true)
      XCTAssertLessThanOrEqual(slices.withLock { $0 }, 1, "it has not gone on")
      XCTAssertFalse(store.isReady)
      // The scene is this one's already.
      await assertThrows(RestorationError.sceneInUse("main", process: getpid())) {
        let other = Restoration(store)
        other.waitsForStore = false
        try await other.restore()
      }
      for _ in 0..<1_000 { goOn.signal() }

      let report = try await run.waitUntilSettled()
      XCTAssertEqual(report.outcome(at: try NodePath(["welcome", "editor"])), .restored)
      let editor = try screen(Editor.kind, run, "welcome/editor")
      XCTAssertEqual(editor.node.state.row, 2)
      XCTAssertEqual(try last(editor), .int(12), "it was typed before the migration")
      editor.node.state.row = 4
      try XCTUnwrap(try editor.editing.fetch(Fetch<Price>()).last)["amount"] = .int(13)
      try await run.flush()
      if closing { try await store.close() } else { await store.abandon() }

      let again = try await Store.open(
        path, for: Schema([Price.self]), migrations: MigrationPlan(toNumbers))
      let next = try await launch(again, waits: true)
      XCTAssertEqual(try screen(Welcome.kind, next, "welcome").node.state.row, 3)
      XCTAssertEqual(try screen(Welcome.kind, next, "new").node.state.row, 9)
      XCTAssertNil(try next.screen(Welcome.kind, at: try NodePath(["left"])))
      XCTAssertEqual(try screen(Editor.kind, next, "welcome/editor").node.state.row, 4)
      XCTAssertEqual(try last(screen(Editor.kind, next, "welcome/editor")), .int(13))
      try await again.close()
    }
  }

  /// A kill, or a close, while slices are still to come.
  func testWhatScreensAreSetToIsKeptIfTheProcessEndsBeforeTheStoreIsOpen() async throws {
    for closing in [false, true] {
      try? FileManager.default.removeItem(atPath: path)
      try await makeOld()
      let goOn = DispatchSemaphore(value: 0)
      let store = opening { _ = goOn.wait(timeout: .now() + 60) }
      do {
        let run = try await launch(store)
        try screen(Welcome.kind, run, "welcome").node.state.row = 5
        if !closing { try await run.flush() } else { try run.save() }
        for _ in 0..<1_000 { goOn.signal() }
        if closing { try await store.close() } else { await store.abandon() }
      }
      let again = opening()
      let run = try await launch(again)
      XCTAssertEqual(try screen(Welcome.kind, run, "welcome").node.state.row, 5)
      try await run.waitUntilSettled()
      XCTAssertEqual(try last(screen(Editor.kind, run, "welcome/editor")), .int(12))
      try await again.close()
    }
  }

  func testAStoreThatCannotBeMigratedHasItsScreensAndLosesNothingOfTheOthers() async throws {
    try await makeOld(10, first: "no number")
    // It fails once the scene has begun: before, restore says why.
    let goOn = DispatchSemaphore(value: 0)
    let failing = Migration(
      to: 1, "Prices are numbers",
      AttributeConversion("amount", of: "Price", from: String.self, to: Int.self) { text in
        guard let amount = Int(text) else {
          _ = goOn.wait(timeout: .now() + 60)
          throw NoNumber()
        }
        return amount
      })
    let store = Store.opening(
      path, for: Schema([Price.self]), migrations: MigrationPlan(failing))
    let run = try await launch(store)
    for _ in 0..<100 { goOn.signal() }
    let welcome = try screen(Welcome.kind, run, "welcome")
    let report = try await run.waitUntilSettled()
    guard case .failed(let reason)? = report.outcome(at: try NodePath(["welcome", "editor"])) else {
      return XCTFail("\(report)")
    }
    XCTAssertTrue(reason.contains("no number"), reason)
    welcome.node.state.row = 6
    try await run.flush()
    // Nothing has changed: it fails again, and the screens go on.
    store.retryOpening()
    run.retry(Self.context)
    guard case .failed? = try await run.waitUntilSettled().outcome(at: try NodePath(["welcome", "editor"])) else {
      return XCTFail("it is open")
    }
    do {
      try await StoreMaintenance.rebuild(path)
      XCTFail("screens use its files")
    } catch StoreError.inUse {}
    welcome.node.state.row = 8
    try await store.close()

    let old = try await Store.open(path, for: Schema([TextPrice.self]))
    let price = try XCTUnwrap(try old.mainContext.fetch(Fetch<TextPrice>()).first)
    price["amount"] = .string("1")
    try await old.mainContext.save()
    try await old.close()
    let again = opening()
    let next = try await launch(again)
    try await next.waitUntilSettled()
    XCTAssertEqual(try screen(Welcome.kind, next, "welcome").node.state.row, 8)
    XCTAssertEqual(try last(screen(Editor.kind, next, "welcome/editor")), .int(12))
    try await again.close()
  }

  func testAStoreWithoutScenesThatCannotBeMigratedIsInNobodysWay() async throws {
    try await makeOld(10, first: "no number")
    let store = opening()
    do {
      try await store.ready()
      XCTFail("it is open")
    } catch StoreError.migration {}
    try await StoreMaintenance.rebuild(path)
    let old = try await Store.open(path, for: Schema([TextPrice.self]))
    try await old.close()
  }

  private func assertThrows(_ expected: RestorationError, _ body: () async throws -> Void) async {
    do {
      try await body()
      XCTFail("nothing was thrown")
    } catch { XCTAssertEqual("\(error)", expected.description) }
  }
}
