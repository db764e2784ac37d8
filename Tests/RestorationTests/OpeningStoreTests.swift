import RepriseCore
import RepriseTestModels
import RepriseTestOpening
import RepriseTesting
import XCTest

/// Restoration that is set up before a store is open.
@MainActor final class OpeningStoreTests: XCTestCase {
  private enum OpeningKeys {
    static let root: RestorationKey<RootContext> = "root"
  }

  private struct EditorState: Codable, Sendable { var item: Item.ID }

  @MainActor private final class Editor {
    static let kind = NodeKind<EditorState, Editor>("editor")
    let node: RestorationNode<EditorState>
    let editing: ChildContext
    let item: Item
    init(_ node: RestorationNode<EditorState>, _ editing: ChildContext) throws {
      (self.node, self.editing) = (node, editing)
      item = try editing.object(node.state.item)
    }
  }

  private func restoration(_ archive: Store, _ document: Store) throws -> Restoration {
    let run = Restoration(archive)
    try run.register(document.mainContext, as: OpeningKeys.root)
    try run.define(Editor.kind, needs: .ownContext(childOf: .registered(OpeningKeys.root))) { try Editor($0, $1) }
    return run
  }

  /// Leaves an editor with uncommitted edits over those of the main context.
  private func edited(_ archive: Store, _ document: Store) async throws {
    let chair = document.mainContext.insert(Item(name: "Chair"))
    try await document.mainContext.save()
    let run = try restoration(archive, document)
    try await run.restore()
    chair.valueInDollars = 7
    let editor = try run.open(Editor.kind, id: "editor", state: EditorState(item: chair.id))
    editor.item.name = "Armch"
    try await run.flush()
    try await document.flush()
  }

  func testRestoreWaitsForTheStoreThatHasTheArchive() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    try await edited(temporary.store, temporary.store)
    let path = temporary.store.path
    await temporary.store.abandon()
    let hold = OpeningHold(path)
    let store = Store.opening(path, for: Item.self, Person.self)
    XCTAssertFalse(store.isReady)
    let run = try restoration(store, store)
    let restoring = Task { try await run.restore() }
    for _ in 0..<10 { await Task.yield() }
    XCTAssertNil(run.report)
    hold.release()
    let report = try await restoring.value
    XCTAssertEqual(report.entries.map(\.outcome), [.restored])
    let editor = try XCTUnwrap(run.screen(Editor.kind, at: .of("editor")))
    XCTAssertEqual(editor.item.name, "Armch")
    XCTAssertEqual(editor.item.valueInDollars, 7)
    XCTAssertEqual(try store.mainContext.object(editor.item.id).name, "Chair")
    run.end()
    try await store.close()
  }

  func testAnEndWhileRestoreWaitsForTheStoreMakesNothing() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    try await edited(temporary.store, temporary.store)
    let path = temporary.store.path
    await temporary.store.abandon()
    let hold = OpeningHold(path)
    let store = Store.opening(path, for: Item.self, Person.self)
    let run = try restoration(store, store)
    let restoring = Task { try await run.restore() }
    for _ in 0..<10 { await Task.yield() }
    run.end()
    hold.release()
    do {
      let report = try await restoring.value
      XCTFail("\(report)")
    } catch RestorationError.ended("main") {
    }
    XCTAssertThrowsError(try run.children(of: nil))
    let next = try restoration(store, store)
    let report = try await next.restore()
    XCTAssertEqual(report.entries.map(\.outcome), [.restored])
    next.end()
    try await store.close()
  }

  func testAContextOfADocumentThatIsBeingOpenedComesLate() async throws {
    let archive = try await TemporaryStore(for: Item.self, Person.self)
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    try await edited(archive.store, temporary.store)
    let path = temporary.store.path
    try await archive.store.close()
    await temporary.store.abandon()
    let archiveStore = try await Store.open(archive.store.path, for: Item.self, Person.self)
    let hold = OpeningHold(path)
    let document = Store.opening(path, for: Item.self, Person.self)
    let run = try restoration(archiveStore, document)
    let report = try await run.restore()
    XCTAssertEqual(report.entries.map(\.outcome), [.pending(key: "root")])
    XCTAssertEqual(run.lateObjects.map(\.key), ["root"])
    hold.release()
    let settled = try await run.waitUntilSettled()
    XCTAssertEqual(settled.entries.map(\.outcome), [.restored])
    XCTAssertEqual(try run.screen(Editor.kind, at: .of("editor"))?.item.name, "Armch")
    run.end()
    try await document.close()
    try await archiveStore.close()
  }

  func testRestoreSaysThatTheStoreCannotBeOpenedAndCanBeCalledAgain() async throws {
    let parent = NSTemporaryDirectory() + "reprise-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: parent) }
    let store = Store.opening(parent + "/store", for: Item.self, Person.self)
    let run = Restoration(store)
    do {
      try await run.restore()
      XCTFail("there is no folder")
    } catch RestorationError.store(let error) {
      XCTAssertEqual(error.description, StoreError.notFound(path: parent + "/store").description)
    }
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: false)
    store.retryOpening()
    let report = try await run.restore()
    XCTAssertEqual(report.entries.count, 0)
    run.end()
    try await store.close()
  }
}
