import RepriseLMDB
import XCTest

final class TransactionTests: EnvironmentTestCase {
  func testCommittedValueIsReadByTheNextTransaction() throws {
    let environment = try open()
    let table = environment["t"]
    try environment.put(table, "a", "1")
    XCTAssertEqual(try environment.string(table, "a"), "1")
    XCTAssertNil(try environment.string(table, "b"))
  }

  func testThrowingBodyLeavesNothingBehind() throws {
    struct Refused: Error {}
    let environment = try open()
    let table = environment["t"]
    XCTAssertThrowsError(
      try environment.write { transaction in
        try transaction.put(table, "a", "1")
        throw Refused()
      }
    ) { XCTAssertTrue($0 is Refused) }
    XCTAssertNil(try environment.string(table, "a"))
  }

  func testSnapshotDoesNotSeeALaterCommit() throws {
    let environment = try open()
    let table = environment["t"]
    try environment.put(table, "a", "1")
    let before = try environment.beginRead()
    try environment.put(table, "a", "2")
    XCTAssertEqual(try before.view.string(table, "a"), "1")
    let after = try environment.beginRead()
    XCTAssertEqual(try after.view.string(table, "a"), "2")
    XCTAssertEqual(after.id, before.id + 1)
  }

  func testWriterSeesItsOwnChanges() throws {
    let environment = try open()
    let table = environment["t"]
    try environment.write { transaction throws(StorageError) in
      try transaction.put(table, "a", "1")
      XCTAssertEqual(try transaction.view.string(table, "a"), "1")
      let key = Array("a".utf8)
      XCTAssertTrue(try transaction.delete(table, key: key.span.bytes))
      XCTAssertFalse(try transaction.delete(table, key: key.span.bytes))
      XCTAssertNil(try transaction.view.string(table, "a"))
    }
  }

  func testCursorGoesInKeyOrderBothWaysAndSeeksTheFirstKeyNotLess() throws {
    let environment = try open()
    let table = environment["t"]
    for key in ["c", "a", "e"] { try environment.put(table, key, key + key) }
    let transaction = try environment.beginRead()
    XCTAssertEqual(try transaction.view.entryCount(table), 3)
    var cursor = try transaction.view.cursor(table)
    XCTAssertNil(try cursor.current()?.key.string)
    var keys: [String] = []
    while let entry = try cursor.next() {
      keys.append(entry.key.string)
      XCTAssertEqual(entry.value.string, entry.key.string + entry.key.string)
    }
    XCTAssertEqual(keys, ["a", "c", "e"])
    var wanted = Array("b".utf8)
    XCTAssertEqual(try cursor.seek(wanted.span.bytes)?.key.string, "c")
    XCTAssertEqual(try cursor.current()?.key.string, "c")
    XCTAssertEqual(try cursor.previous()?.key.string, "a")
    XCTAssertNil(try cursor.previous()?.key.string)
    XCTAssertEqual(try cursor.last()?.key.string, "e")
    XCTAssertEqual(try cursor.first()?.key.string, "a")
    wanted = Array("f".utf8)
    XCTAssertNil(try cursor.seek(wanted.span.bytes)?.key.string)
    XCTAssertEqual(try cursor.seek(RawSpan())?.key.string, "a")
  }

  func testAppendOutOfOrderIsRefusedAndTheTransactionGoesOn() throws {
    let environment = try open()
    let table = environment["t"]
    let keys: [[UInt8]] = [[2], [1], [3]]
    var refused: [StorageError] = []
    try environment.write { transaction throws(StorageError) in
      for key in keys {
        do throws(StorageError) {
          try transaction.append(table, key: key.span.bytes, value: key.span.bytes)
        } catch {
          refused.append(error)
        }
      }
    }
    XCTAssertEqual(refused, [.keyExists(StorageError.Site(.append, directory))])
    let transaction = try environment.beginRead()
    XCTAssertEqual(try transaction.view.entryCount(table), 2)
  }
}
