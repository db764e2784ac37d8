import Foundation
import RepriseCore
import RepriseLMDB
import RepriseObjectModel
import Synchronization
import XCTest

@testable import RepriseEventStore

/// As numbers, where there are any.
private final class MaybePrice: Version {
  static let entity = Entity(
    MaybePrice.self, name: "Price",
    properties: [.attribute("amount", Int?.self, indexed: true), .attribute("label", String.self, indexed: true)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// A store that is damaged, or loses its end, in the middle of a migration.
final class MigrationSalvageTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  private var newPath: String { path + "-new" }
  override func tearDown() {
    for path in [path, newPath] { try? FileManager.default.removeItem(atPath: path) }
  }

  private struct PowerCut: Error {}

  /// Every third value becomes `nil`; the default of before would not.
  ///
  /// - Parameter calls: How many conversions there are before the program ends.
  private static func plan(calls: Int = .max) -> MigrationPlan {
    let left = Mutex(calls)
    return MigrationPlan(
      Migration(
        to: 1, "Prices are numbers, or none",
        AttributeConversion("amount", of: "Price", from: String.self, to: Int?.self) { text in
          let isOver = left.withLock { left in
            left -= 1
            return left < 0
          }
          if isOver { throw PowerCut() }
          guard let number = Int(text) else { throw NoNumber() }
          return number % 3 == 1 ? nil : number
        }))
  }

  private func open(_ path: String) async throws -> Store {
    try await Store.open(path, for: Schema(MaybePrice.self), migrations: Self.plan())
  }

  private static let expected = (0..<5_000).map { number -> PropertyValue in
    if number % 10 == 0 { return .int(0) }
    return number % 3 == 1 ? .null : .int(Int64(number))
  }

  /// Positions: 1 the first schema, 2 the objects, 3 the migration's beginning, 4 and 5 its slices. 1,000 are left.
  private func beginMigration() async throws {
    let store = try await Store.open(path, for: Schema(TextPrice.self))
    let context = RootContext(store)
    for number in 0..<5_000 {
      let price = context.insert(TextPrice(["label": "l"]))
      if number % 10 > 0 { price["amount"] = .string("\(number)") }
    }
    try await context.save()
    XCTAssertEqual(store.log.head, 2)
    try await store.close()
    do {
      _ = try await Store.open(
        path, for: Schema(MaybePrice.self), migrations: Self.plan(calls: 9_500))
      XCTFail("the migration came to its end")
    } catch StoreError.migration(.value) {}
  }

  private func assertMigrated(_ path: String, _ what: String) async throws {
    do {
      _ = try await Store.open(path, for: Schema(Label.self))
      XCTFail("\(what): half migrated")
    } catch StoreError.migration {}
    let store = try await open(path)
    let amounts = try RootContext(store).fetch(Fetch<MaybePrice>()).map { $0["amount"] }
    XCTAssertEqual(amounts.count, 5_000, what)
    let wrong = zip(amounts, Self.expected).enumerated().filter { $0.element.0 != $0.element.1 }
    XCTAssertEqual(wrong.count, 0, "\(what): \(wrong.prefix(3))")
    try await assertSound(store)
    try await store.close()
    // And it has come to its end.
    try await Store.open(path, for: Schema(MaybePrice.self), migrations: Self.plan(calls: 0)).close()
  }

  func testASalvagedStoreIsMigratedToTheEnd() async throws {
    try await beginMigration()
    let report = try await StoreMaintenance.salvage(path, to: newPath)
    XCTAssertTrue(report.isComplete, report.description)
    try await assertMigrated(newPath, "salvaged")
    try await assertMigrated(path, "as it was")
  }

  func testASalvageThatLostAPartOfTheMigrationIsMigratedToTheEnd() async throws {
    try await beginMigration()
    let original = try Data(contentsOf: URL(fileURLWithPath: path + "/data.mdb"))
    for position: Position in [2, 3, 4, 5] {
      try original.write(to: URL(fileURLWithPath: path + "/data.mdb"))
      try alter(position)
      let report = try await StoreMaintenance.salvage(path, to: newPath)
      XCTAssertEqual(report.lost, position...5)
      try await assertMigrated(newPath, "without transaction \(position)")
      try FileManager.default.removeItem(atPath: newPath)
    }
  }

  func testAfterARebuildingThatAcceptsALossAllIsConverted() async throws {
    try await beginMigration()
    try withEnvironment { environment in
      let table = StoreTables(environment).log
      try environment.write { (transaction) throws(StorageError) in
        for chunk in 0..<UInt16(1_000) {
          var key = ByteWriter()
          key.fixed(UInt64(5).bigEndian)
          key.fixed(chunk.bigEndian)
          let bytes = key.bytes
          _ = try transaction.delete(table, key: bytes.span.bytes)
        }
      }
    }
    let report = try await StoreMaintenance.rebuild(path, acceptingLoss: true)
    XCTAssertEqual(report.lostTransactions, 1)
    try await assertMigrated(path, "rebuilt")
  }

  private func withEnvironment<Result>(_ body: (Environment) throws -> Result) throws -> Result {
    let environment = try StoreOpener.environment(path, .owner, isUnflushed: true, checksStructure: false)
    defer { environment.close() }
    return try body(environment)
  }

  /// Damages every copy of a transaction.
  private func alter(_ position: Position) throws {
    let start: [UInt8] = try withEnvironment { environment in
      let transaction = try environment.beginRead()
      return try LogTable(StoreTables(environment).log).withFrame(position, transaction.view) {
        [UInt8]($0.bytes.prefix(36))
      }
    }
    let file = URL(fileURLWithPath: path + "/data.mdb")
    var data = try Data(contentsOf: file)
    var found = 0
    var place = data.startIndex
    while let range = data.range(of: Data(start), in: place..<data.endIndex) {
      data[range.lowerBound + 18] ^= 0x40
      place = range.upperBound
      found += 1
    }
    XCTAssertGreaterThan(found, 0, "there is nothing to damage")
    try data.write(to: file)
  }
}
