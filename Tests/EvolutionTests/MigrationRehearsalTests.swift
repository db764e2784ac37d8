import Foundation
import RepriseCore
import RepriseObjectModel
import XCTest

@testable import RepriseEventStore

/// A plan is tried as a whole before its first step is written: one that fails locks nobody out.
final class MigrationRehearsalTests: XCTestCase {
  private let test = ShapedStore()

  private let prices = Migration(
    to: 1, "Prices",
    AttributeConversion("price", of: "Entry", from: String.self, to: Int.self) { text in
      guard let number = Int(text) else { throw NoNumber() }
      return number
    })
  private let sizes = Migration(
    to: 2, "Sizes",
    AttributeConversion("size", of: "Entry", from: String.self, to: Int.self) { text in
      guard let number = Int(text) else { throw NoNumber() }
      return number
    })
  /// Of what the first one makes.
  private let cents = Migration(
    to: 2, "Cents",
    AttributeConversion("price", of: "Entry", from: Int.self, to: Double.self) { price in
      if price > 100 { throw TooMuch() }
      return Double(price)
    })

  private struct TooMuch: Error, CustomStringConvertible {
    let description = "too much"
  }

  private func texts() -> any PersistentModel.Type {
    ShapeA.named("Entry", .attribute("price", String.self), .attribute("size", String.self))
  }

  private func fill(_ entries: [(price: String, size: String)]) async throws -> Position {
    let store = try await test.open(texts())
    let context = RootContext(store)
    for entry in entries { context.insert(ShapeA(["price": entry.price, "size": entry.size])) }
    try await context.save()
    let head = store.log.head
    try await store.close()
    return head
  }

  /// The store is as it was, and the program of before opens it.
  private func requireAsItWas(_ head: Position, line: UInt = #line) async throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: test.path)
    XCTAssertEqual(Set(names).subtracting(["data.mdb", "lock.mdb", "journals"]), [], line: line)
    let store = try await test.open(texts())
    XCTAssertEqual(store.log.head, head, line: line)
    try await assertSound(store, line: line)
    try await store.close()
  }

  private func failure(_ models: [any PersistentModel.Type], _ plan: [Migration]) async throws -> StoreError? {
    do {
      try await test.open(models, plan).close()
      return nil
    } catch let error as StoreError { return error }
  }

  func testConversionsOfOtherValuesSayWhatTheyWant() {
    func reason(_ value: PropertyValue, _ conversion: AttributeConversion) -> String? {
      if case .failure(let error) = Migrator.converted(value, conversion) { "\(error)" } else { nil }
    }
    let text = AttributeConversion("price", of: "Entry", from: Int.self, to: String.self) { "\($0)" }
    XCTAssertEqual(
      reason(.string("x"), text), "Int, the type in the conversion's `from:`, cannot hold it. Use a type that can")
    XCTAssertEqual(
      reason(.int(3), .blob("photo", of: "Entry", from: [UInt8].self)),
      """
      `AttributeConversion.blob` converts only bytes and texts. Convert the attribute to bytes in a migration to an \
      earlier version
      """)
    let same = AttributeConversion("photo", of: "Entry", from: [UInt8].self, to: [UInt8].self) { $0 }
    let long = [UInt8](repeating: 0, count: ChunkedRows.maximumSize / 2 + 1)
    XCTAssertEqual(
      reason(.bytes(long), same),
      "the old and the new value together take more than 128450560 bytes, so the new value is too long")
  }

  func testALaterConversionThatFailsChangesNothing() async throws {
    let head = try await fill([("1", "large")])
    let numbers = ShapeB.named("Entry", .attribute("price", Int.self), .attribute("size", Int.self))
    let error = try await failure([numbers], [prices, sizes])
    guard case .migration(.value(.string("large"), _, property: "size", migration: "Sizes", _))? = error else {
      return XCTFail("\(String(describing: error))")
    }
    try await requireAsItWas(head)
  }

