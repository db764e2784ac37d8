import Foundation
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseTestLog
import XCTest

/// The texts of rows that are missing or damaged, in full. They are the reasons of `StoreError`.
final class TableTextTests: LogTestCase {
  private var environment: Environment!
  private var directory = ""
  private let uuid = LogFixture.object(1)
  private let damaged: [UInt8] = [0, 0, 0, 0, 1]

  private var tables: StoreTables { StoreTables(environment) }
  private var id: AnyObjectID { AnyObjectID(EntityName("Sample"), uuid) }
  private var key: ObjectKey { ObjectKey(entity: 2, uuid: uuid) }

  override func setUpWithError() throws {
    try super.setUpWithError()
    directory = NSTemporaryDirectory() + "reprise-texts-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    var options = Environment.Options(tables: StoreTables.names + StoreTables.lazyNames)
    options.isUnflushed = true
    environment = try Environment.open(directory: directory, options)
  }

  override func tearDownWithError() throws {
    environment.close()
    try FileManager.default.removeItem(atPath: directory)
  }

  private func write(_ body: (borrowing WriteTransaction) throws(StorageError) -> Void) throws {
    try environment.write(body)
  }

  /// Sets the value of a row. `nil` removes it.
  private func put(_ table: Table, _ key: [UInt8], _ value: [UInt8]?) throws {
    try write { (transaction) throws(StorageError) in
      if let value {
        try transaction.put(table, key: key.span.bytes, value: value.span.bytes)
      } else {
        try transaction.delete(table, key: key.span.bytes)
      }
    }
  }

  private func opened(_ table: LazyTable) throws -> Table {
    try environment.write { (transaction) throws(StorageError) in try table.table(transaction.view) }
  }

  private func check(_ error: any Error, _ reason: String, line: UInt) {
    switch (error as? StorageError).map({ StoreError($0) }) {
    case .damaged(environment.directory, let found)?, .notAStore(environment.directory, let found)?:
      XCTAssertEqual(found, reason, line: line)
    default: XCTFail("\(error)", line: line)
    }
  }

  private func expect(_ reason: String, line: UInt = #line, _ body: (View) throws(StorageError) -> Void) throws {
    let transaction = try environment.beginRead()
    XCTAssertThrowsError(try body(transaction.view), line: line) { check($0, reason, line: line) }
  }

  // MARK: Entries of `meta`

  func testMissingEntries() throws {
    let meta = MetaTable(tables.meta)
    try expect("the table 'meta' has no format") { (view) throws(StorageError) in _ = try meta.logID(view) }
    try write { (transaction) throws(StorageError) in try meta.putFormat(transaction) }
    try expect("the table 'meta' has no ID of the log") { (view) throws(StorageError) in _ = try meta.logID(view) }
    try expect("the table 'meta' has no schema") { (view) throws(StorageError) in _ = try meta.schema(view) }
    try expect("the table 'meta' does not record the last transaction of the log") { (view) throws(StorageError) in
      _ = try meta.head(view)
    }
    try write { (transaction) throws(StorageError) in try meta.put(LogFixture.storedSchema, transaction) }
    try put(tables.meta, MetaKey.history, nil)
    try expect("the entry 'history' of the table 'meta' is missing or malformed") { (view) throws(StorageError) in
      _ = try meta.schema(view)
    }
  }

  func testMalformedEntries() throws {
    let meta = MetaTable(tables.meta)
    try put(tables.meta, MetaKey.replica, [1])
    try expect("the entry 'replica' of the table 'meta' is missing or malformed") { (view) throws(StorageError) in
      _ = try meta.uuid(MetaKey.replica, view)
    }
    try put(tables.meta, MetaKey.head, damaged)
    try expect("the entry 'head' of the table 'meta': expected a matching checksum at byte 0") {
      (view) throws(StorageError) in _ = try meta.head(view)
    }
    try put(tables.meta, MetaKey.nameCount, MetaTable.bytes(UInt32(3)))
    try expect("the table 'meta' has more or fewer names than the 3 that it counts") { (view) throws(StorageError) in
      var names = try NameTable(meta, view)
      var envelope = LogFixture.envelope(at: 6)
      _ = try names.reference("Ada", in: &envelope, view)
    }
  }

