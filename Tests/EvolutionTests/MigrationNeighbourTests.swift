import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import RepriseTestProcesses
import Synchronization
import XCTest

/// Words that are no numbers, by default.
private final class WordPrice: Version {
  static let entity = Entity(
    WordPrice.self, name: "Price",
    properties: [.attribute("amount", String.self, default: "none"), .attribute("label", String.self, indexed: true)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// Another process with an older version of the program: this test program again, in `testSavesAsAChild`. It opens the
/// store, and saves an object when it is told to.
private struct OlderProgram {
  static var path: String? { ProcessInfo.processInfo.environment["REPRISE_OLDER"] }
  static var isLabel: Bool { ProcessInfo.processInfo.environment["REPRISE_OLDER_LABEL"] == "1" }

  private let child: ChildProcess

  /// Returns when it has opened the store.
  init(_ path: String, isLabel: Bool) throws {
    child = try ChildProcess(
      test: "RepriseEvolutionTests.MigrationNeighbourTests/testSavesAsAChild",
      ["REPRISE_OLDER": path, "REPRISE_OLDER_LABEL": isLabel ? "1" : "0"])
    XCTAssertEqual(child.heard(), "ready")
  }

  /// Lets it save, and returns what came of that.
  func save() -> String? {
    child.tell("save")
    return child.heard()
  }

  func end() { child.kill() }
}

/// What others do to a store while it is migrated.
final class MigrationNeighbourTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  func testSavesAsAChild() async throws {
    guard let path = OlderProgram.path else { throw XCTSkip("for a process beside") }
    do {
      let model: any PersistentModel.Type = OlderProgram.isLabel ? Label.self : TextPrice.self
      let store = try await Store.open(path, for: Schema([model]))
      ChildProcess.say("ready")
      ChildProcess.waitForParent()
      let context = RootContext(store)
      if OlderProgram.isLabel {
        context.insert(Label(["label": "new"]))
      } else {
        context.insert(TextPrice(["amount": "much", "label": "new"]))
      }
      try await context.save()
      ChildProcess.say("saved")
      ChildProcess.waitForParent()
    } catch SaveError.store(.incompatible) {
      ChildProcess.say("incompatible")
    } catch SaveError.store(.migration(.outdatedProgram)) {
      ChildProcess.say("outdated")
    } catch {
      ChildProcess.say("failed \(error)")
    }
  }

  private func fill<Model: Version>(_ model: Model.Type, _ count: Int) async throws {
    let store = try await Store.open(path, for: Schema(model))
    let context = RootContext(store)
    for number in 0..<count { context.insert(Model(["amount": "\(number)", "label": "l"])) }
    try await context.save()
    try await store.close()
  }

  /// A plan that does something once, in the middle of the trial.
  private static func plan(oldest: Int? = nil, _ body: @escaping @Sendable () -> Void) -> MigrationPlan {
    let isDone = Mutex(false)
    return MigrationPlan(
      Migration(
        to: 1, "Prices are numbers",
        AttributeConversion("amount", of: "Price", from: String.self, to: Int.self) { text in
          let isFirst = isDone.withLock { isDone in
            defer { isDone = true }
            return !isDone
          }
          if isFirst { body() }
          guard let amount = Int(text) else { throw NoNumber() }
          return amount
        }), oldestVersion: oldest)
  }

  /// Sorted: two processes may each think that its objects were born first.
  private func amounts(in store: Store) throws -> [Int64] {
    try RootContext(store).fetch(Fetch<Price>()).compactMap { price in
      if case .int(let amount) = price["amount"] { amount } else { nil }
    }.sorted()
  }

  func testWhatOthersSaveDuringTheTrialIsTriedAsWell() async throws {
    #if os(Linux)
    try await fill(TextPrice.self, 100)
    let older = try OlderProgram(path, isLabel: false)
    defer { older.end() }
    let plan = Self.plan { XCTAssertEqual(older.save(), "saved") }
    do {
      _ = try await Store.open(path, for: Schema(Price.self), migrations: plan)
      XCTFail("converted a text that is no number")
    } catch StoreError.migration(.value(let value, of: _, "amount", migration: _, reason: _)) {
      XCTAssertEqual(value, .string("much"))
    }
    older.end()
    // As the error says, it can be mended with the version before.
    let store = try await Store.open(path, for: Schema(TextPrice.self))
    let context = RootContext(store)
    for price in try context.fetch(Fetch<TextPrice>()) where price["amount"] == .string("much") {
      price["amount"] = .string("100")
    }
    try await context.save()
    try await store.close()
    let again = try await Store.open(
      path, for: Schema(Price.self), migrations: MigrationPlan(toNumbers))
    XCTAssertEqual(try amounts(in: again), Array(0...100))
    try await again.close()
    #endif
  }

  func testAnObjectThatAProgramWithoutTheAttributeInsertsMeanwhileKeepsNoMigrationFromItsEnd() async throws {
    #if os(Linux)
    try await fill(WordPrice.self, 3_000)
    let older = try OlderProgram(path, isLabel: true)
    defer { older.end() }
    let isFirst = Mutex(true)
    let store = try await Store.open(
      path, for: Schema(Price.self), migrations: Self.plan(oldest: 0) {}
    ) { _ in
      let isFirst = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      if isFirst { XCTAssertEqual(older.save(), "saved") }
    }
    older.end()
    XCTAssertEqual(try amounts(in: store), [0] + Array(0..<3_000), "it has the default")
    try await assertSound(store)
    try await store.close()
    #endif
  }

  func testARunningProgramIsStoppedIfItHasTheOldTypeThoughOlderOnesMayGoOn() async throws {
    #if os(Linux)
    for (oldest, expected) in [(0, "incompatible"), (nil, "outdated")] {
      try await fill(TextPrice.self, 10)
      let older = try OlderProgram(path, isLabel: false)
      defer { older.end() }
      let store = try await Store.open(
        path, for: Schema(Price.self), migrations: Self.plan(oldest: oldest) {})
      XCTAssertEqual(older.save(), expected)
      older.end()
      XCTAssertEqual(try RootContext(store).count(Fetch<Price>()), 10)
      try await assertSound(store)
      try await store.close()
      try FileManager.default.removeItem(atPath: path)
    }
    #endif
  }
}
