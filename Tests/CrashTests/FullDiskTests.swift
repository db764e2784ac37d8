import XCTest

final class FullDiskTests: CrashTestCase {
  func testAFullDiskAtAnyWriteOfASaveLosesNothingAndTheSaveCanBeRepeated() throws {
    let said = try play("full save").last ?? ""
    XCTAssertGreaterThan(said.number(after: "refused"), 10, said)
    XCTAssertGreaterThan(said.number(after: "saved"), 10, said)
  }

  func testAStoreThatCouldNotBeMadeForWantOfSpaceIsMadeWhenThereIsSome() throws {
    let said = try play("full make").last ?? ""
    XCTAssertGreaterThan(said.number(after: "refused"), 10, said)
  }

  func testEditsThatTheJournalHasNoRoomForWaitInMemoryAndAreWrittenLater() throws {
    let said = try play("full journal").last ?? ""
    XCTAssertGreaterThan(said.number(after: "refused"), 2, said)
  }

  func testASmallFileSystemThatFillsUpLosesNothing() throws {
    #if os(Linux)
    let disk = folder + "/disk"
    let script = """
      mkdir "\(disk)" && mount -t tmpfs -o size=3m none "\(disk)" || cannot
      exec "$@"
      """
    let said = try play("fill", ["ballast": disk + "/ballast"], at: disk + "/store", through: inItsOwnWorld(script))
    XCTAssertGreaterThan(said.last?.number(after: "after") ?? 0, 5)
    #endif
  }
}
