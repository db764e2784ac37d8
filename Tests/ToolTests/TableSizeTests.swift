import RepriseCore
import RepriseLMDB
import RepriseTestModels
import RepriseTestTool
import RepriseTool
import XCTest

/// The size of a table is not the size of its pages.
@MainActor
final class TableSizeTests: XCTestCase {
  func testSizesAreNotThoseOfThePages() async throws {
    let test = try await ToolStore()
    let before = try test.store.environment.tableSizes()
    XCTAssertGreaterThan(before["objects"] ?? 0, 0)
    try await test.asProgram { context in
      // Their names must differ, and have letters only.
      for number in 0..<2_000 {
        let name = "\(number)".utf8.map { String(UnicodeScalar($0 + 49)) }.joined()
        context.insert(Guest("G" + name, "Many", age: 30))
      }
    }
    let sizes = try test.store.environment.tableSizes()
    XCTAssertGreaterThan(sizes["objects", default: 0], before["objects", default: 0] + 2_000 * 20)
    let statistics = try test.store.environment.statistics()
    // Two meta pages, and the pages of the two trees of LMDB itself.
    let used = (statistics.pageCount - statistics.freePages) * statistics.pageSize
    XCTAssertEqual(Double(sizes.values.reduce(0, +)), Double(used), accuracy: Double(8 * statistics.pageSize))
  }
}
