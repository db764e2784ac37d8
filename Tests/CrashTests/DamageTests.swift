import XCTest

final class DamageTests: CrashTestCase {
  func testAByteFlippedInAnyLogFrameIsFoundByVerifyAndLeavesAllObjectsReadable() throws {
    let said = try play("flip", ["table": "log", "seed": "\(Self.seed)"]).last ?? ""
    XCTAssertGreaterThan(said.number(after: "flipped"), 1000, said)
  }

  func testAByteFlippedInWhatTheStoreSaysOfItselfIsRefusedOrFound() throws {
    let said = try play("flip", ["table": "meta", "seed": "\(Self.seed)"]).last ?? ""
    XCTAssertGreaterThan(said.number(after: "flipped"), 100, said)
    XCTAssertGreaterThan(said.number(after: "refused"), 0, said)
    XCTAssertGreaterThan(said.number(after: "found"), 0, said)
  }

  func testAByteFlippedInAnyRecordIsFoundAndNeverReadAsAValue() throws {
    let said = try play("flip", ["table": "objects", "seed": "\(Self.seed)"]).last ?? ""
    XCTAssertGreaterThan(said.number(after: "flipped"), 100, said)
  }

  func testAByteFlippedInAnyCountOfAnIndexIsFound() throws {
    let said = try play("flip", ["table": "indexes", "seed": "\(Self.seed)"]).last ?? ""
    XCTAssertGreaterThan(said.number(after: "flipped"), 10, said)
  }

  func testAStoreCutAtAnyPageIsRefusedUntouchedOrWhole() throws {
    let said = try play("truncate").last ?? ""
    XCTAssertGreaterThan(said.number(after: "refused"), 50, said)
  }

  func testAJournalCutAnywhereOrWithAnyByteFlippedLeavesWhatWasSavedAndNoHalfDraft() throws {
    let said = try play("journal", ["seed": "\(Self.seed)"]).last ?? ""
    XCTAssertGreaterThan(said.number(after: "tried"), 100, said)
    XCTAssertGreaterThan(said.number(after: "short"), 0, said)
  }
}