  func testALaterConversionOfAConvertedValueThatFailsChangesNothing() async throws {
    let head = try await fill([("1", "s"), ("101", "s")])
    let numbers = ShapeB.named("Entry", .attribute("price", Double.self), .attribute("size", String.self))
    let error = try await failure([numbers], [prices, cents])
    guard case .migration(.value(.int(101), _, property: "price", migration: "Cents", _))? = error else {
      return XCTFail("\(String(describing: error))")
    }
    try await requireAsItWas(head)
    // Once it is repaired, the plan is carried out.
    let store = try await test.open(texts())
    let context = RootContext(store)
    for entry in try context.fetch(Fetch<ShapeA>()) { entry["price"] = .string("7") }
    try await context.save()
    try await store.close()
    let again = try await test.open([numbers], [prices, cents])
    XCTAssertEqual(try RootContext(again).fetch(Fetch<ShapeB>()).map { $0["price"] }, [.double(7), .double(7)])
    try await assertSound(again)
    try await again.close()
    XCTAssertFalse(FileManager.default.fileExists(atPath: test.path + "/rehearsal"))
  }

  func testALaterMappingThatFailsChangesNothing() async throws {
    let head = try await fill([("1", "s"), ("2", "l")])
    let item = ShapeB.named("Item", .attribute("price", Int.self), .attribute("size", String.self))
    let move = Migration(
      to: 2, "Items", mapping: [.move("Entry", to: "Item", where: { $0["price"] == .int(1) })])
    let error = try await failure([item], [prices, move])
    guard case .migration(.object(_, mapping: "Entry to Item", migration: "Items", _))? = error else {
      return XCTFail("\(String(describing: error))")
    }
    try await requireAsItWas(head)
  }

  func testAStepBehindARemovalThatFailsChangesNothing() async throws {
    let head = try await fill([("much", "s")])
    let tidy = Migration(to: 1, "No sizes", removing: [.attribute("size", of: "Entry")])
    let later = Migration(
      to: 2, "Prices",
      AttributeConversion("price", of: "Entry", from: String.self, to: Int.self) { text in
        guard let number = Int(text) else { throw NoNumber() }
        return number
      })
    let error = try await failure([ShapeB.named("Entry", .attribute("price", Int.self))], [tidy, later])
    guard case .migration(.value(.string("much"), _, property: "price", _, _))? = error else {
      return XCTFail("\(String(describing: error))")
    }
    try await requireAsItWas(head)
  }

  func testDuplicatesThatAMappingMakesChangeNothing() async throws {
    let head = try await fill([("1", "s"), ("01", "l")])
    let unique = ShapeB.named(
      "Item", .attribute("price", Int.self), .attribute("size", String.self), .unique(["price"]))
    let error = try await failure([unique], [prices, Migration(to: 2, "Items", mapping: [.move("Entry", to: "Item")])])
    guard case .violations(let violations)? = error else { return XCTFail("\(String(describing: error))") }
    XCTAssertEqual(violations.map(\.properties), [["price"]])
    try await requireAsItWas(head)
  }

  func testAMoveThatBreaksAnOldRuleChangesNothing() async throws {
    for nilsAreEqual in [false, true] {
      let entry = ShapeA.named("Entry", .attribute("price", Int?.self))
      let item = ShapeB.named("Item", .attribute("price", Int?.self), .unique(["price"], nilsAreEqual: nilsAreEqual))
      let test = ShapedStore()
      let store = try await test.open([entry, item])
      let context = RootContext(store)
      let price = nilsAreEqual ? nil : 1
      context.insert(ShapeA(["price": price]))
      context.insert(ShapeB(["price": price]))
      try await context.save()
      let head = store.log.head
      try await store.close()
      do {
        try await test.open([item], [Migration(to: 1, "Items", mapping: [.move("Entry", to: "Item")])]).close()
        XCTFail("opened")
      } catch StoreError.violations(let violations) {
        XCTAssertEqual(violations.count, 1)
      }
      let again = try await test.open([entry, item])
      XCTAssertEqual(again.log.head, head)
      try await assertSound(again)
      try await again.close()
    }
  }

