import XCTest

/// What a power cut may take: everything that was changed and not flushed.
final class PowerCutTests: CrashTestCase {
  func testTheNamesOfANewStoresFilesAreFlushedBeforeItIsOpen() throws {
    #if os(Linux)
    let said = try play("make durably")
    XCTAssertGreaterThan(said.last?.number(after: "changes") ?? 0, 10)
    #endif
  }
}
