import Foundation
import RepriseCore
import RepriseTestSeeds
import Synchronization
import XCTest

/// Screens are there while the store that others of them need is still migrating, slice by slice.
@MainActor final class MigratingRestorationTests: XCTestCase {
  private let folder = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  private static let context: RestorationKey<RootContext> = "context"

  override func setUp() async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  override func tearDown() async throws { try FileManager.default.removeItem(atPath: folder) }

  private struct State: Codable, Sendable { var row = 0 }

  @MainActor private final class Welcome {
    static let kind = NodeKind<State, Welcome>("welcome")
    let node: RestorationNode<State>
    init(_ node: RestorationNode<State>) { self.node = node }
  }

  @MainActor private final class List {
    static let kind = NodeKind<State, List>("list")
    let node: RestorationNode<State>
    let context: RootContext
    init(_ node: RestorationNode<State>, _ context: RootContext) { (self.node, self.context) = (node, context) }
  }

  private func launch(
    _ screens: Store, opening: @escaping @MainActor (Restoration) async throws -> Store
  ) async throws -> Restoration {
    let restoration = Restoration(screens)
    try restoration.register(late: Self.context) { try await opening(restoration).mainContext }
    try restoration.define(Welcome.kind) { Welcome($0) }
    try restoration.define(List.kind, needs: .registered(Self.context)) { List($0, $1) }
    try await restoration.restore()
    return restoration
  }

  func testScreensThatNeedNoStoreAreThereWhileItMigratesWithItsProgressAndTheOthersFollow() async throws {
    var random = SeededGenerator(seed: testSeed())
    let (data, screens) = (folder + "/data", folder + "/screens")
    let pets = try await PetStore(data, 5_000, &random)
    do {
      let store = try await Store.open(screens, for: Schema())
      let old = try await Store.open(data, for: PetStore.old)
      let restoration = try await launch(store) { _ in old }
      try await restoration.waitUntilSettled()
      try restoration.open(Welcome.kind, id: "welcome", state: State(row: 1))
      try restoration.open(List.kind, id: "list", state: State(row: 2))
      try await restoration.keepPreview([7])
      try await restoration.flush()
      restoration.end()
      try await old.close()
      try await store.close()
    }

    // What the scene showed is there before anything is open.
    XCTAssertEqual(Restoration.preview(at: screens)?.bytes, [7])
    let slices = Mutex(0)
    let goOn = DispatchSemaphore(value: 0)
    let restoration = try await launch(try await Store.open(screens, for: Schema())) { restoration in
      let bar = ProgressBar(restoration)
      return try await Store.open(data, for: PetStore.new, migrations: MigrationPlan(toPets)) { step in
        let fraction = Double(step.done) / Double(max(step.total, 1))
        Task { @MainActor in bar.restoration.reportProgress(fraction, of: Self.context) }
        // The first slice is not the last, and waits until the screens were seen.
        slices.withLock { $0 += 1 }
        _ = goOn.wait(timeout: .now() + 60)
      }
    }
    var shown: [Double] = []
    restoration.onLateProgress = { shown += restoration.lateObjects.compactMap(\.fraction) }
    let welcome = try XCTUnwrap(try restoration.screen(Welcome.kind, at: NodePath(["welcome"])))
    XCTAssertEqual(welcome.node.state.row, 1)
    XCTAssertEqual(restoration.report?.outcome(at: try NodePath(["list"])), .pending(key: "context"))
    while shown.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    XCTAssertEqual(restoration.lateObjects.map(\.stage), [.pending])
    XCTAssertEqual(restoration.lateObjects.map(\.waitingNodes), [1])
    // The screens that are there are used, and what they are set to is kept meanwhile.
    welcome.node.state.row = 3
    try await restoration.flush()
    XCTAssertEqual(slices.withLock { $0 }, 1, "it has not gone on")
    for _ in 0..<1_000 { goOn.signal() }

    let report = try await restoration.waitUntilSettled()
    XCTAssertTrue(report.isSettled)
    let list = try XCTUnwrap(try restoration.screen(List.kind, at: NodePath(["list"])))
    XCTAssertEqual(list.node.state.row, 2)
    try pets.expect(list.context.store)
    XCTAssertGreaterThan(shown.count, 1, "slices: \(shown)")
  }
}

/// Reports the progress of another thread.
@MainActor private final class ProgressBar {
  let restoration: Restoration

  init(_ restoration: Restoration) { self.restoration = restoration }
}
