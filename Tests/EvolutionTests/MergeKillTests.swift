import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import RepriseTestProcesses
import RepriseTestSeeds
import Synchronization
import XCTest

/// Entities that are merged while others have the store open, by processes that are killed.
final class MergeKillTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private func open(_ plan: MigrationPlan, progress: (@Sendable (MigrationProgress) -> Void)? = nil) async throws
    -> Store
  {
    try await Store.open(path, for: PetStore.new, migrations: plan, progress: progress)
  }

  func testMergesAsAChild() async throws {
    guard let path = ProcessInfo.processInfo.environment["REPRISE_MERGING"] else {
      throw XCTSkip("for a process that is killed")
    }
    _ = try await Store.open(
      path, for: PetStore.new, migrations: MigrationPlan(toPets)
    ) { _ in
      ChildProcess.say("slice")
      ChildProcess.waitForParent()
    }
  }

  func testNoKillLosesAnObjectThatMoves() async throws {
    #if os(Linux)
    var random = SeededGenerator(seed: testSeed())
    let pets = try await PetStore(path, 4_000, &random)
    for kill in 0..<4 {
      let child = try ChildProcess(
        test: "RepriseEvolutionTests.MergeKillTests/testMergesAsAChild", ["REPRISE_MERGING": path])
      guard child.wait(for: "slice") != nil else { return XCTFail("kill \(kill): there is nothing left to be merged") }
      // All kills together let fewer slices pass than there are, so that each of them comes in the middle.
      for _ in 0..<Int.random(in: 0...2, using: &random) { child.tell("go on") }
      usleep(UInt32.random(in: 0...60_000, using: &random))
      child.kill()
      let report = try await StoreMaintenance.check(path)
      XCTAssertTrue(report.isSound)
    }
    let store = try await open(MigrationPlan(toPets))
    try pets.expect(store)
    try await assertSound(store)
    try await store.close()
    #endif
  }

  func testAnOpeningThatWaitsShowsHowFarTheOtherIsAndGoesOnWhenThatIsKilled() async throws {
    #if os(Linux)
    var random = SeededGenerator(seed: testSeed())
    let pets = try await PetStore(path, 2_500, &random)
    let child = try ChildProcess(
      test: "RepriseEvolutionTests.MergeKillTests/testMergesAsAChild", ["REPRISE_MERGING": path])
    XCTAssertNotNil(child.wait(for: "slice"))
    do {
      _ = try await open(MigrationPlan(toPets))
      XCTFail("two processes migrate")
    } catch StoreError.migration(.inProgress) {}
    let steps = Mutex<[MigrationProgress]>([])
    let other = child.identifier
    let store = try await open(MigrationPlan(toPets, waitsForOthers: true)) { step in
      steps.withLock { $0.append(step) }
      // The first is told while the other one waits as well.
      if steps.withLock({ $0.count }) == 1 { kill(other, SIGKILL) }
    }
    child.kill()
    XCTAssertGreaterThan(steps.withLock { $0.count }, 2)
    XCTAssertGreaterThan(steps.withLock { $0[0].done + $0[0].total }, 0)
    try pets.expect(store)
    try await assertSound(store)
    try await store.close()
    #endif
  }

  func testSavesCatsAsAChild() async throws {
    guard let path = ProcessInfo.processInfo.environment["REPRISE_CATS"] else {
      throw XCTSkip("for a program of its own")
    }
    let store = try await Store.open(path, for: PetStore.old)
    let context = RootContext(store)
    let cat = try XCTUnwrap(try context.fetch(Fetch<Cat>()).first)
    ChildProcess.say("open")
    ChildProcess.waitForParent()
    cat["name"] = .string("after the merge")
    var said = "saved"
    do {
      try await context.save()
    } catch SaveError.store(.migration(.outdatedProgram)) {
      said = "outdated"
    } catch { said = "failed: \(error)" }
    ChildProcess.say(said)
    ChildProcess.waitForParent()
  }

  func testARunningProgramIsStoppedIfItsEntityIsGone() async throws {
    #if os(Linux)
    var random = SeededGenerator(seed: testSeed())
    let pets = try await PetStore(path, 10, &random)
    let child = try ChildProcess(
      test: "RepriseEvolutionTests.MergeKillTests/testSavesCatsAsAChild", ["REPRISE_CATS": path])
    XCTAssertNotNil(child.wait(for: "open"))
    let store = try await open(MigrationPlan(toPets, oldestVersion: 0))
    child.tell("save")
    XCTAssertNotNil(child.wait(for: "outdated"))
    child.kill()
    try pets.expect(store)
    try await assertSound(store)
    try await store.close()
    #endif
  }
}
