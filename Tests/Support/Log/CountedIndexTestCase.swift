import Foundation
import RepriseLMDB
import RepriseLog
import XCTest

/// A test with an empty `indexes` table of its own.
open class CountedIndexTestCase: XCTestCase {
  package private(set) var environment: Environment!
  private var directory = ""

  override open func setUpWithError() throws {
    directory = NSTemporaryDirectory() + "reprise-index-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    var options = Environment.Options(tables: ["indexes"])
    options.isUnflushed = true
    environment = try Environment.open(directory: directory, options)
  }

  override open func tearDownWithError() throws {
    environment.close()
    try FileManager.default.removeItem(atPath: directory)
  }

  package var table: Table { environment.table("indexes") }

  /// A tree that is deep with a few hundred rows.
  package static let narrow = CountedIndex.FanOut(maximum: 8, minimum: 2, dense: 7, loose: 6)

  package func index(_ number: UInt32 = 7, _ fanOut: CountedIndex.FanOut = .standard) -> CountedIndex {
    CountedIndex(number: number, table: table, fanOut: fanOut)
  }

  package func apply(_ changes: [IndexChange], to index: CountedIndex) throws {
    var all = IndexChanges(index: index.number)
    for change in changes { all.add(change.rowKey, isInsert: change.isInsert) }
    try environment.write { transaction throws(StorageError) in try index.apply(all, in: transaction) }
  }

  package func insert(_ keys: some Sequence<[UInt8]>, into index: CountedIndex) throws {
    try apply(keys.map(IndexChange.insert), to: index)
  }

  package func delete(_ keys: some Sequence<[UInt8]>, from index: CountedIndex) throws {
    try apply(keys.map(IndexChange.delete), to: index)
  }

  package func read<R>(_ body: (View) throws(StorageError) -> R) throws -> R {
    let transaction = try environment.beginRead()
    return try body(transaction.view)
  }

  package func expectSound(
    _ index: CountedIndex, _ note: String = "", file: StaticString = #filePath, line: UInt = #line
  )
    throws
  {
    let problems = try read { view throws(StorageError) in try index.verify(in: view) }
    XCTAssertEqual(problems.map(\.description), [], note, file: file, line: line)
  }

  /// The invariant, the rows in order, and ranks and rows at the ends and at some places.
  package func expect(
    _ index: CountedIndex, has rows: [[UInt8]], ranksOf probes: [[UInt8]] = [], _ note: String = "",
    file: StaticString = #filePath, line: UInt = #line
  ) throws {
    try expectSound(index, note, file: file, line: line)
    let stride = max(1, rows.count / 40)
    try read { view throws(StorageError) in
      XCTAssertEqual(try index.count(in: view), rows.count, note, file: file, line: line)
      var found: [[UInt8]] = []
      try index.forEach(from: 0, in: view) { row in
        found.append(bytes(row))
        return true
      }
      XCTAssertTrue(found == rows, "other rows: \(note)", file: file, line: line)
      for rank in Swift.stride(from: 0, to: rows.count, by: stride) {
        let row = rows[rank]
        XCTAssertEqual(try index.rowKey(at: rank, in: view), row, note, file: file, line: line)
        let place = try index.place(of: row.span.bytes, in: view)
        XCTAssertEqual(place, RowPlace(rank: rank, isThere: true), note, file: file, line: line)
      }
      for rank in [-1, rows.count, .max] {
        XCTAssertNil(try index.rowKey(at: rank, in: view), note, file: file, line: line)
      }
      for probe in probes {
        let place = try index.place(of: probe.span.bytes, in: view)
        XCTAssertEqual(place, rows.place(of: probe), "\(probe) \(note)", file: file, line: line)
      }
    }
  }

  /// That an index refused a change of a row, and said which one and why.
  package func expect(
    _ error: any Error, refuses change: IndexChange, in index: UInt32 = 7, file: StaticString = #filePath,
    line: UInt = #line
  ) {
    guard case .damagedRow("indexes", let key, let reason, let site) = error as? StorageError else {
      return XCTFail("\(error)", file: file, line: line)
    }
    let prefix = withUnsafeBytes(of: index.bigEndian) { [UInt8]($0) } + [0]
    XCTAssertEqual(key, prefix + change.rowKey, file: file, line: line)
    let row = hex(change.rowKey)
    XCTAssertEqual(
      reason,
      change.isInsert
        ? "index \(index) already has the row \(row), so it cannot be inserted"
        : "index \(index) lacks the row \(row), so it cannot be deleted", file: file, line: line)
    XCTAssertEqual(site.path, environment.directory, file: file, line: line)
  }

  /// That an index was found damaged, and why.
  package func expectDamage(
    _ error: any Error, _ reason: String, in index: UInt32 = 7, file: StaticString = #filePath, line: UInt = #line
  ) {
    guard case .damagedRow("indexes", _, let found, _) = error as? StorageError else {
      return XCTFail("\(error)", file: file, line: line)
    }
    XCTAssertEqual(found, "index \(index): \(reason)", file: file, line: line)
  }

  /// Every entry of the table, by key.
  package func entries() throws -> [[UInt8]: [UInt8]] {
    let transaction = try environment.beginRead()
    var cursor = try transaction.view.cursor(table)
    var entries: [[UInt8]: [UInt8]] = [:]
    while let entry = try cursor.next() { entries[bytes(entry.key)] = bytes(entry.value) }
    return entries
  }
}

/// A row that enters or leaves an index.
package struct IndexChange {
  package let rowKey: [UInt8]
  package let isInsert: Bool

  package static func insert(_ rowKey: [UInt8]) -> IndexChange { IndexChange(rowKey: rowKey, isInsert: true) }
  package static func delete(_ rowKey: [UInt8]) -> IndexChange { IndexChange(rowKey: rowKey, isInsert: false) }
}

package func bytes(_ span: RawSpan) -> [UInt8] { span.withUnsafeBytes { [UInt8]($0) } }

/// Eight bytes that sort as the number does.
package func key(_ number: Int) -> [UInt8] { withUnsafeBytes(of: UInt64(number).bigEndian) { [UInt8]($0) } }

/// The rows as they must be: a sorted array.
extension [[UInt8]] {
  package func place(of key: [UInt8]) -> RowPlace {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
    }
    return RowPlace(rank: low, isThere: low < count && self[low] == key)
  }

  package func sortedByBytes() -> [[UInt8]] { sorted { $0.lexicographicallyPrecedes($1) } }

  package mutating func apply(_ changes: [IndexChange]) {
    for change in changes {
      let place = place(of: change.rowKey)
      if change.isInsert { insert(change.rowKey, at: place.rank) } else { remove(at: place.rank) }
    }
  }
}
