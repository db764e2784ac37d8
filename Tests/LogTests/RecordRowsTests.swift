import Foundation
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseTestLog
import XCTest

final class RecordRowsTests: XCTestCase {
  private var environment: Environment!
  private var directory = ""

  override func setUpWithError() throws {
    directory = NSTemporaryDirectory() + "reprise-rows-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    var options = Environment.Options(tables: ["objects", "log"])
    options.isUnflushed = true
    environment = try Environment.open(directory: directory, options)
  }

  override func tearDownWithError() throws {
    environment.close()
    try FileManager.default.removeItem(atPath: directory)
  }

  private var objects: ChunkedRows { ChunkedRows(environment.table("objects"), numbersFirst: false) }
  private var log: ChunkedRows { ChunkedRows(environment.table("log"), numbersFirst: true) }

  private func key(_ number: UInt64) -> CollectionOfOne<ObjectKey> {
    CollectionOfOne(ObjectKey(entity: 2, uuid: LogFixture.object(number)))
  }

  private func value(_ size: Int, _ seed: UInt8) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ Int(seed)) }
  }

  private func read(_ rows: ChunkedRows, _ key: RawSpan) throws -> [UInt8]? {
    let transaction = try environment.beginRead()
    return try rows.read(transaction.view, key: key) { bytes throws(StorageError) in [UInt8](bytes) }
  }

  private func rowCount(_ table: String) throws -> Int {
    let transaction = try environment.beginRead()
    return try transaction.view.entryCount(environment.table(table))
  }

  private static let sizes = [0, 1, 1_959, 1_960, 1_961, 3_919, 3_920, 3_921, 9_000]

  func testValueOfAnySizeComesBackFromRowsThatFitTwoAPage() throws {
    for (number, size) in Self.sizes.enumerated() {
      let key = key(UInt64(number))
      try environment.write { transaction throws(StorageError) in
        try objects.put(transaction, key: key.span.bytes, value: value(size, 1), replacing: 0)
      }
      XCTAssertEqual(try read(objects, key.span.bytes), value(size, 1), "\(size) bytes")
    }
    XCTAssertNil(try read(objects, key(77).span.bytes))
    let transaction = try environment.beginRead()
    var cursor = try transaction.view.cursor(environment.table("objects"))
    while let row = try cursor.next() { XCTAssertLessThanOrEqual(row.value.byteCount, 1_960) }
  }

  func testNoRowOfALongerValueStaysBehind() throws {
    let key = key(1)
    for before in Self.sizes {
      for after in Self.sizes {
        try environment.write { transaction throws(StorageError) in
          try objects.put(transaction, key: key.span.bytes, value: value(before, 1), replacing: 0)
          try objects.put(transaction, key: key.span.bytes, value: value(after, 2), replacing: before)
        }
        XCTAssertEqual(try read(objects, key.span.bytes), value(after, 2), "\(before) to \(after) bytes")
        XCTAssertEqual(try rowCount("objects"), max(1, (after + 1_959) / 1_960))
        try environment.write { transaction throws(StorageError) in
          try objects.delete(transaction, key: key.span.bytes, size: after)
        }
        XCTAssertEqual(try rowCount("objects"), 0, "\(after) bytes")
      }
    }
  }

  func testScanMeetsEachValueOnceWhole() throws {
    try environment.write { transaction throws(StorageError) in
      for (number, size) in Self.sizes.enumerated() {
        let key = key(UInt64(number))
        try objects.put(transaction, key: key.span.bytes, value: value(size, 3), replacing: 0)
        try log.append(transaction, key: LogKey(Position(1) + number).bytes.span.bytes, value: value(size, 4))
      }
    }
    let transaction = try environment.beginRead()
    var found: [[UInt8]] = []
    let from = key(2)
    try objects.scan(transaction.view, from: from.span.bytes) { key, value throws(StorageError) in
      XCTAssertEqual(ObjectKey(key)?.uuid, LogFixture.object(UInt64(found.count + 2)))
      found.append([UInt8](value))
      return true
    }
    XCTAssertEqual(found, Self.sizes.dropFirst(2).map { value($0, 3) })
    var positions: [Position] = []
    found = []
    let start = LogKey(1)
    try log.scan(transaction.view, from: start.bytes.span.bytes) { key, value throws(StorageError) in
      positions.append(LogKey(key)?.position ?? 0)
      XCTAssertEqual(key.count, 8)
      found.append([UInt8](value))
      return positions.count < 7
    }
    XCTAssertEqual(positions, [1, 2, 3, 4, 5, 6, 7])
    XCTAssertEqual(found, Self.sizes.prefix(7).map { value($0, 4) })
  }

  func testErrorInAScanComesOut() throws {
    try environment.write { transaction throws(StorageError) in
      try log.append(transaction, key: LogKey(1).bytes.span.bytes, value: [1])
      try log.append(transaction, key: LogKey(2).bytes.span.bytes, value: value(5_000, 1))
    }
    let refusal = StorageError.closed(StorageError.Site(.get, "here"))
    for limit in 1...2 {
      let transaction = try environment.beginRead()
      var count = 0
      XCTAssertThrowsError(
        try log.scan(transaction.view, from: LogKey(1).bytes.span.bytes) { _, _ throws(StorageError) in
          count += 1
          if count == limit { throw refusal }
          return true
        }
      ) { XCTAssertEqual($0 as? StorageError, refusal) }
      XCTAssertEqual(count, limit)
    }
  }

  /// A row lost in the middle leaves a shorter value, which its checksum refuses.
  func testLostRowIsNoticed() throws {
    let key = key(1)
    var writer = ByteWriter.sealing(reserving: 9_000)
    writer.append(value(9_000, 1))
    let sealed = writer.sealed()
    for lost in 1...4 {
      try environment.write { transaction throws(StorageError) in
        try objects.put(transaction, key: key.span.bytes, value: sealed, replacing: 0)
        let row = ObjectKey(entity: 2, uuid: LogFixture.object(1)).bytes + [0, UInt8(lost)]
        try transaction.delete(environment.table("objects"), key: row.span.bytes)
      }
      let found = try XCTUnwrap(read(objects, key.span.bytes))
      XCTAssertThrowsError(try found.withUnsafeBytes { try ByteReader(sealed: $0) }, "row \(lost)")
    }
  }
}

extension LogKey {
  fileprivate init(_ position: Position) {
    self = withUnsafeBytes(of: position.number.bigEndian) { LogKey($0)! }
  }

  fileprivate var bytes: [UInt8] { withUnsafeBytes(of: self) { [UInt8]($0) } }
}
