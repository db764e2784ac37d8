import XCTest

@testable import RestoreLatency

final class CommandLineTests: XCTestCase {
  func testAnUnknownOptionIsRefused() {
    XCTAssertThrowsError(try RestoreLatency.parse(["--no-such-option"]))
  }
}
