import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import RepriseTestProcesses
import RepriseTestSeeds
import XCTest

final class MigrationKillTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  func testMigratesAsAChild() async throws {
    guard let path = ProcessInfo.processInfo.environment["REPRISE_MIGRATING"] else {
      throw XCTSkip("for a process that is killed")
    }
    _ = try await Store.open(path, for: Price.self, migrations: MigrationPlan(toNumbers)) { _ in
      ChildProcess.say("slice")
      ChildProcess.waitForParent()
    }
  }

  func testNoKillLosesAValueAndTheNextOpeningGoesOn() async throws {
    #if os(Linux)
    var random = SeededGenerator(seed: testSeed())
    // More slices than all kills together let pass, so that each of them comes in the middle.
    let count = 50_000
    let store = try await Store.open(path, for: TextPrice.self)
    let context = RootContext(store)
    for number in 0..<count { context.insert(TextPrice(["amount": "\(number)", "label": "l\(number % 3)"])) }
    try await context.save()
    try await store.close()
    for kill in 0..<4 {
      let child = try ChildProcess(
        test: "RepriseEvolutionTests.MigrationKillTests/testMigratesAsAChild", ["REPRISE_MIGRATING": path])
      guard child.wait(for: "slice") != nil else {
        return XCTFail("kill \(kill): there is nothing left to be migrated")
      }
      if kill % 2 == 0 {
        do {
          _ = try await Store.open(path, for: Price.self, migrations: MigrationPlan(toNumbers))
          XCTFail("two processes migrate")
        } catch StoreError.migration(.inProgress) {}
      } else {
        for _ in 0..<Int.random(in: 1...3, using: &random) { child.tell("go on") }
        usleep(UInt32.random(in: 0...30_000, using: &random))
      }
      child.kill()
      let report = try await StoreMaintenance.check(path)
      XCTAssertTrue(report.isSound)
    }
    let again = try await Store.open(
      path, for: Price.self, migrations: MigrationPlan(toNumbers))
    let amounts = try RootContext(again).fetch(Fetch<Price>()).map { $0["amount"] }
    XCTAssertEqual(amounts, (0..<count).map { .int(Int64($0)) })
    try await assertSound(again)
    try await again.close()
    #endif
  }
}
