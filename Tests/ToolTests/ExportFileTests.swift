import Foundation
import RepriseTool
import XCTest

/// A file of an export has parts of another export, or its parts stay behind.
@MainActor
final class ExportFileTests: XCTestCase {
  private var folder: ExchangeFolder!

  override func setUp() async throws { folder = try ExchangeFolder() }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path("files")).sorted()
  }

  func testAFileOfAStoreIsReplaced() async throws {
    try FileManager.default.createDirectory(atPath: folder.path("files/journals"), withIntermediateDirectories: true)
    try Data("data".utf8).write(to: URL(fileURLWithPath: folder.path("files/data.mdb")))
    for name in ["data.mdb", "lock.mdb", "new", "journals/new"] {
      let path = folder.path("files/" + name)
      XCTAssertThrowsError(try ExportFile(path)) {
        XCTAssertEqual(
          "\($0)", "\(path) is in the directory of a store, and could replace the store. Choose another path.")
      }
    }
    XCTAssertEqual(try names(), ["data.mdb", "journals"])
  }

  func testTwoExportsShareAPart() async throws {
    try FileManager.default.createDirectory(atPath: folder.path("files"), withIntermediateDirectories: true)
    let path = folder.path("files/a.jsonl")
    let first = try ExportFile(path)
    try first.write("first\n")
    var second: ExportFile? = try ExportFile(path)
    try second?.write("second\n")
    XCTAssertEqual(try names().count, 2)
    try first.finish()
    XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), "first\n")
    try second?.finish()
    XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), "second\n")
    XCTAssertEqual(try names(), ["a.jsonl"])
    second = try ExportFile(path)
    try second?.write("third\n")
    XCTAssertEqual(try names().count, 2)
    second = nil
    XCTAssertEqual(try names(), ["a.jsonl"])
    XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), "second\n")
  }
}
