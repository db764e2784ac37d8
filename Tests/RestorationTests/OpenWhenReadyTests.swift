import RepriseRestoration
import XCTest

/// What is opened waits for all that it needs, however it needs it.
final class OpenWhenReadyTests: RestorationTestCase {
  @MainActor private final class Page: @MainActor RestorableScreen {
    let shelf: Shelf?
    var decoded: Shelf?
    init(_ shelf: Shelf?) { self.shelf = shelf }
    func encodeRestorableState(with coder: RestorationEncoder) {
      coder.encodeReference(to: Keys.shelf, forKey: "shelf")
    }
    func decodeRestorableState(with coder: RestorationDecoder) throws {
      decoded = coder.decodeObject(forKey: "shelf") as? Shelf
    }
  }

  private func launch(_ gate: Gate, within limit: Duration? = nil) async throws -> Restoration {
    let run = Restoration(storage: storage, sleep: { _ in })
    try run.register(late: Keys.shelf, within: limit) { try await gate.value() }
    try run.define(object: Keys.other, initial: 0, needs: .registered(Keys.shelf)) {
      (_: RestorationNode<Int>, shelf) in Shelf("made with \(shelf.name)")
    }
    try run.define(ListScreen.kind, needs: .registered(Keys.other)) { ListScreen($0, $1) }
    try run.define(twoPhase: "page", needs: .registered(Keys.other)) { _, _, shelf in Page(shelf) }
    try run.define(twoPhase: "plain page") { _, _ in Page(nil) }
    try await run.restore()
    return run
  }

  private func opened<Screen: Sendable>(
    _ open: @escaping @MainActor (Restoration) async throws -> Screen
  ) async throws -> Screen {
    let gate = Gate()
    let run = try await launch(gate)
    let task = Task { try await open(run) }
    for _ in 0..<10 { await Task.yield() }
    gate.open(.success(Shelf("late")))
    return try await task.value
  }

  func testANodeWaitsForWhatTheFactoryOfItsObjectNeeds() async throws {
    let list = try await opened { try await $0.openWhenReady(ListScreen.kind, id: "list", state: Row()) }
    XCTAssertEqual(list.shelf.name, "made with late")
  }

  func testATwoPhaseNodeWaitsForWhatItsKindNeeds() async throws {
    let page: Page = try await opened { try await $0.openWhenReady("page", id: "page") }
    XCTAssertEqual(page.shelf?.name, "made with late")
  }

  func testATwoPhaseNodeWaitsForWhatItsStateRefersTo() async throws {
    let page: Page = try await opened {
      try await $0.openWhenReady("plain page", id: "page") { $0.encodeReference(to: Keys.shelf, forKey: "shelf") }
    }
    XCTAssertEqual(page.decoded?.name, "late")
  }

  func testWhatIsOverdueIsNotWaitedForWithoutAnEnd() async throws {
    let run = try await launch(Gate(), within: .seconds(1))
    do {
      _ = try await run.openWhenReady(ListScreen.kind, id: "list", state: Row())
      XCTFail("it was made of nothing")
    } catch RestorationError.notBuilt {
    }
  }
}
