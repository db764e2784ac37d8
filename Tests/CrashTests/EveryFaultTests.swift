import XCTest

/// Each call that changes the disk fails, one after the other, and none is left out.
final class EveryFaultTests: CrashTestCase {
  private func fail(_ fault: String, file: StaticString = #filePath, line: UInt = #line) throws -> [String] {
    #if os(Linux)
    return try ["", "new"].map { kind in
      let path = folder + "/\(fault) \(kind)"
      let said = try play("fault", ["fault": fault, "kind": kind], at: path, file: file, line: line).last ?? ""
      XCTAssertGreaterThan(said.number(after: "calls"), 1, said, file: file, line: line)
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
    let said = try fail("broken")[0]
    XCTAssertGreaterThan(said.number(after: "refused"), 1, said)
    XCTAssertGreaterThan(said.number(after: "unknown"), 0, said)
    XCTAssertEqual(said.number(after: "stands-not"), said.number(after: "unknown"), said)
  }

  func testADiskThatFailsAtAnyFlush() throws {
    for fault in ["unflushed", "stays unflushed"] {
      XCTAssertGreaterThan(try fail(fault)[0].number(after: "refused"), 0)
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
}
