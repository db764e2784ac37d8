#if Macros
import Foundation
import Reprise
import RepriseTesting
import XCTest

struct SessionState: Codable, Sendable {
  let book: Book.ID
  var caret = 0
  var lastInput = 0
}

final class Session {
  final class Screen {
    let node: RestorationNode<SessionState>
    let context: ChildContext
    let book: Book

    init(_ node: RestorationNode<SessionState>, _ context: ChildContext) throws {
      self.node = node
      self.context = context
      book = try context.object(node.state.book)
    }
  }

  static let kind = NodeKind<SessionState, Screen>("Session")
  static let rootKey: RestorationKey<RootContext> = "root"
  let root: RootContext
  let restoration: Restoration
  let screen: Screen

  init(
    _ id: String, of user: String, editing book: Book.ID, in store: Store,
    isolation: isolated any Actor = #isolation, onTakeover: @escaping () -> Void
  ) async throws {
    root = RootContext(store, author: user)
    restoration = Restoration(store, scene: id)
    restoration.sceneConflictPolicy = .takeOver
    restoration.onTakeover = onTakeover
    try restoration.register(root, as: Self.rootKey)
    try restoration.define(Self.kind, needs: .ownContext(childOf: .registered(Self.rootKey))) { node, context in
      try Screen(node, context)
    }
    _ = try await restoration.restore()
    let path = try NodePath(["session"])
    screen =
      try restoration.screen(Self.kind, at: path)
      ?? restoration.open(Self.kind, id: "session", state: SessionState(book: book))
  }
}

struct Input: Codable, Sendable {
  let number: Int
  let text: String
  let caret: Int
}

extension Session {
  /// Applies the inputs that the session does not have yet, and returns the number of the last one.
  func apply(_ inputs: [Input]) -> Int {
    for input in inputs where input.number == screen.node.state.lastInput + 1 {
      screen.book.title = input.text
      screen.node.state.caret = input.caret
      screen.node.state.lastInput = input.number
    }
    return screen.node.state.lastInput
  }
}

extension Session {
  nonisolated(nonsending) func save() async throws {
    try screen.context.save()
    try await restoration.flush()
    try await root.save("Edit a book")
  }
}

actor Shard {
  private let store: Store
  private var sessions: [String: Session] = [:]

  init(_ store: Store) { self.store = store }

  func open(_ id: String, of user: String, editing book: Book.ID) async throws {
    guard sessions[id] == nil else { return }
    sessions[id] = try await Session(id, of: user, editing: book, in: store) { self.sessions[id] = nil }
  }

  func apply(_ inputs: [Input], to id: String) -> Int? { sessions[id]?.apply(inputs) }
}

/// The page of a session.
@MainActor private final class SessionPage {
  private(set) var safe = 0
  func isSafe(_ input: Int) { safe = input }
}

@MainActor final class SessionTests: ManualTestCase {
  func testARestartAsksForTheInputAgain() async throws {
    var store = try await makeStore()
    let book = try await fill(store)[0].id
    let inputs = [Input(number: 1, text: "A", caret: 1), Input(number: 2, text: "Ab", caret: 2)]
    let page = SessionPage()
    do {
      let session = try await Session("s", of: "Ada", editing: book, in: store, onTakeover: {})
      let applied = session.apply(inputs)
      try await store.flush()
      page.isSafe(applied)
      XCTAssertEqual(page.safe, 2)
    }
    store = try await relaunch()
    let session = try await Session("s", of: "Ada", editing: book, in: store, onTakeover: {})
    XCTAssertEqual(session.screen.book.title, "Ab")
    XCTAssertEqual(session.screen.node.state.caret, 2)
    let applied = session.apply(
      inputs + [Input(number: 3, text: "Abc", caret: 3), Input(number: 5, text: "?", caret: 0)])
    XCTAssertEqual(applied, 3)
    XCTAssertEqual(session.screen.book.title, "Abc")
    try await session.save()
    XCTAssertEqual(try store.log.transaction(at: store.log.head)?.author, "Ada")
  }

  func testAShardLosesTheTextOfItsSessions() async throws {
    var store = try await makeStore()
    let book = try await fill(store)[0].id
    for text in ["A", "Ab"] {
      let shards = [Shard(store), Shard(store), Shard(store)]
      for number in 0..<9 {
        let (id, user) = ("Ada \(number)", "Ada")
        let shard = shards[Int(UInt(bitPattern: id.hashValue) % UInt(shards.count))]
        try await shard.open(id, of: user, editing: book)
        let applied = await shard.apply([Input(number: text.count, text: text, caret: 1)], to: id)
        XCTAssertEqual(applied, text.count)
      }
      try await store.flush()
      store = try await relaunch()
    }
    let session = try await Session("Ada 8", of: "Ada", editing: book, in: store, onTakeover: {})
    XCTAssertEqual(session.screen.book.title, "Ab")
  }

  func testAnUnusedSessionKeepsItsText() async throws {
    let store = try await makeStore()
    let book = try await fill(store)[0].id
    let (id, user) = ("Ada 7f3a", "Ada")
    var sessions = [id: try await Session(id, of: user, editing: book, in: store, onTakeover: {})]
    do {
      let session = try XCTUnwrap(sessions[id])
      _ = session.apply([Input(number: 1, text: "A", caret: 1)])
      session.restoration.end()
      sessions[id] = nil
    }
    XCTAssertTrue(sessions.isEmpty)
    do {
      let session = try await Session(id, of: user, editing: book, in: store, onTakeover: {})
      XCTAssertEqual(session.screen.book.title, "A")
      session.restoration.end()
    }
    let limit = Int64.max
    for scene in try Restoration.scenes(in: store) where !scene.isInUse && scene.archive.savedAt < limit {
      try Restoration.removeScene(scene.name, in: store)
    }
    let forgotten = try store.drafts.all().filter { $0.id.hasPrefix(user + " ") && !$0.isInUse }
    for draft in forgotten { print(draft.preview) }
    XCTAssertEqual(forgotten.count, 1)
    XCTAssertEqual(try Restoration.scenes(in: store), [])
    XCTAssertEqual(try store.drafts.all().count, 1)
    sessions[id] = try await Session("other", of: user, editing: book, in: store, onTakeover: {})
    do {
      for session in sessions.values { session.restoration.end() }
      try await store.close()
    }
  }
}
#endif
