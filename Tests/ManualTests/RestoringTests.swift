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

private struct NotesState: Codable, Sendable {
  var about: NodeReference?
}

@MainActor private final class NotesScreen {
  static let kind = NodeKind<NotesState, NotesScreen>("Notes")
  let node: RestorationNode<NotesState>
  init(_ node: RestorationNode<NotesState>) { self.node = node }
}

/// What comes from somewhere else.
private struct Prices { var euros: [String: Int] = [:] }

/// Says yes to one call and no to another, and takes its time.
@MainActor private final class Service {
  struct Offline: Error {}
  private let (answers, answer) = AsyncStream<Prices?>.makeStream()

  func prices(_ progress: (Double) -> Void) async throws -> Prices {
    progress(0.5)
    for await prices in answers {
      guard let prices else { throw Offline() }
      return prices
    }
    throw CancellationError()
  }

  func answers(_ prices: Prices?) { answer.yield(prices) }
}

@MainActor private final class Window {
  var status = ""
  var shown: [AnyObject?] = []
  func show(_ screen: AnyObject?, insteadOf former: AnyObject) { shown += [former, screen] }
}

@MainActor private final class PriceScreen {
  static let kind = NodeKind<ShelfState, PriceScreen>("Prices", title: { "Prices from \($0.firstVisible) on" })
  let prices: Prices
  init(_ prices: Prices) { self.prices = prices }
}

final class RestoringTests: ManualTestCase {
  /// - Returns: Once something has failed, is overdue or is there.
  private func launch(
    _ store: Store, _ service: Service, _ window: Window, within patience: Duration = .seconds(60),
    until isSo: (Restoration) -> Bool
  ) async throws -> (Restoration, RestorationKey<Prices>) {
    let restoration = Restoration(store)
    let prices: RestorationKey<Prices> = "prices"
    try restoration.define(PriceScreen.kind, needs: .registered(prices)) { PriceScreen($1) }
    try restoration.register(late: prices, within: patience, placeholder: Prices()) {
      try await service.prices { fraction in restoration.reportProgress(fraction, of: prices) }
    }
    restoration.onLateProgress = {
      for object in restoration.lateObjects {
        window.status = "\(object.key): \(object.stage) \(object.fraction ?? 0), \(object.waitingNodes) wait"
      }
    }
    restoration.onReplacement = { path, former, screen in window.show(screen, insteadOf: former) }
    restoration.onTakeover = { print("another window has this scene now") }
    restoration.sceneConflictPolicy = .takeOver
    try await restoration.restore()
    while !isSo(restoration) { try await Task.sleep(for: .milliseconds(1)) }
    return (restoration, prices)
  }

  func testWhatIsLateIsShownAsItComesReplacedWhenItIsThereAndTriedAgain() async throws {
    let (service, window) = (Service(), Window())
    service.answers(Prices(euros: ["Invisible Cities": 12]))
    var (restoration, _) = try await launch(makeStore(), service, window) { $0.lateObjects.isEmpty }
    try restoration.open(PriceScreen.kind, id: "prices", state: ShelfState(firstVisible: 3))
    try await restoration.flush()

    // It fails, and is tried again.
    service.answers(nil)
    let prices: RestorationKey<Prices>
    (restoration, prices) = try await launch(relaunch(), service, window) {
      $0.lateObjects.contains(where: \.hasFailed)
    }
    XCTAssertTrue(window.status.contains("Offline"), window.status)
    for node in try restoration.recoverableNodes() {
      print(node.title ?? node.path.text, node.outcome, node.drafts.flatMap(\.preview))
    }
    for lost in try restoration.recoverableDrafts() {
      print(lost.title ?? lost.draft.id, lost.draft.changedAt ?? 0, lost.draft.byteCount, lost.draft.preview)
    }
    XCTAssertEqual(try restoration.recoverableNodes().map(\.title), ["Prices from 3 on"])
    service.answers(Prices(euros: ["Invisible Cities": 13]))
    if restoration.lateObjects.contains(where: \.hasFailed) { restoration.retry(prices) }
    try await restoration.waitUntilSettled()
    let path = try NodePath(["prices"])
    XCTAssertEqual(try restoration.screen(PriceScreen.kind, at: path)?.prices.euros, ["Invisible Cities": 13])

    // It is overdue, and comes after all.
    (restoration, _) = try await launch(relaunch(), service, window, within: .milliseconds(1)) {
      $0.lateObjects.first?.stage == .overdue
    }
    let empty = try XCTUnwrap(try restoration.screen(PriceScreen.kind, at: path))
    XCTAssertEqual(empty.prices.euros, [:])
    service.answers(Prices(euros: ["Invisible Cities": 14]))
    while window.shown.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    XCTAssertTrue(window.shown.first.map { $0 === empty } == true)
    XCTAssertEqual(try restoration.screen(PriceScreen.kind, at: path)?.prices.euros, ["Invisible Cities": 14])
  }

  private func launch(_ store: Store) async throws -> (restoration: Restoration, report: RestorationReport) {
    let restoration = Restoration(store)
    let main: RestorationKey<RootContext> = "main"
    try restoration.register(store.mainContext, as: main)
    try restoration.define(ShelfScreen.kind, needs: .registered(main)) { node, context in ShelfScreen(node, context) }
    try restoration.define(EditorScreen.kind, needs: .ownContext(childOf: .registered(main))) { node, context in
      try EditorScreen(node, context)
    }
    let report = try await restoration.restore()
    try restoration.define(NotesScreen.kind) { NotesScreen($0) }
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

  func testAScreenThatIsAboutAnotherFindsItWhereverThatIsMoved() async throws {
    let store = try await makeStore()
    let book = try await fill(store)[0]
    let (restoration, _) = try await launch(store)
    let editor = try restoration.open(EditorScreen.kind, id: "editor", state: EditorState(book: book.id))
    let notes = try restoration.open(NotesScreen.kind, id: "notes", state: NotesState(about: editor.node.reference))
    try editor.node.move(id: "in front", under: nil)
    try await restoration.flush()
    try await later(at: notes.node.path)
  }

  private func later(at path: NodePath) async throws {
    let (again, _) = try await launch(relaunch())
    let notes = try XCTUnwrap(try again.screen(NotesScreen.kind, at: path))
    let about = try notes.node.state.about.flatMap { try again.screen(EditorScreen.kind, of: $0) }
    XCTAssertEqual(about?.node.path.text, "in front")
    about?.node.close()
    XCTAssertNil(try notes.node.state.about.flatMap { try again.screen(EditorScreen.kind, of: $0) })
  }
}
#endif
