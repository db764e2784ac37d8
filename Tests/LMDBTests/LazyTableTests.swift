import RepriseLMDB
import XCTest

final class LazyTableTests: EnvironmentTestCase {
  private func openBoth() throws -> Environment { try open { $0.lazyTables = ["late"] } }

  private func value(_ view: View, _ late: LazyTable) throws -> String? {
    let key = Array("a".utf8)
    return try view.reader(late.table(view)).get(key.span.bytes)?.string
  }

  func testATableThatIsOpenedLateIsMadeWithTheFile() throws {
    try openBoth().close()
    let environment = try openBoth()
    let late = environment.lazyTable("late")
    let empty = try environment.beginRead()
    XCTAssertNil(try value(empty.view, late))
    try environment.write { (transaction) throws(StorageError) in
      let table = try late.table(transaction.view)
      try transaction.put(table, "a", "1")
    }
    let filled = try environment.beginRead()
    XCTAssertEqual(try value(filled.view, late), "1")
    XCTAssertNil(try value(empty.view, late), "a snapshot older than the handle shows its own state")
  }

  func testATableIsOpenedAgainAfterTheTransactionThatOpenedItFirstWasAborted() throws {
    try openBoth().close()
    let environment = try openBoth()
    let late = environment.lazyTable("late")
    XCTAssertThrowsError(
      try environment.write { (transaction) throws(StorageError) in
        let table = try late.table(transaction.view)
        try transaction.put(table, "a", "1")
        throw StorageError.badTransaction(StorageError.Site(.put, environment.directory))
      })
    for text in ["2", "3"] {
      try environment.write { (transaction) throws(StorageError) in
        let table = try late.table(transaction.view)
        try transaction.put(table, "a", text)
      }
      let view = try environment.beginRead()
      XCTAssertEqual(try value(view.view, late), text)
    }
  }

  func testATableThatIsMissingIsDamage() throws {
    try open().close()
    let environment = try openBoth()
    let late = environment.lazyTable("late")
    let snapshot = try environment.beginRead()
    let expected = StorageError.damagedStructure(
      "the table 'late' is missing", StorageError.Site(.openTables, directory))
    XCTAssertThrowsError(try value(snapshot.view, late)) { XCTAssertEqual($0 as? StorageError, expected) }
    XCTAssertThrowsError(
      try environment.write { (transaction) throws(StorageError) in
        _ = try late.table(transaction.view)
      }
    ) { XCTAssertEqual($0 as? StorageError, expected) }
  }
}