  func testOtherEndsOfTheLog() throws {
    let (meta, log) = (MetaTable(tables.meta), LogTable(tables.log))
    try write { (transaction) throws(StorageError) in
      try meta.put(LogHead(position: 2, hash: LogFixture.seed, time: 0), transaction)
    }
    try expect("the log goes on to transaction 3, but the last transaction that was saved is 2") {
      (view) throws(StorageError) in
      try meta.requireEnd(3, of: log, view)
    }
    try expect("transaction 2 of the log is not the one that was saved last") { (view) throws(StorageError) in
      try meta.requireEnd(LogHead(position: 2, hash: .zero, time: 0), of: log, view)
    }
  }

  // MARK: The log

  private func put(_ frame: [UInt8], at position: UInt64) throws {
    try put(tables.log, withUnsafeBytes(of: position.bigEndian) { [UInt8]($0) } + [0, 0], frame)
  }

  func testFrames() throws {
    let log = LogTable(tables.log)
    try put(try frame(at: 6) { $0.schema(.entity(number: 3, name: "Person")) }, at: 5)
    try expect("transaction 5 of the log: expected the stored transaction 5 at byte 0") { (view) throws(StorageError) in
      try log.withFrame(5, view) { _ in }
    }
    XCTAssertThrowsError(
      try log.applying(5) { () throws(ReplayError) in throw .redacted(event: 2) }
    ) {
      check(
        $0, "transaction 5 of the log: event 2 was erased, so the log does not have the state before it", line: #line)
    }
    try put(tables.log, [0xFF, 0xFF], [1])
    try expect("the last row of the log has a key of 2 bytes") { (view) throws(StorageError) in
      _ = try log.lastPosition(view)
    }
  }

  func testPastVersions() throws {
    let (id, entity) = (id, entity!)
    let past = PastReader(log: LogTable(tables.log), objects: ObjectTable(tables), map: map)
    XCTAssertThrowsError(try past.place(before: VersionPlace(version: 2, position: 6), of: id, nil)) {
      check(
        $0,
        "the event of \(id) in transaction 6 names transaction 0 as the one with the version before, which is "
          + "impossible", line: #line)
    }
    let first = try RecordWriter.inserted(LogFixture.values(map, [:]), at: 5, entity, map)
    let second = try update(first, at: 6, [(LogSample.count, .int(1))])
    try put(tables.objects, key.bytes, second)
    try put(try frame(at: 6) { $0.schema(.entity(number: 3, name: "Person")) }, at: 6)
    try expect("transaction 6 has no event of \(id)") { (view) throws(StorageError) in
      try past.forEachVersion(of: id, entity, upTo: 9, from: 1, past.log.reader(view)) { _ in }
    }
    try put(
      try frame(at: 6) { encoder in
        try first.withUnsafeBytes { bytes in
          let update = try RecordUpdate(RecordReader(bytes), [(LogSample.count, .int(1))], entity, map)
          encoder.updated(uuid, update, entity)
        }
      }, at: 6)
    try expect(
      "the event of \(id) in transaction 6: the log changes the object \(uuid), which does not exist"
    ) { (view) throws(StorageError) in _ = try past.rewind(nil, id, entity, from: 6, to: 5, view) }
  }

  // MARK: Objects and values

  func testRecords() throws {
    let (id, entity) = (id, entity!)
    let objects = ObjectTable(tables)
    let past = PastReader(log: LogTable(tables.log), objects: objects, map: map)
    try put(tables.objects, ObjectKey(tombstoneOf: 2, uuid: uuid).bytes, damaged)
    try expect("the mark of the deleted object Sample/\(uuid): expected a matching checksum at byte 0") {
      (view) throws(StorageError) in _ = try past.place(of: id, entity, upTo: 9, past.log.reader(view))
    }
    try put(tables.objects, key.bytes, damaged)
    let reason = "the stored object Sample/\(uuid): expected a matching checksum at byte 0"
    try expect(reason) { (view) throws(StorageError) in _ = try objects.values(of: uuid, entity, map, view) }
    try expect(reason) { (_) throws(StorageError) in _ = try objects.decode(damaged, id, entity, map) }
    try environment.read { (transaction) throws(StorageError) in
      let view = transaction.view
      let tombstone = ObjectKey(tombstoneOf: 2, uuid: uuid)
      XCTAssertEqual(try objects.problem(of: key, .tombstone, view), "it has the key of an existing object")
      XCTAssertEqual(try objects.problem(of: tombstone, .object, view), "it has the key of a deleted object")
      XCTAssertEqual(
        try objects.problem(of: tombstone, .tombstone, view),
        "the object exists, but is also marked as deleted")
    }
  }

  func testLongValues() throws {
    let (key, objects) = (key, ObjectTable(tables))
    let text = String(repeating: "x", count: 10_000)
    let record = try RecordWriter.inserted(
      LogFixture.values(map, [LogSample.title: .string(text)]), at: 1, entity, map)
    try write { (transaction) throws(StorageError) in try objects.put(record, key, replacing: nil, transaction) }
    let values = try opened(tables.values)
    func row(_ number: UInt64) -> [UInt8] {
      LongValueKey(object: uuid, property: 5, order: number * LongValueKey.gap).bytes
    }

    try put(values, row(9), [7].withUnsafeBytes { ValueChunk.encoded($0) })
    try expect(
      "a chunk of the property with the number 5 of the object \(uuid): expected the end of the value at byte 0"
    ) {
      (view) throws(StorageError) in _ = try objects.bytes(key, view)
    }
    try put(values, row(9), nil)
    try put(values, row(2), damaged)
    try expect(
      "a chunk of the property with the number 5 of the object \(uuid): expected a matching checksum at byte 0"
    ) {
      (view) throws(StorageError) in _ = try objects.bytes(key, view)
    }
    try put(values, row(2), nil)
    try expect("the value of the property with the number 5 of the object \(uuid) lacks 1956 of 10000 bytes") {
      (view) throws(StorageError) in
      _ = try objects.bytes(key, view)
    }
    let next = try update(record, at: 2, [(LogSample.title, .string(text + "y"))])
    XCTAssertThrowsError(
      try write { (transaction) throws(StorageError) in try objects.put(next, key, replacing: record, transaction) }
    ) {
      check(
        $0,
        "the value of the property with the number 5 of the object \(uuid) is stored with another length than this "
          + "change expects", line: #line)
    }
  }

  func testBlobs() throws {
    let table = try BlobTable(opened(tables.blobs))
    let bytes = [UInt8](repeating: 7, count: 3_000)
    let entry = BlobTable.Entry(upload: uuid, byteCount: bytes.count)
    let digest = bytes.withUnsafeBytes { SHA256.digest($0) }
    try write { (transaction) throws(StorageError) in
      try table.write(bytes.withUnsafeBytes { SealedChunks($0, from: 0) }, of: uuid, transaction)
    }
    try environment.read { (transaction) throws(StorageError) in
      XCTAssertNil(try table.problem(of: digest, entry, transaction.view))
      XCTAssertEqual(
        try table.problem(of: .zero, entry, transaction.view),
        "the bytes of the blob do not match its SHA-256")
    }
    try put(table.table, BlobTable.key(uuid, chunk: 1), [1].withUnsafeBytes { ValueChunk.encoded($0) })
    try expect("chunk 1 of a blob: expected a chunk of its length at byte 0") { (view) throws(StorageError) in
      try table.forEachPiece(0..<3_000, of: entry, view) { _ in }
    }
    try put(table.table, BlobTable.key(uuid, chunk: 1), nil)
    try expect("chunk 1 of a blob is missing") { (view) throws(StorageError) in
      try table.forEachPiece(0..<3_000, of: entry, view) { _ in }
    }
    try put(table.table, BlobTable.key(.whole, digest), damaged)
    try expect("the row of a blob: expected a matching checksum at byte 0") { (view) throws(StorageError) in
      _ = try table.entry(of: digest, view)
    }
  }
}
