import Reprise
import XCTest

/// Flutter's RestorationMixin.
final class FlutterTests: PortingTestCase {
  struct CounterState: Codable, Sendable {
    // final RestorableInt _counter = RestorableInt(0);
    var counter = 0
    // final RestorableTextEditingController _note
    var note = ""
  }

  @MainActor final class Counter {
    // String? get restorationId => 'counter';
    static let kind = NodeKind<CounterState, Counter>("Counter")
    let node: RestorationNode<CounterState>

    // void restoreState(RestorationBucket? oldBucket, bool initialRestore)
    init(_ node: RestorationNode<CounterState>) { self.node = node }

    // setState(() => _counter.value++);
    func increment() { node.state.counter += 1 }
  }

  private func launch(_ store: Store) async throws -> Restoration {
    // RootRestorationScope
    let restoration = Restoration(store)
    try restoration.define(Counter.kind) { node in Counter(node) }
    try await restoration.restore()
    return restoration
  }

  func testRestartAndRestore() async throws {
    let temporary = try await makeStore()
    let restoration = try await launch(temporary.store)
    let home = try restoration.open(Counter.kind, id: "home", state: CounterState())
    // Navigator.of(context).restorablePush(_route)
    try restoration.open(Counter.kind, id: "dialog", under: home.node.path, state: CounterState(note: "Hello"))
    home.increment()
    home.increment()

    // await tester.restartAndRestore();
    let again = try await launch(temporary.relaunch())
    XCTAssertEqual(try again.screen(Counter.kind, at: home.node.path)?.node.state.counter, 2)
    let dialog = try XCTUnwrap(try again.screen(Counter.kind, at: home.node.path.appending("dialog")))
    XCTAssertEqual(dialog.node.state.note, "Hello")
    // Navigator.of(context).pop();
    dialog.node.close()
    let third = try await launch(temporary.relaunch())
    XCTAssertEqual(third.report?.entries.map(\.path.text), ["home"])
  }

  func testTwoBucketsOfOneIDInOneParentAreAnErrorAndAHandoverIsNot() async throws {
    let temporary = try await makeStore()
    let restoration = try await launch(temporary.store)
    let first = try restoration.open(Counter.kind, id: "home", state: CounterState(counter: 1))
    XCTAssertThrowsError(try restoration.open(Counter.kind, id: "home", state: CounterState())) { error in
      guard case RestorationError.duplicate(id: "home", _, _) = error else { return XCTFail("\(error)") }
    }
    // Within one frame a new owner may claim the ID before the former one disposes of it.
    try restoration.handOver {
      try restoration.open(Counter.kind, id: "home", state: first.node.state)
      first.node.close()
    }
    XCTAssertEqual(try restoration.screen(Counter.kind, at: NodePath(["home"]))?.node.state.counter, 1)
  }
}
