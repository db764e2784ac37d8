import Foundation
import XCTest

/// The example of the file format is what the library writes: every row of a store.
final class FormatExampleTests: XCTestCase {
  private var path = ""

  override func setUp() { path = NSTemporaryDirectory() + "reprise-example-" + UUID().uuidString }
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  func testTheExampleOfThePageIsWhatTheLibraryWrites() async throws {
    let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Docs/FileFormat/example.md")
    let page = FormatExamplePage(try String(contentsOf: file.standardizedFileURL, encoding: .utf8))
    let rows = try await FormatExample.rows(at: path)
    XCTAssertEqual(page.blocks.keys.sorted(), rows.keys.sorted(), "tables and files that have rows")
    for (name, rows) in rows.sorted(by: { $0.key < $1.key }) {
      let blocks = page.blocks[name] ?? []
      XCTAssertEqual(blocks.count, rows.count, "how many rows the page has of \(name)")
      for (place, row) in rows.enumerated() {
        let block = place < blocks.count ? blocks[place] : FormatExamplePage.Block()
        XCTAssertEqual(block.row, row, "row \(place) of \(name). The page must have:\n\n\(block.text(for: row))\n\n")
      }
    }
  }

  func testABlockOfThePageIsShownWithOtherBytesAndItsWords() {
    let page = FormatExamplePage(
      """
      ## The table `meta`

      ```text
      key    6f72 646572                       "order"
      value  01000000                          version 1
      ```
      """)
    let block = page.blocks["meta"]?.first
    XCTAssertEqual(block?.row, FormatRow(key: Array("order".utf8), value: [1, 0, 0, 0]))
    XCTAssertEqual(
      block?.text(for: FormatRow(key: Array("ORDER".utf8), value: [0xFE, 0, 0, 0])),
      """
      key    4f52 444552                       "order"
      value  fe000000                          version 1
      """)
    XCTAssertEqual(block?.text(for: FormatRow(key: [1], value: [])), "key    01\nvalue  ")
  }
}
