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
