#if Macros
import Foundation
import Reprise
import XCTest

/// Where the user was in the list.
private struct ShelfState: Codable, Sendable {
  var firstVisible = 0
}

private struct EditorState: Codable, Sendable {
  let book: Book.ID
  var cursor = 0
}

@MainActor private final class ShelfScreen {
  static let kind = NodeKind<ShelfState, ShelfScreen>("Shelf")
  let node: RestorationNode<ShelfState>
  let context: RootContext

  init(_ node: RestorationNode<ShelfState>, _ context: RootContext) {
    self.node = node
    self.context = context
  }
}

@MainActor private final class EditorScreen {
  static let kind = NodeKind<EditorState, EditorScreen>("Editor")
  let node: RestorationNode<EditorState>
  let context: ChildContext
  let book: Book

  init(_ node: RestorationNode<EditorState>, _ context: ChildContext) throws {
    self.node = node
    self.context = context
    book = try context.object(node.state.book)
  }
}

final class RestoringTests: ManualTestCase {
  private func launch(_ store: Store) async throws -> (restoration: Restoration, report: RestorationReport) {
    let restoration = Restoration(store)
    let main: RestorationKey<RootContext> = "main"
    try restoration.register(store.mainContext, as: main)
    try restoration.define(ShelfScreen.kind, needs: .registered(main)) { node, context in ShelfScreen(node, context) }
    try restoration.define(EditorScreen.kind, needs: .ownContext(childOf: .registered(main))) { node, context in
      try EditorScreen(node, context)
    }
    let report = try await restoration.restore()
    return (restoration, report)
  }

  func testScreensAndEditsComeBack() async throws {
    let store = try await makeStore()
    let book = try await fill(store)[0]

    let (restoration, _) = try await launch(store)
    let shelf = try restoration.open(ShelfScreen.kind, id: "shelf", state: ShelfState())
    let editor = try restoration.open(
      EditorScreen.kind, id: "editor", under: shelf.node.path, state: EditorState(book: book.id))
    shelf.node.state.firstVisible = 120
    editor.book.title = "The Dispossessed: An Ambiguous Utopia"
    editor.node.state.cursor = 16
    try await restoration.flush()

    let (again, report) = try await launch(relaunch())
    let restored = try XCTUnwrap(try again.screen(EditorScreen.kind, at: editor.node.path))
    print(restored.book.title, restored.node.state.cursor, report)
    XCTAssertEqual(restored.book.title, "The Dispossessed: An Ambiguous Utopia")
    XCTAssertEqual(restored.node.state.cursor, 16)
    try restored.context.save("Rename")
    restored.node.close()
    XCTAssertEqual(try again.screen(ShelfScreen.kind, at: shelf.node.path)?.node.state.firstVisible, 120)
  }
}
#endif
