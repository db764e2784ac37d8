import Foundation
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseEventStore
@testable import RepriseLMDB

/// Long values lie in a table of their own: neither an edit of one nor a look at what is beside it costs its length.
final class LongValueTests: XCTestCase {
  private static let long = String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 2_223)

  private func opened(_ name: String = LongValueTests.long) async throws -> (test: TestStore, id: Item.ID) {
    let test = try TestStore()
    let context = RootContext(test.store, isolation: nil)
    let item = context.insert(Item(name: name, valueInDollars: 7))
    context.insert(Item(name: "short", valueInDollars: 8))
    try await context.save()
    return (test, item.id)
  }

  private func rows(_ store: Store) throws -> [(key: [UInt8], value: [UInt8])] {
    try store.environment.read { (transaction) throws(StorageError) in
      var rows: [(key: [UInt8], value: [UInt8])] = []
      var cursor = try transaction.view.cursor(store.tables.values.table(transaction.view))
      while let entry = try cursor.next() {
        rows.append((entry.key.withUnsafeBytes { [UInt8]($0) }, entry.value.withUnsafeBytes { [UInt8]($0) }))
      }
      return rows
    }
  }

  private func assertSound(_ store: Store, line: UInt = #line) throws {
    XCTAssertEqual(try StoreMaintenance.verifyNow(store).problems, [], line: line)
  }

  /// Changes rows of long values; `nil` removes one.
  private func damage(_ store: Store, _ change: (Int, [UInt8]) -> [UInt8]?) throws {
    let rows = try rows(store)
    let table = try store.opened(store.tables.values)
    try store.environment.write { (transaction) throws(StorageError) in
      for (place, row) in rows.enumerated() {
        if let value = change(place, row.value) {
          try transaction.put(table, key: row.key.span.bytes, value: value.span.bytes)
        } else {
          try transaction.delete(table, key: row.key.span.bytes)
        }
      }
    }
  }

  // MARK: What they cost

  func testAKeystrokeWritesTheChunkThatItIsInAndNotTheText() async throws {
    let test = try TestStore()
    let context = RootContext(test.store, isolation: nil)
    for number in 0..<10_000 { context.insert(Item(name: "Item \(number)", valueInDollars: number)) }
    try await context.save()
    let item = context.insert(Item(name: "long"))
    item.photo = Array(Self.long.utf8)
    try await context.save()
    var pages: [Int] = []
    var written = 0
    for number in 0..<60 {
      let before = try Data(contentsOf: URL(fileURLWithPath: test.path + "/data.mdb"))
      let start = Self.writtenBytes()
      item.photo?.insert(120, at: 50_000 + number)
      try await context.save()
      written += Self.writtenBytes() - start
      let after = try Data(contentsOf: URL(fileURLWithPath: test.path + "/data.mdb"))
      pages.append(Self.changedPages(before, after))
    }
    let mean = Double(pages.reduce(0, +)) / Double(pages.count)
    print("\(pages.count) keystrokes: \(mean) pages and \(written / pages.count) bytes each")
    XCTAssertLessThanOrEqual(mean, 12, "48 KB")
    try assertSound(test.store)
  }

  /// `wchar` of the process: with what the journal writes, and whatever else does meanwhile.
  private static func writtenBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").first { $0.hasPrefix("wchar: ") }.flatMap { Int($0.dropFirst(7)) } ?? 0
  }

  private static func changedPages(_ before: Data, _ after: Data) -> Int {
    stride(from: 0, to: after.count, by: 4_096).count { start in
      start + 4_096 > before.count || before[start..<start + 4_096] != after[start..<start + 4_096]
    }
  }

  func testAConditionOnAShortValueDoesNotReadTheLongOnes() async throws {
    let (test, id) = try await opened()
    try damage(test.store) { _, _ in [1, 2, 3] }
    let context = RootContext(test.store, isolation: nil)
    XCTAssertEqual(try context.count(Fetch<Item> { $0.isInsured == false && $0.valueInDollars > 1 }), 2)
    XCTAssertEqual(try context.fetchIDs(Fetch<Item> { $0.isInsured == false && $0.valueInDollars == 7 }), [id])
    let values = try context.fetchValues(Fetch<Item> { $0.isInsured == false }) { $0.valueInDollars }
    XCTAssertEqual(Set(values.map(\.values)), [7, 8])
    XCTAssertThrowsError(try context.fetchValues(Fetch<Item> { $0.isInsured == false }) { $0.name })
  }

  // MARK: Stores

  func testALongTextThatLiesInItsRecordIsReadAndMovesOutWithItsNextChange() async throws {
    let (test, id) = try await opened("short as well")
    let context = RootContext(test.store, isolation: nil)
    try context.object(id).name = Self.long
    try await context.save()
    // Where a value lies is up to who writes it.
    let store = test.store
    let map = try XCTUnwrap(store.map.map(EntityName("Item")))
    let key = ObjectKey(entity: map.number, uuid: id.any.uuid)
    try store.environment.write { (transaction) throws(StorageError) in
      guard let record = try store.files.objects.bytes(key, transaction.view) else { return }
      try store.files.objects.delete(key, record, transaction)
      let row = CollectionOfOne(key)
      try store.files.objects.rows.put(transaction, key: row.span.bytes, value: record, replacing: 0)
    }
    XCTAssertEqual(try rows(store).count, 0)
    try assertSound(store)
    let other = RootContext(store, isolation: nil)
    XCTAssertEqual(try other.object(id).name, Self.long)
    try other.object(id).valueInDollars = 9
    try await other.save()
    XCTAssertGreaterThan(try rows(store).count, 50)
    XCTAssertEqual(try RootContext(store, isolation: nil).object(id).name, Self.long)
    try assertSound(store)
  }

  func testWhatShrinksGoesBackAndDeletedObjectsLeaveNothing() async throws {
    let (test, id) = try await opened()
    let context = RootContext(test.store, isolation: nil)
    let item = try context.object(id)
    item.name = String(Self.long.prefix(5_000))
    try await context.save()
    XCTAssertGreaterThan(try rows(test.store).count, 1, "it moves when it is half of what it needed to move out")
    item.name = String(Self.long.prefix(4_000))
    try await context.save()
    XCTAssertEqual(try rows(test.store).count, 0)
    item.name = Self.long
    item.photo = [UInt8](repeating: 1, count: 10_000)
    try await context.save()
    try assertSound(test.store)
    context.delete(item)
    let deletion = try await context.save()
    XCTAssertEqual(try rows(test.store).count, 0)
    try context.revert(transactionAt: deletion)
    try await context.save()
    XCTAssertEqual(try RootContext(test.store, isolation: nil).object(id).name, Self.long)
    XCTAssertGreaterThan(try rows(test.store).count, 50)
    try assertSound(test.store)
  }

  func testABackupAndACompactedStoreHaveThem() async throws {
    let (test, id) = try await opened()
    let copy = NSTemporaryDirectory() + "reprise-long-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    try await StoreMaintenance.backup(test.store, to: copy)
    try await test.store.close()
    try await StoreMaintenance.compact(test.path)
    for path in [copy, test.path] {
      let store = try await Store.open(path, for: Item.self, Person.self)
      XCTAssertEqual(try RootContext(store, isolation: nil).object(id).name, Self.long)
      try assertSound(store)
      try await store.close()
    }
  }

  // MARK: Damage

  func testADamagedChunkCostsItsObjectAloneAndIsMadeAnewFromTheLog() async throws {
    for damage in [{ _ in nil }, { $0.dropLast() + [$0[$0.count - 1] ^ 1] }] as [([UInt8]) -> [UInt8]?] {
      let (test, id) = try await opened()
      let context = RootContext(test.store, isolation: nil)
      let other = context.insert(Item(name: Self.long + "other"))
      try await context.save()
      try self.damage(test.store) { place, value in place == 3 ? damage(value) : value }
      let reader = RootContext(test.store, isolation: nil)
      XCTAssertEqual(try reader.object(other.id).name, Self.long + "other")
      XCTAssertThrowsError(try reader.object(id)) { error in
        guard case LookupError.unreadable(id.any, _) = error else { return XCTFail("\(error)") }
      }
      let map = try XCTUnwrap(test.store.map.map(EntityName("Item")))
      let key = ObjectKey(entity: map.number, uuid: id.any.uuid)
      try test.store.environment.read { (transaction) throws(StorageError) in
        do throws(StorageError) {
          _ = try test.store.files.objects.bytes(key, transaction.view)
          XCTFail("read")
        } catch {
          guard case .damagedRow("values", _, _, _) = error else { return XCTFail("\(error)") }
        }
      }
      let report = try StoreMaintenance.verifyNow(test.store)
      let found = report.problems.filter { $0.hasPrefix("The stored object \(id.any.uuid) is damaged") }
      XCTAssertEqual(found.count, 1, report.description)
      try await test.store.close()
      _ = try await StoreMaintenance.rebuild(test.path)
      try test.open()
      XCTAssertEqual(try RootContext(test.store, isolation: nil).object(id).name, Self.long)
      try assertSound(test.store)
    }
  }

  func testAValueWithOtherBytesAndRowsOfNoValueAreFound() async throws {
    let (test, _) = try await opened()
    try damage(test.store) { place, value in
      var piece = value.dropFirst(Checksum.size)
      if place == 5 { piece[piece.startIndex] ^= 1 }
      return [UInt8](piece).withUnsafeBytes { ValueChunk.encoded($0) }
    }
    let problems = try StoreMaintenance.verifyNow(test.store).problems
    XCTAssertTrue(problems.contains { $0.contains("does not match its checksum") }, "\(problems)")
    XCTAssertTrue(problems.contains { $0.contains("differs from the result of its events") }, "\(problems)")

    let (other, _) = try await opened()
    let table = try other.store.opened(other.store.tables.values)
    let key = LongValueKey(object: UniqueID(), property: 3, order: 1).bytes
    try other.store.environment.write { (transaction) throws(StorageError) in
      try transaction.put(table, key: key.span.bytes, value: [UInt8](repeating: 0, count: 8).span.bytes)
    }
    let found = try StoreMaintenance.verifyNow(other.store).problems
    XCTAssertEqual(found.count, 1)
    XCTAssertTrue(found.first?.contains("has 53 rows, and 52 of them belong to objects") ?? false, "\(found)")
  }

  func testALongValueIsSalvagedWhereTheLogLostItAndIsToldWhereItIsLostAsWell() async throws {
    for loses in [false, true] {
      let (test, id) = try await opened("short as well")
      let context = RootContext(test.store, isolation: nil)
      try context.object(id).valueInDollars = 9
      let before = try await context.save()
      try context.object(id).name = Self.long
      try context.object(id).valueInDollars = 10
      let lost = try await context.save()
      let frame = try test.store.read { (view, _) throws(StorageError) in
        try test.store.files.log.withFrame(lost, view) { (frame) throws(MalformedBytes) in
          [UInt8](frame.bytes.prefix(36))
        }
      }
      if loses { try damage(test.store) { place, value in place == 7 ? [1, 2, 3] : value } }
      try await test.store.close()
      let file = URL(fileURLWithPath: test.path + "/data.mdb")
      var data = try Data(contentsOf: file)
      while let range = data.range(of: Data(frame)) { data[range.lowerBound + 18] ^= 0x40 }
      try data.write(to: file)
      let path = NSTemporaryDirectory() + "reprise-long-\(UUID().uuidString)"
      defer { try? FileManager.default.removeItem(atPath: path) }
      let report = try await StoreMaintenance.salvage(test.path, to: path)
      XCTAssertEqual(report.transactions, Int(before.number))
      XCTAssertEqual(report.problems.contains { $0.contains("is lost, because parts of it are missing") }, loses)
      let store = try await Store.open(path, for: Item.self, Person.self)
      let item = try RootContext(store, isolation: nil).object(id)
      XCTAssertEqual(item.valueInDollars, 10)
      XCTAssertEqual(item.name, loses ? "short as well" : Self.long)
      try assertSound(store)
      try await store.close()
    }
  }

  // MARK: Erasing

  func testNoByteOfAnErasedPastIsInAChunk() async throws {
    let secret = "correct horse battery staple"
    let (test, id) = try await opened()
    let context = RootContext(test.store, isolation: nil)
    let item = try context.object(id)
    let place = item.name.index(item.name.startIndex, offsetBy: 50_000)
    item.name.insert(contentsOf: secret, at: place)
    try await context.save()
    item.name.removeSubrange(place..<item.name.index(place, offsetBy: secret.count))
    try await context.save()
    item.valueInDollars = 10
    try await context.save()
    try await test.store.log.retain(.last(2))
    try assertSound(test.store)
    try await test.store.close()
    try await StoreMaintenance.erase([Erasure(of: id.any, ["name"])], in: test.path)
    for name in try FileManager.default.subpathsOfDirectory(atPath: test.path) where !name.hasSuffix("journals") {
      let data = try Data(contentsOf: URL(fileURLWithPath: test.path + "/" + name))
      XCTAssertNil(data.range(of: Data(secret.utf8)), name)
    }
    try test.open()
    XCTAssertEqual(try RootContext(test.store, isolation: nil).object(id).name, Self.long)
    try assertSound(test.store)
  }
}
