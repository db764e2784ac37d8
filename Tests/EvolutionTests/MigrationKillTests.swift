import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import RepriseTestSeeds
import XCTest

/// Another process migrates, and is killed: this test program again, in `testMigratesAsAChild`.
private final class MigratingProcess {
  static var path: String? { ProcessInfo.processInfo.environment["REPRISE_MIGRATING"] }
  static var waits: Bool { ProcessInfo.processInfo.environment["REPRISE_MIGRATING_WAITS"] == "1" }

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// - Parameter waits: Whether it stops after each slice.
  init(_ path: String, waits: Bool) throws {
    process.executableURL = URL(
      fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    process.arguments = ["RepriseEvolutionTests.MigrationKillTests/testMigratesAsAChild"]
    process.environment = ProcessInfo.processInfo.environment.merging([
      "REPRISE_MIGRATING": path, "REPRISE_MIGRATING_WAITS": waits ? "1" : "0",
    ]) { $1 }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  /// Waits until it has told of a slice; false if it ended before.
  func hasConverted() -> Bool {
    var text = ""
    while !text.contains("reprise-slice") {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return false }
      text += String(decoding: more, as: UTF8.self)
    }
    return true
  }

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}

final class MigrationKillTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  func testMigratesAsAChild() async throws {
    guard let path = MigratingProcess.path else { throw XCTSkip("for a process that is killed") }
    _ = try await Store.open(path, for: Price.self, durability: .relaxed, migrations: MigrationPlan(toNumbers)) { _ in
      FileHandle.standardOutput.write(Data("reprise-slice\n".utf8))
      if MigratingProcess.waits { _ = readLine() }
    }
  }

  func testNoKillLosesAValueAndTheNextOpeningGoesOn() async throws {
    #if os(Linux)
    var random = SeededGenerator(seed: testSeed())
    let count = 30_000
    let store = try await Store.open(path, for: TextPrice.self, durability: .relaxed)
    let context = RootContext(store)
    for number in 0..<count { context.insert(TextPrice(["amount": "\(number)", "label": "l\(number % 3)"])) }
    try await context.save()
    try await store.close()
    for kill in 0..<4 {
      let waits = kill % 2 == 0
      let child = try MigratingProcess(path, waits: waits)
      guard child.hasConverted() else { break }
      if waits {
        do {
          _ = try await Store.open(path, for: Price.self, migrations: MigrationPlan(toNumbers))
          XCTFail("two processes migrate")
        } catch StoreError.migration(.inProgress) {}
      } else {
        usleep(UInt32.random(in: 0...30_000, using: &random))
      }
      child.kill()
      let report = try await Store.check(path)
      XCTAssertTrue(report.isSound)
    }
    let again = try await Store.open(
      path, for: Price.self, durability: .relaxed, migrations: MigrationPlan(toNumbers))
    let amounts = try RootContext(again).fetch(Fetch<Price>()).map { $0["amount"] }
    XCTAssertEqual(amounts, (0..<count).map { .int(Int64($0)) })
    try await assertSound(again)
    try await again.close()
    #endif
  }
}
