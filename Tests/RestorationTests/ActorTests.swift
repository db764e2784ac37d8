import Dispatch
import RepriseCore
import RepriseTestModels
import RepriseTesting
import XCTest

/// Scenes on actors of their own.
final class ActorTests: XCTestCase {
  private struct Form: Codable, Sendable, Equatable {
    var item: Item.ID
    var caret = 0
  }

  /// A screen of no actor: it belongs to whoever makes it.
  private final class Editor {
    static let kind = NodeKind<Form, Editor>("editor")
    let node: RestorationNode<Form>
    let context: ChildContext
    let item: Item

    init(_ node: RestorationNode<Form>, _ context: ChildContext) throws {
      self.node = node
      self.context = context
      item = try context.object(node.state.item)
    }
  }

  private actor Session {
    private static let key: RestorationKey<RootContext> = "root"
    private let scene: String
    private var restoration: Restoration?
    private(set) var isTakenOver = false
    private(set) var problems: [String] = []

    init(_ scene: String) { self.scene = scene }

    func begin(_ store: Store, takesOver: Bool = false) async throws {
      let root = RootContext(store, author: scene)
      let run = Restoration(store, scene: scene)
      if takesOver { run.sceneConflictPolicy = .takeOver }
      run.onTakeover = { self.isTakenOver = true }
      run.onProblem = { self.problems.append("\($0)") }
      try run.register(root, as: Self.key)
      try run.define(Editor.kind, needs: .ownContext(childOf: .registered(Self.key))) { try Editor($0, $1) }
      try await run.restore()
      restoration = run
    }

    private var editor: Editor? {
      get throws { try restoration?.screen(Editor.kind, at: NodePath(["editor"])) }
    }

    func open(_ item: Item.ID) throws { _ = try restoration?.open(Editor.kind, id: "editor", state: Form(item: item)) }

    func type(_ text: String) throws {
      guard let editor = try editor else { return XCTFail("there is no editor") }
      editor.item.name = text
      editor.node.state.caret = text.count
    }

    /// Types, and blocks the actor within the turn.
    func type(_ text: String, _ hasEdited: DispatchSemaphore, until goOn: DispatchSemaphore) throws {
      guard let editor = try editor else { return XCTFail("there is no editor") }
      editor.item.name = text
      hasEdited.signal()
      _ = goOn.wait(timeout: .now() + 60)
      editor.node.state.caret = text.count
    }

    var shown: String {
      get throws { try editor.map { "\($0.item.name) \($0.node.state.caret)" } ?? "nothing" }
    }

    func flush() async throws { try await restoration?.flush() }
    func end() { restoration?.end() }
  }

  private func item(_ store: Store, _ name: String) async throws -> Item.ID {
    let context = RootContext(store)
    let item = context.insert(Item(name: name))
    try await context.save("Insert an item")
    return item.id
  }

  private func session(_ scene: String, _ store: Store, takesOver: Bool = false) async throws -> Session {
    let session = Session(scene)
    try await session.begin(store, takesOver: takesOver)
    return session
  }

  func testAKillLosesTheScreensOfAnActor() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let item = try await item(temporary.store, "chair")
    var sessions: [Session] = []
    for number in 0..<4 {
      let session = try await session("\(number)", temporary.store)
      try await session.open(item)
      try await session.type("text \(number)")
      sessions.append(session)
    }
    try await temporary.store.flush()
    let next = try await temporary.relaunch()
    for number in 0..<4 {
      let shown = try await session("\(number)", next).shown
      XCTAssertEqual(shown, "text \(number) 6")
    }
  }

  func testClosingLosesTheStateOfATurn() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let item = try await item(temporary.store, "chair")
    let one = try await session("one", temporary.store)
    try await one.open(item)
    let (hasEdited, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let typing = Task { try await one.type("typed", hasEdited, until: goOn) }
    await wait(for: hasEdited)
    let store = temporary.store
    let closing = Task { try await store.close() }
    while !store.isClosed { await Task.yield() }
    goOn.signal()
    try await typing.value
    try await closing.value
    let next = try await temporary.relaunch()
    let shown = try await session("one", next).shown
    XCTAssertEqual(shown, "typed 5")
  }

  /// A flush of one actor must not separate the edits of another one from the states of its screens.
  func testAFlushCutsTheTurnOfAnotherActor() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let item = try await item(temporary.store, "chair")
    let (one, two) = (try await session("one", temporary.store), try await session("two", temporary.store))
    for each in [one, two] { try await each.open(item) }
    try await one.flush()
    let (hasEdited, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let typing = Task { try await one.type("typed", hasEdited, until: goOn) }
    await wait(for: hasEdited)
    try await two.type("other")
    let flushing = Task { try await two.flush() }
    // The flush tries to end the frame meanwhile.
    try await Task.sleep(for: .milliseconds(30))
    goOn.signal()
    try await flushing.value
    // As by a kill: whatever the journal has not written is lost.
    let next = try await temporary.relaunch()
    try await typing.value
    let (first, second) = (try await session("one", next).shown, try await session("two", next).shown)
    XCTAssertTrue(["typed 5", "chair 0"].contains(first), first)
    XCTAssertEqual(second, "other 5")
  }

  func testAStalledActorDelaysTheTypingOfAnother() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let item = try await item(temporary.store, "chair")
    let (one, two) = (try await session("one", temporary.store), try await session("two", temporary.store))
    for each in [one, two] { try await each.open(item) }
    let (hasEdited, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let typing = Task { try await one.type("stalled", hasEdited, until: goOn) }
    await wait(for: hasEdited)
    for number in 0..<100 { try await two.type("text \(number)") }
    // It waits for the stalled turn at most 200 ms, and then cuts it.
    try await two.flush()
    goOn.signal()
    try await typing.value
    let next = try await temporary.relaunch()
    let shown = try await session("two", next).shown
    XCTAssertEqual(shown, "text 99 7")
  }

  func testAnActorCannotTakeASceneOver() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let item = try await item(temporary.store, "chair")
    let one = try await session("scene", temporary.store)
    try await one.open(item)
    try await one.type("typed")
    do {
      _ = try await session("scene", temporary.store)
      XCTFail("two actors have one scene")
    } catch RestorationError.sceneInUse("scene", _) {
    }
    let two = try await session("scene", temporary.store, takesOver: true)
    let isTakenOver = await one.isTakenOver
    XCTAssertTrue(isTakenOver)
    let shown = try await two.shown
    XCTAssertEqual(shown, "typed 5")
  }

  func testAFailedWriteIsToldToOneActorOnly() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let (one, two) = (try await session("one", temporary.store), try await session("two", temporary.store))
    SceneOwners.known(of: temporary.store)?.writingFailed(.closed(path: "disk"))
    for each in [one, two] {
      var problems: [String] = []
      while problems.isEmpty { problems = await each.problems }
      XCTAssertEqual(problems.count, 1)
    }
  }

  func testAnyActorListsAndRemovesScenes() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let item = try await item(temporary.store, "chair")
    let one = try await session("one", temporary.store)
    try await one.open(item)
    try await one.flush()
    let store = temporary.store
    XCTAssertEqual(try Restoration.scenes(in: store).map(\.isInUse), [true])
    XCTAssertThrowsError(try Restoration.removeScene("one", in: store))
    await one.end()
    try Restoration.removeScene("one", in: store)
    XCTAssertEqual(try Restoration.scenes(in: store), [])
  }

  /// Waits without blocking a thread of Swift's pool.
  private func wait(for semaphore: DispatchSemaphore) async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        _ = semaphore.wait(timeout: .now() + 60)
        continuation.resume()
      }
    }
  }
}
