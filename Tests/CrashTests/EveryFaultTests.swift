import XCTest

/// Each call that changes the disk fails, one after the other. None is left out but calls on journals, whose thread may
/// write between two others.
final class EveryFaultTests: CrashTestCase {
  private static let working = ["", "new", "short save"]
  private static let faults = [
    "full", "stays full", "short", "broken", "unflushed", "stays unflushed", "done and denied", "no descriptor",
    "no descriptors", "names", "read-only",
  ]

  /// What each of the programs said in the end.
  private func fail(
    _ fault: String, _ programs: [String] = working, file: StaticString = #filePath, line: UInt = #line
  ) throws -> [String] {
    #if os(Linux)
    return try programs.map { program in
      let path = folder + "/\(fault) \(program)"
      let said =
        try play("fault", ["fault": fault, "program": program], at: path, file: file, line: line).last ?? ""
      XCTAssertGreaterThan(said.number(after: "places"), 1, said, file: file, line: line)
      return said
    }
    #else
    throw XCTSkip("nothing stands between the program and the system here")
    #endif
  }

  func testADiskThatIsFullAtAnyWrite() throws {
    for fault in ["full", "stays full", "short"] {
      XCTAssertGreaterThan(try fail(fault)[0].number(after: "refused"), 1)
    }
  }

  func testADiskThatFailsAtAnyWrite() throws {
    let said = try fail("broken")
    for said in [said[0], said[2]] {
      XCTAssertGreaterThan(said.number(after: "refused"), 1, said)
      XCTAssertGreaterThan(said.number(after: "unknown"), 0, said)
    }
    // The first save is too long for an after-image.
    XCTAssertEqual(said[0].number(after: "stands-not"), said[0].number(after: "unknown"), said[0])
    // The after-image of the short save was on the disk before the last write failed.
    XCTAssertEqual(said[2].number(after: "stands"), said[2].number(after: "unknown"), said[2])
  }

  func testADiskThatFailsAtAnyFlush() throws {
    let once = try fail("unflushed")
    for said in [once[0], once[2]] { XCTAssertGreaterThan(said.number(after: "refused"), 0, said) }
    // The after-image of the short save cannot be withdrawn either.
    let lasting = try fail("stays unflushed")
    for said in [lasting[0], lasting[2]] {
      XCTAssertGreaterThan(said.number(after: "unknown"), 0, said)
      XCTAssertEqual(said.number(after: "stands-not"), said.number(after: "unknown"), said)
    }
  }

  func testASaveWhoseOutcomeIsUnknownIsFoundByItsTransactionOnceTheStoreIsOpenedAgain() throws {
    let said = try fail("done and denied")[0]
    XCTAssertGreaterThan(said.number(after: "stands"), 0, said)
  }

  func testAProcessWithoutFileDescriptors() throws {
    for fault in ["no descriptor", "no descriptors"] {
      XCTAssertGreaterThan(try fail(fault)[0].number(after: "unopened"), 1)
    }
  }

  func testNamesThatCannotBeMadeRenamedOrRemoved() throws { _ = try fail("names") }

  func testAFileSystemThatBecomesReadOnlyAtAnyCall() throws {
    XCTAssertGreaterThan(try fail("read-only")[0].number(after: "refused"), 1)
  }

  // MARK: What is seldom done

  private func failEverywhere(_ program: String) throws {
    for fault in Self.faults {
      let said = try fail(fault, [program])[0]
      XCTAssertGreaterThan(said.number(after: "refused"), 0, "\(fault): \(said)")
    }
  }

  func testAStoreThatCouldNotBeExtendedForNewModelsIsWholeAndIsExtendedLater() throws {
    try failEverywhere("extend")
  }

  func testAnIndexThatCouldNotBeBuiltIsFinishedLater() throws { try failEverywhere("index") }

  func testABlobThatCouldNotBeBroughtInLeavesNothingAndIsBroughtInLater() throws {
    for fault in Self.faults {
      let said = try fail(fault, ["blob"])[0]
      // Names change with the opening only.
      XCTAssertGreaterThan(said.number(after: fault == "names" ? "unopened" : "refused"), 0, "\(fault): \(said)")
      if fault == "broken" { XCTAssertGreaterThan(said.number(after: "unusable"), 0, said) }
    }
  }

  func testEntitiesThatCouldNotBeMergedAreWholeAndAreMergedLater() throws { try failEverywhere("merge") }

  func testAStoreFromWhichNothingCouldBeErasedIsAsItWasAndItIsErasedLater() throws { try failEverywhere("erase") }

  func testAStoreOfWhichNothingCouldBeDroppedIsAsItWasAndItIsDroppedLater() throws {
    try failEverywhere("retain")
    let said = try fail("broken", ["retain"])[0]
    XCTAssertGreaterThan(said.number(after: "unusable"), 0, said)
  }

  func testAStoreThatCouldNotBeRebuiltIsAsItWasAndIsRebuiltLater() throws { try failEverywhere("rebuild") }

  func testAStoreThatCouldNotBeSalvagedIsAsItWasAndIsSalvagedLater() throws { try failEverywhere("salvage") }

  // MARK: Without anything in between

  private static let all = ["", "new", "extend", "index", "rebuild", "salvage"]

  func testAProcessWithEachNumberOfFileDescriptorsFromTooFewToEnough() throws {
    for said in try fail("limited descriptors", Self.all) {
      XCTAssertGreaterThan(said.number(after: "places"), 6, said)
    }
  }

  func testASmallFileSystemWithEachNumberOfFreePagesFromNoneToEnough() throws {
    #if os(Linux)
    for program in Self.all {
      let disk = folder + "/disk \(program)"
      let script = """
        mkdir "\(disk)" && mount -t tmpfs -o size=4m none "\(disk)" || cannot
        exec "$@"
        """
      let said = try play(
        "fault", ["fault": "little room", "program": program, "ballast": disk + "/ballast"], at: disk + "/stores",
        through: inItsOwnWorld(script))
      XCTAssertGreaterThan(said.last?.number(after: "places") ?? 0, 10, "\(program): \(said)")
    }
    #endif
  }
}