  func testAPreviewListsWhatAMoveWouldBreak() async throws {
    for nilsAreEqual in [false, true] {
      let entry = ShapeA.named("Entry", .attribute("price", Int?.self))
      let item = ShapeB.named("Item", .attribute("price", Int?.self), .unique(["price"], nilsAreEqual: nilsAreEqual))
      let test = ShapedStore()
      let store = try await test.open([entry, item])
      let context = RootContext(store)
      let prices: [Int?] = [nil, 1, 2, 3]
      for price in prices { context.insert(ShapeA(["price": price])) }
      for price in prices.dropFirst(3) + [4, nil] { context.insert(ShapeB(["price": price])) }
      try await context.save()
      try await store.close()
      func preview(_ condition: (@Sendable (MappedObject) -> Bool)? = nil) async throws -> MigrationPreview {
        let move = Migration(to: 1, "Items", mapping: [.move("Entry", to: "Item", where: condition)])
        return try await StoreMaintenance.preview(MigrationPlan(move), of: test.path, for: Schema([item]))
      }
      let all = try await preview()
      XCTAssertEqual(all.mappings.map(\.failures), [[]])
      XCTAssertEqual(Set(all.violations.map(\.values)), nilsAreEqual ? [[.int(3)], [.null]] : [[.int(3)]])
      XCTAssertEqual(Set(all.violations.map(\.object.entity)), ["Item"])
      let some = try await preview { $0["price"] == .int(1) || $0["price"] == .int(2) }
      XCTAssertEqual(some.violations, [])
    }
  }

  func testAnObjectTooLargeForOneTransactionChangesNothing() async throws {
    let text = String(repeating: "x", count: ChunkedRows.maximumSize / 2 + 1)
    let same = AttributeConversion("size", of: "Entry", from: String.self, to: String.self) { $0 }
    XCTAssertThrowsError(try Migrator.converted(.string(text), same).get())
    let head = try await fill([("1", text)])
    let item = ShapeB.named("Item", .attribute("price", String.self), .attribute("size", String.self))
    let error = try await failure([item], [Migration(to: 1, "Items", mapping: [.move("Entry", to: "Item")])])
    guard case .migration(.object(_, mapping: "Entry to Item", migration: "Items", _))? = error else {
      return XCTFail("\(String(describing: error))")
    }
    try await requireAsItWas(head)
  }

  /// A process that was killed while it tried leaves its copy.
  private func leaveACopy() throws {
    try FileManager.default.createDirectory(atPath: test.path + "/rehearsal", withIntermediateDirectories: true)
    try Data("left".utf8).write(to: URL(fileURLWithPath: test.path + "/rehearsal/data.mdb"))
  }

  private var hasCopy: Bool { FileManager.default.fileExists(atPath: test.path + "/rehearsal") }

  /// Another plan may have one step, or the program of before may go on.
  func testALeftCopyGoesWithTheNextOpeningThatWrites() async throws {
    _ = try await fill([("1", "2")])
    try leaveACopy()
    let more = ShapeA.named(
      "Entry", .attribute("price", String.self), .attribute("size", String.self), .attribute("note", String?.self))
    try await test.open(more).close()
    XCTAssertFalse(hasCopy)
    try leaveACopy()
    let numbers = ShapeB.named(
      "Entry", .attribute("price", Int.self), .attribute("size", String.self), .attribute("note", String?.self))
    try await test.open([numbers], [prices]).close()
    XCTAssertFalse(hasCopy)
  }

  /// Two claims of one process stand for two processes.
  func testACopyThatAnotherProcessTriesAPlanOnStays() async throws {
    _ = try await fill([("1", "2")])
    try leaveACopy()
    let claim = WorkClaim(.migration, path: test.path + "/data.mdb")
    XCTAssertTrue(try claim.take())
    let more = ShapeA.named(
      "Entry", .attribute("price", String.self), .attribute("size", String.self), .attribute("note", String?.self))
    try await test.open(more).close()
    XCTAssertTrue(hasCopy)
    claim.close()
  }

  func testACopyThatAKillLeftIsRemoved() async throws {
    _ = try await fill([("1", "2")])
    try leaveACopy()
    let numbers = ShapeB.named("Entry", .attribute("price", Int.self), .attribute("size", Int.self))
    try await test.open([numbers], [prices, sizes]).close()
    XCTAssertFalse(FileManager.default.fileExists(atPath: test.path + "/rehearsal"))
  }

  func testAnErasureRemovesACopyThatAKillLeft() async throws {
    _ = try await fill([("1", "2")])
    let store = try await test.open(texts())
    let entry = try XCTUnwrap(try RootContext(store).fetch(Fetch<ShapeA>()).first)
    try await store.close()
    try FileManager.default.createDirectory(atPath: test.path + "/rehearsal", withIntermediateDirectories: true)
    try Data("a secret".utf8).write(to: URL(fileURLWithPath: test.path + "/rehearsal/data.mdb"))
    try await StoreMaintenance.erase([Erasure(of: entry.id.any)], in: test.path)
    XCTAssertEqual(try test.holders(of: "a secret"), [])
  }
}
