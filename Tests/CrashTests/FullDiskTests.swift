import XCTest

final class FullDiskTests: CrashTestCase {
  func testAFullDiskAtAnyWriteOfASaveLosesNothingAndTheSaveCanBeRepeated() throws {
    let said = try play("full save").last ?? ""
    XCTAssertGreaterThan(said.number(after: "refused"), 10, said)
    XCTAssertGreaterThan(said.number(after: "saved"), 10, said)
  }

  func testAnUploadThatTheDiskHasNoRoomForLeavesNothing() throws {
    let said = try play("full blob").last ?? ""
    XCTAssertGreaterThan(said.number(after: "refused"), 3, said)
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

  func testALockFileForWhichThereIsNoRoomIsAnErrorAndNoSignal() throws {
    #if os(Linux)
    let disk = folder + "/disk"
    let script = """
      mkdir "\(disk)" && mount -t tmpfs -o size=1m none "\(disk)" || cannot
      exec "$@"
      """
    let said = try play(
      "full lock", ["ballast": disk + "/ballast"], at: disk + "/store", through: inItsOwnWorld(script))
    XCTAssertEqual(said.last, "refused 4")
    #endif
  }

  func testACrowdThatOpensAStoreOnAFullDiskGetsErrorsAndNoSignals() throws {
    #if os(Linux)
    let disk = folder + "/disk"
    // The arguments are: program, role, path.
    let script = """
      mkdir "\(disk)" && mount -t tmpfs -o size=1m none "\(disk)" || cannot
      "$1" make "$3" && rm "$3/lock.mdb" || exit 1
      cat /dev/zero >"\(disk)/ballast" 2>/dev/null
      for number in $(seq 60); do "$@" & done
      wait
      """
    let said = try play("open", at: disk + "/store", through: inItsOwnWorld(script))
    XCTAssertEqual(said, [String](repeating: "refused diskFull", count: 60))
    #endif
  }
}
