import XCTest

final class AccessTests: CrashTestCase {
  func testAStoreIsForItsOwnerOrItsGroupWhateverTheMaskOfTheProcess() throws {
    XCTAssertEqual(try play("access").last, "looked")
  }
}
