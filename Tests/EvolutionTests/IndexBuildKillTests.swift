import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import RepriseTestProcesses
import RepriseTestSeeds
import XCTest

final class IndexBuildKillTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  func testBuildsAsAChild() async throws {
    guard let path = ProcessInfo.processInfo.environment["REPRISE_INDEXING"] else {
      throw XCTSkip("for a process that is killed")
    }
    let store = try await Store.open(path, for: Part.self)
    ChildProcess.say("open")
    try await store.waitForIndexes()
    ChildProcess.say("ready")
  }

  func testKillsWhileAnotherProgramSavesLeaveAnIndexThatGoesOn() async throws {
    #if os(Linux)
    var random = SeededGenerator(seed: testSeed())
    let store = try await Store.open(path, for: BarePart.self)
    let context = RootContext(store)
    let count = 20_000
    for number in 0..<count {
      context.insert(BarePart(["number": number, "label": "l\(number % 5)", "note": "w\(number % 100) common"]))
    }
    try await context.save()
    let parts = try context.fetch(Fetch<BarePart>())
    for kill in 0..<6 {
      let child = try ChildProcess(
        test: "RepriseEvolutionTests.IndexBuildKillTests/testBuildsAsAChild", ["REPRISE_INDEXING": path])
      guard child.wait(for: "open") != nil else { return XCTFail("the child could not open the store") }
      for _ in 0..<Int.random(in: 0...60, using: &random) {
        parts.randomElement(using: &random)?["number"] = .int(Int64(count + kill))
        try await context.save()
      }
      child.kill()
      let report = try await StoreMaintenance.verify(store)
      XCTAssertEqual(report.problems, [])
    }
    let numbers = parts.map { $0["number"] }.sorted { $0.order(against: $1) == .before }
    try await store.close()
    let again = try await Store.open(path, for: Part.self)
    try await again.waitForIndexes()
    try await assertSound(again)
    let reader = RootContext(again)
    let fetch = Fetch<Part>().sorted { _ in try! Field<Part, Int>(named: "number") }
    XCTAssertEqual(try reader.fetch(fetch).map { $0["number"] }, numbers)
    XCTAssertEqual(try reader.explain(fetch.limit(5)).access, .index(property: "number"))
    try await again.close()
    #endif
  }
}
