import XCTest

@testable import RestoreLatency

final class PlanTests: XCTestCase {
  private let names: Set = [
    "restore.cold.10k", "restore.cold.100k", "restore.cold.1M", "restore.cold.10k.static", "restore.cold.100k.static",
    "restore.cold.1M.static", "restore.inside.100k", "restore.dropped.100k", "restore.log.10k", "restore.log.100k",
    "restore.log.1M", "restore.log.10M", "read.byID", "save.one", "save.one.bytes", "save.one.flushes", "save.eight",
    "load.1000", "load.10000", "discard.1000", "rank.100k", "rank.1M", "rank.10M", "rebuild", "store.bytesPerObject",
    "log.bytesPerKeystroke",
  ]

  func testTheRowsAreThosePromised() {
    let rows = Plan(profile: .full).rows.map(\.name)
    XCTAssertEqual(Set(rows), names)
    XCTAssertEqual(rows.count, names.count)
  }

  func testAQuickRunLeavesOutTheLargestSizes() {
    XCTAssertEqual(
      names.subtracting(Plan(profile: .quick).rows.map(\.name)),
      ["restore.cold.1M", "restore.cold.1M.static", "restore.log.1M", "restore.log.10M", "rank.1M", "rank.10M"])
  }

  func testTheRowThatEmptiesMemoryIsTheLast() {
    XCTAssertEqual(Plan(profile: .full).rows.last?.name, "restore.dropped.100k")
  }

  func testRowsAreChosenByTheBeginningsOfTheirNames() throws {
    let chosen = try RestoreLatency.parse(["--only", "save.one", "--only", "rank.10M"]).rows.map(\.name)
    XCTAssertEqual(chosen, ["save.one", "save.one.bytes", "save.one.flushes", "rank.10M"])
    XCTAssertThrowsError(try RestoreLatency.parse(["--only", "restore.warm"]))
    XCTAssertThrowsError(try RestoreLatency.parse(["--quick", "--only", "rank.10M"]))
  }
}
