import Foundation
import XCTest

/// What is no store, or cannot be opened, is refused with an error that says why, and left as it was.
final class RefusalTests: CrashTestCase {
  private func refuse(_ what: String, _ count: Int, file: StaticString = #filePath, line: UInt = #line) throws {
    let said = try play("refuse", ["what": what], file: file, line: line)
    XCTAssertEqual(said.last, "refused \(count)", file: file, line: line)
  }

  func testAPathThatLeadsNowhereOrToAFileIsRefused() throws { try refuse("paths", 8) }

  func testFilesThatAreNoStoreAreRefusedAndNotOverwritten() throws { try refuse("files", 11) }

  func testOtherDatabasesAndNewerFormatsAreRefusedAndNotWrittenInto() throws { try refuse("databases", 12) }

  func testLinksInAStoresPlaceAreNotFollowed() throws { try refuse("links", 12) }

  func testAnotherUsersStoreIsRefusedWithPermissionDenied() throws {
    defer {
      // Or who is not root could not remove it.
      for path in ["", "/closed", "/others' journals/journals"] {
        try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder + "/store" + path)
      }
    }
    try refuse("permissions", 6)
  }

  func testAReadOnlyFileSystemIsRefusedAsOne() throws {
    #if os(Linux)
    let disk = folder + "/disk"
    let script = """
      mkdir "\(disk)" && mount -t tmpfs none "\(disk)" || cannot
      "$1" "make with a draft" "\(disk)/store" || exit 1
      mount -o remount,ro "\(disk)" || cannot
      exec "$@"
      """
    let said = try play("refuse", ["what": disk], through: inItsOwnWorld(script))
    XCTAssertEqual(said.last, "refused 4")
    #endif
  }

  func testAURIInAnyStateOfDisrepairIsAnErrorOrItsObject() throws {
    let said = try play("addresses").last ?? ""
    XCTAssertGreaterThan(said.number(after: "resolved"), 0, said)
    XCTAssertGreaterThan(said.number(after: "refused"), 1000, said)
  }
}
