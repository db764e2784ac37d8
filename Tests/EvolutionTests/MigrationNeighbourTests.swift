import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
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
private final class OlderProgram: @unchecked Sendable {
  static var path: String? { ProcessInfo.processInfo.environment["REPRISE_OLDER"] }
  static var isLabel: Bool { ProcessInfo.processInfo.environment["REPRISE_OLDER_LABEL"] == "1" }

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var text = ""

  init(_ path: String, isLabel: Bool) throws {
    process.executableURL = URL(
      fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    process.arguments = ["RepriseEvolutionTests.MigrationNeighbourTests/testSavesAsAChild"]
    process.environment = ProcessInfo.processInfo.environment.merging([
      "REPRISE_OLDER": path, "REPRISE_OLDER_LABEL": isLabel ? "1" : "0",
    ]) { $1 }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  /// Waits for one of some words; `nil` if it ended before.
  func wait(for words: String...) -> String? {
    while true {
      if let found = words.first(where: { text.contains($0) }) { return found }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      text += String(decoding: more, as: UTF8.self)
    }
  }

  /// Lets it save, and returns what came of that.
  func save() -> String? {
    input.fileHandleForWriting.write(Data("save\n".utf8))
    return wait(for: "reprise-saved", "reprise-incompatible", "reprise-outdated", "reprise-failed")
  }

  func end() {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }
}

/// What others do to a store while it is migrated.
final class MigrationNeighbourTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  func testSavesAsAChild() async throws {
    guard let path = OlderProgram.path else { throw XCTSkip("for a process beside") }
    func tell(_ word: String) { FileHandle.standardOutput.write(Data("\(word)\n".utf8)) }
    do {
      let model: any PersistentModel.Type = OlderProgram.isLabel ? Label.self : TextPrice.self
      let store = try await Store.open(path, for: Schema([model]))
      tell("reprise-ready")
      _ = readLine()
      let context = RootContext(store)
      if OlderProgram.isLabel {
        context.insert(Label(["label": "new"]))
      } else {
        context.insert(TextPrice(["amount": "much", "label": "new"]))
      }
      try await context.save()
      tell("reprise-saved")
      _ = readLine()
    } catch SaveError.store(.incompatible) {
      tell("reprise-incompatible")
    } catch SaveError.store(.migration(.outdatedProgram)) {
      tell("reprise-outdated")
    } catch {
      tell("reprise-failed \(error)")
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
    XCTAssertNotNil(older.wait(for: "reprise-ready"))
    let plan = Self.plan { XCTAssertEqual(older.save(), "reprise-saved") }
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
    XCTAssertNotNil(older.wait(for: "reprise-ready"))
    let isFirst = Mutex(true)
    let store = try await Store.open(
      path, for: Schema(Price.self), migrations: Self.plan(oldest: 0) {}
    ) { _ in
      let isFirst = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      if isFirst { XCTAssertEqual(older.save(), "reprise-saved") }
    }
    older.end()
    XCTAssertEqual(try amounts(in: store), [0] + Array(0..<3_000), "it has the default")
    try await assertSound(store)
    try await store.close()
    #endif
  }

  func testARunningProgramIsStoppedIfItHasTheOldTypeThoughOlderOnesMayGoOn() async throws {
    #if os(Linux)
    for (oldest, expected) in [(0, "reprise-incompatible"), (nil, "reprise-outdated")] {
      try await fill(TextPrice.self, 10)
      let older = try OlderProgram(path, isLabel: false)
      defer { older.end() }
      XCTAssertNotNil(older.wait(for: "reprise-ready"))
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
