import Reprise
import RepriseTestModels
import XCTest

/// Sessions of editors: VS Code's windows and hot exit, Vim's `:mksession`, swap and undo files.
final class EditorSessionTests: PortingTestCase {
  struct BufferState: Codable, Sendable {
    var file: Item.ID
    var line = 1
  }

  @MainActor final class Buffer {
    static let kind = NodeKind<BufferState, Buffer>("Buffer")
    let node: RestorationNode<BufferState>
    let context: ChildContext
    let file: Item
    init(_ node: RestorationNode<BufferState>, _ context: ChildContext) throws {
      (self.node, self.context) = (node, context)
      file = try context.object(node.state.file)
    }
  }

  private func openWindow(_ name: String, _ store: Store) async throws -> Restoration {
    let restoration = Restoration(store, scene: name)
    try restoration.register(store.mainContext, as: Keys.context)
    try restoration.define(Buffer.kind, needs: .ownContext(childOf: .registered(Keys.context))) { node, context in
      try Buffer(node, context)
    }
    try await restoration.restore()
    return restoration
  }

  func testHotExitBringsBackAllWindowsWithWhatWasNotSaved() async throws {
    let temporary = try await makeStore()
    let files = try await insert("main.swift", "notes.md", in: temporary.store)
    for (name, file) in zip(["one", "two"], files) {
      let window = try await openWindow(name, temporary.store)
      let buffer = try window.open(Buffer.kind, id: file.name, state: BufferState(file: file.id))
      buffer.file.name += " (changed)"
      buffer.node.state.line = 40
    }

    // "window.restoreWindows": "all"
    let store = try await temporary.relaunch()
    var windows: [Restoration] = []
    for scene in try Restoration.scenes(in: store) { windows.append(try await openWindow(scene.name, store)) }
    let first = try XCTUnwrap(try windows.first?.screen(Buffer.kind, at: NodePath(["main.swift"])))
    XCTAssertEqual(windows.count, 2)
    XCTAssertEqual(first.file.name, "main.swift (changed)")
    XCTAssertEqual(first.node.state.line, 40)
    // Vim's undo file, but of what was not written yet
    first.context.undo()
    XCTAssertEqual(first.file.name, "main.swift")
  }

  func testBuffersThatAreNotShownAreReadWhenSomebodyLooksAtThem() async throws {
    let temporary = try await makeStore()
    let files = try await insert("a", "b", "c", in: temporary.store)
    let window = try await openWindow("main", temporary.store)
    for file in files { try window.open(Buffer.kind, id: file.name, state: BufferState(file: file.id)) }
    // :split b, over a; c is hidden
    try window.setVisibleChildren(["b", "a"], of: nil)

    let again = try await openWindow("main", temporary.relaunch())
    XCTAssertEqual(again.report?.outcome(at: try NodePath(["b"])), .restored)
    XCTAssertEqual(again.report?.outcome(at: try NodePath(["c"])), .deferred)
    // :buffer c
    XCTAssertEqual(try again.screen(Buffer.kind, at: NodePath(["c"]))?.file.name, "c")
  }

  func testASwapFileWithoutItsBufferIsFoundAndRecovered() async throws {
    let temporary = try await makeStore()
    let file = try await insert("main.swift", in: temporary.store)[0]
    let window = try await openWindow("main", temporary.store)
    let buffer = try window.open(Buffer.kind, id: "main.swift", state: BufferState(file: file.id))
    buffer.file.name = "changed"
    // :bwipeout! does not throw away what was typed
    buffer.node.close()

    // vim -r
    let again = try await openWindow("main", temporary.relaunch())
    let found = try XCTUnwrap(try again.recoverableDrafts().first)
    XCTAssertEqual(found.draft.objects, [file.id.any])
    let recovered = try again.open(
      Buffer.kind, id: "recovered", state: BufferState(file: file.id), draft: found.draft.id)
    XCTAssertEqual(recovered.file.name, "changed")
  }

  func testASessionThatAnotherWindowHasIsRefusedOrLookedAt() async throws {
    let temporary = try await makeStore()
    let window = try await openWindow("main", temporary.store)
    // E325: ATTENTION
    do {
      _ = try await openWindow("main", temporary.store)
      XCTFail("two windows write one session")
    } catch RestorationError.sceneInUse("main", _) {}
    // (O)pen Read-Only
    let second = Restoration(temporary.store)
    second.sceneConflictPolicy = .readOnly
    try await second.restore()
    XCTAssertTrue(second.isReadOnly)
    window.end()
  }
}
