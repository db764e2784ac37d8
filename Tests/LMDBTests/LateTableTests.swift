import RepriseLMDB
import XCTest

final class LateTableTests: EnvironmentTestCase {
  /// An environment of an earlier version, which did not have the table.
  private func openEarlier() throws -> Environment {
    try open().close()
    return try open { $0.lateTables = ["late"] }
  }

  func testASnapshotDoesNotHaveATableThatThisProcessMadeLater() throws {
    let environment = try openEarlier()
    let late = environment.lateTable("late")
    let old = try environment.beginRead()
    let table = try late.made()
    try environment.put(table, "a", "1")
    XCTAssertNotNil(late.known)
    XCTAssertNil(try late.seen(by: old.view))
    let new = try environment.beginRead()
    XCTAssertEqual(try late.seen(by: new.view).flatMap { try new.view.string($0, "a") }, "1")
  }

  func testATableThatWasNeverMadeIsSeenByNobody() throws {
    let environment = try openEarlier()
    let view = try environment.beginRead()
    XCTAssertNil(try environment.lateTable("late").seen(by: view.view))
    XCTAssertNil(try environment.lateTable("other").seen(by: view.view))
  }
}
