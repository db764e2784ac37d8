import RepriseLMDB
import XCTest

/// The size of a table is not the size of its pages.
final class TableSizeTests: EnvironmentTestCase {
  func testSizesAreNotThoseOfThePages() throws {
    let environment = try open(["a", "b", "c"]) { $0.lazyTables = ["late"] }
    XCTAssertEqual(try environment.tableSizes(), ["a": 0, "b": 0, "c": 0, "late": 0])
    try environment.put(environment["a"], "1", "x")
    // A long value has pages of its own.
    try environment.put(environment["b"], "1", String(repeating: "x", count: 100_000))
    try environment.write { (transaction) throws(StorageError) in
      for number in 0..<5_000 { try transaction.put(environment["c"], "key \(number)", "value") }
      try transaction.put(environment.lazyTable("late").table(transaction.view), "1", "x")
    }
    let statistics = try environment.statistics()
    let sizes = try environment.tableSizes()
    XCTAssertEqual(sizes["a"], statistics.pageSize)
    XCTAssertEqual(sizes["late"], statistics.pageSize)
    let long = (100_000 + 16 + statistics.pageSize - 1) / statistics.pageSize
    XCTAssertEqual(sizes["b"], statistics.pageSize * (1 + long))
    // Two meta pages, and one page for each of the two trees of LMDB itself.
    let used = statistics.pageCount - statistics.freePages - 4
    XCTAssertEqual(sizes.values.reduce(0, +), used * statistics.pageSize)
  }
}
