import XCTest

final class ErrorTextCoverageTests: XCTestCase {
  func testTheTextOfEveryErrorIsChecked() throws {
    XCTAssertEqual(try SourceEnums.errors().subtracting(SourceEnums.checked()), [])
  }
}
