import Foundation
import XCTest

/// The beginning of a log is dropped by processes that die, or that others need it from.
final class RetentionCrashTests: CrashTestCase {
  private var store: String { folder + "/store" }

  func testAKillAtAnyWriteOfARetentionLeavesTheStoreWhole() throws {
    try play("drop prepare", ["last": "40"])
    var (died, isDone) = (0, false)
    while !isDone {
      let child = try Child("drop and die", store, ["write": "\(died + 1)"])
      isDone = child.lines().last == "retained"
      let ending = child.end()
      XCTAssertTrue([.exited(0), .signalled(SIGKILL)].contains(ending), "\(ending)")
      if !isDone { died += 1 }
      try play("look at dropped")
    }
    // At least in the commit that moves the floor, and in one that removes what is below.
    XCTAssertGreaterThan(died, 3)
  }

  func testAProcessThatShowsNothingHoldsNothingAndGoesOn() throws {
    try play("drop prepare", ["last": "20"])
    let idle = try Child("drop idle", store, ["last": "60"])
    XCTAssertEqual(idle.line(), "open")
    try play("drop prepare", ["last": "60"])
    let said = try XCTUnwrap(play("drop", ["last": "3"]).first)
    XCTAssertEqual(said.number(after: "floor"), said.number(after: "head") - 2, said)
    XCTAssertTrue(FileManager.default.createFile(atPath: store + "-dropped", contents: nil))
    XCTAssertEqual(idle.lines(), [])
    XCTAssertEqual(idle.end(), .exited(0))
  }

  func testAnotherProcessesContextHoldsItsPositionUntilItIsKilled() throws {
    try play("drop prepare", ["last": "200"])
    let holder = try Child("drop pin", store, ["at": "50"])
    XCTAssertEqual(holder.line(), "holds")
    XCTAssertEqual(try play("drop", ["last": "1"]).first?.split(separator: " ").prefix(2), ["floor", "51"])
    // It still reads what it shows, also what others have saved since.
    try play("drop prepare", ["last": "220"])
    XCTAssertEqual(try play("drop", ["last": "1"]).first?.split(separator: " ").prefix(2), ["floor", "51"])
    for _ in 0..<3 { XCTAssertTrue(holder.line()?.hasPrefix("reads") ?? false) }
    holder.kill()
    XCTAssertFalse(holder.lines().contains { $0.hasPrefix("problem") })
    _ = holder.end()
    let said = try XCTUnwrap(play("drop", ["last": "1"]).first)
    XCTAssertEqual(said.number(after: "floor"), said.number(after: "head"), said)
    XCTAssertEqual(said.number(after: "held"), 0, said)
  }
}
