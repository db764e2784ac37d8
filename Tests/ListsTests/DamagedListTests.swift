import RepriseLMDB
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseEventStore
@testable import RepriseLists

/// Lists over a counted index whose counts are damaged.
final class DamagedListTests: ListsTestCase {
  private let fetch = Fetch<Item>().sorted { $0.name }.sectioned { $0.name.firstCharacter() }

  private func fill(_ names: [String]) async throws {
    let writer = RootContext(test.store)
    for name in names { writer.insert(Item(name: name)) }
    try await writer.save()
  }

  /// Makes the root of the index over the names count so many rows more.
  private func miscount(by difference: Int) throws {
    let number = try XCTUnwrap(test.store.map.map(Item.entity.interned)?.indexes[0])
    let key = withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) } + [1]
    try test.store.environment.write { (transaction) throws(StorageError) in
      let table = test.store.tables.indexes
      var value: [UInt8] = []
      var cursor = try transaction.view.cursor(table)
      if let entry = try cursor.seek(key.span.bytes) { value = entry.value.withUnsafeBytes { [UInt8]($0) } }
      value[0] = UInt8(Int(value[0]) + difference)
      try transaction.put(table, key: key.span.bytes, value: value.span.bytes)
    }
  }

  func testRowsThatADamagedIndexOnlyCountsAreUnreadable() async throws {
    try await fill(["ant", "bee", "cat"])
    try miscount(by: 2)
    let list = try FetchedList(fetch, in: RootContext(test.store, followsHead: false))
    XCTAssertEqual(list.count, 5)
    XCTAssertEqual(list.rows.map(\.state), [.live, .live, .live, .unreadable, .unreadable])
    XCTAssertEqual(Array(list.rows).count, 5)
    XCTAssertEqual(list.sections.map(\.count).reduce(0, +), 5)
    XCTAssertEqual(list.element(at: RowPath(item: 4)).state, .unreadable)
  }

  func testSectionsWithMoreRowsThanWereCountedDoNotTrap() async throws {
    try await fill(["ant", "bee", "cat", "dog", "elk"])
    try miscount(by: -2)
    let list = try FetchedList(fetch, in: RootContext(test.store, followsHead: false))
    XCTAssertEqual(list.count, 3)
    try miscount(by: 2)
    // So many changes make the list read its rows again.
    try await fill((0...10_000).map { "z\($0)" })
    XCTAssertEqual(list.sections.flatMap { $0.map(\.name) }, ["ant", "bee", "cat"])
    guard case .failed(StoreError.damaged) = list.loadState else { return XCTFail("\(list.loadState)") }
  }

  func testTwoRowsOfOneRankAreNotCompared() {
    let rows = RowComparison.Rows(total: 9, window: 3..<4, snapshot: ListSnapshot(rowCount: 1))
    let changes = (0..<2).map { number in
      var change = RowChange(UniqueID(), from: [UInt8(number)], to: [UInt8(number + 10)], slots: [0])
      (change.oldRank, change.newRank) = (3, 7 + number)
      return change
    }
    XCTAssertNil(RowComparison(changes, from: rows, to: rows))
  }
}
