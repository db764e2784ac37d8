import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseTestLog
import XCTest

/// Errors of rows know table, key and path from where they arise.
final class StorageErrorTests: CountedIndexTestCase {
  func testAMalformedRowNamesItsTableItsKeyAndItsPath() throws {
    let rows = ChunkedRows(table, numbersFirst: false)
    let key: [UInt8] = [1, 2]
    try environment.write { (transaction) throws(StorageError) in
      try rows.put(transaction, key: key.span.bytes, value: [9], replacing: 0)
    }
    let transaction = try environment.beginRead()
    XCTAssertThrowsError(
      try rows.read(transaction.view.readerOfOne(table), key: key.span.bytes, "the row") { (_) throws(MalformedBytes) in
        throw MalformedBytes("a text", at: 0)
      }
    ) {
      guard case .damagedRow("indexes", key, let reason, let site) = $0 as? StorageError else {
        return XCTFail("\($0)")
      }
      XCTAssertTrue(reason.hasPrefix("the row: "), reason)
      XCTAssertEqual(site.path, environment.directory)
    }
  }

  func testAMissingTransactionNamesItsKey() throws {
    let transaction = try environment.beginRead()
    XCTAssertThrowsError(
      try LogTable(table).withFrame(258, transaction.view) { (_) throws(MalformedBytes) in }
    ) {
      guard case .damagedRow("indexes", [0, 0, 0, 0, 0, 0, 1, 2], let reason, _) = $0 as? StorageError else {
        return XCTFail("\($0)")
      }
      XCTAssertEqual(reason, "transaction 258 of the log is missing")
    }
  }

  func testWhatIsWrongWithRowsKeepsItsMeaningForUsers() throws {
    let path = environment.directory
    let site = StorageError.Site(.decode, path)
    guard case .damaged(path, "a reason") = StoreError(table.damaged([1], "a reason")) else { return XCTFail() }
    guard case .transactionsLost(path, last: 4, saved: 6) = StoreError(table.lost(after: 4, upTo: 6)) else {
      return XCTFail()
    }
    guard case .notAStore(path, "a reason") = StoreError(.foreignContents(reason: "a reason", site)) else {
      return XCTFail()
    }
    guard case .newerFormat(path, found: 3, supported: 2) = StoreError(.newerFormat(found: 3, supported: 2, site))
    else {
      return XCTFail()
    }
    // "Try again" is no help where the file can no longer be used.
    for error in [StorageError.commitOutcomeUnknown(errno: 5, site), .panic(site)] {
      guard case .unusable(path, error.reason) = StoreError(error) else { return XCTFail("\(error)") }
    }
    XCTAssertEqual(table.damaged([1], "a reason").damage, "a reason")
    XCTAssertNil(StorageError.diskFull(site).damage, "no damage is found where a disk is full")
  }

  func testAMistakeGetsNoAdviceAboutTheDisk() {
    XCTAssertEqual(
      StoreError(.writeInsideWrite(StorageError.Site(.beginWrite, "/data"))).description,
      """
      The operation 'beginWrite' failed on /data: a write transaction was begun inside another on the same thread. Use \
      the outer transaction for the inner work.
      """)
  }
}
