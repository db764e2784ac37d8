import Foundation
import RepriseLMDB
import XCTest

/// The example of the file format is read as the page says.
final class AfterImageFormatTests: XCTestCase {
  func testTheExampleOfThePageIsRead() throws {
    let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Docs/FileFormat/afterimages.md")
    let page = try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
    let block = try XCTUnwrap(page.components(separatedBy: "```text\n").last?.components(separatedBy: "```").first)
    var bytes: [UInt8] = []
    for line in block.split(separator: "\n") {
      let digits = line.dropFirst(7).components(separatedBy: "  ")[0].filter { $0 != " " }
      for place in stride(from: 0, to: digits.count, by: 2) {
        let start = digits.index(digits.startIndex, offsetBy: place)
        bytes.append(try XCTUnwrap(UInt8(digits[start...].prefix(2), radix: 16)))
      }
    }
    let image = try XCTUnwrap(AfterImage(bytes))
    XCTAssertEqual(image.commit, 7)
    XCTAssertEqual(image.base, AfterImageBase(freePages: 5, main: 9, lastPage: 44, heads: 0xDEAD_BEEF))
    XCTAssertEqual(image.tables, ["t"])
    XCTAssertEqual(image.changes.map(\.kind), [.put, .delete])
    XCTAssertEqual(image.changes.map { image.key($0) }, [[0x61], [0x62]])
    XCTAssertEqual(image.changes.map { image.value($0) }, [[0x31], []])
    // A place has more bytes, and any of them.
    XCTAssertEqual(AfterImage(bytes + [1, 2, 3])?.changes, image.changes)
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] ^= 1
      XCTAssertNil(AfterImage(damaged), "byte \(place)")
    }
    XCTAssertNil(AfterImage([]))
    XCTAssertNil(AfterImage([UInt8](repeating: 0, count: 100)))
  }
}
