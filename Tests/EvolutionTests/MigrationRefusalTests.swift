import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import XCTest

private final class OldArticle: Version {
  static let entity = Entity(
    OldArticle.self, name: "Article",
    properties: [
      .attribute("price", String.self, default: "0"), .attribute("rating", String.self), .attribute("code", Int.self),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// Price and rating are numbers.
private final class NumberArticle: Version {
  static let entity = Entity(
    NumberArticle.self, name: "Article",
    properties: [.attribute("price", Int.self), .attribute("rating", Int.self), .attribute("code", Int.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// The rating is left out.
private final class UnratedArticle: Version {
  static let entity = Entity(
    UnratedArticle.self, name: "Article", properties: [.attribute("price", Int.self), .attribute("code", Int.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// No two articles have the same code.
private final class CodedArticle: Version {
  static let entity = Entity(
    CodedArticle.self, name: "Article",
    properties: [
      .attribute("price", Int.self), .attribute("rating", String.self), .attribute("code", Int.self), .unique(["code"]),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// No two articles have the same price.
private final class PricedArticle: Version {
  static let entity = Entity(
    PricedArticle.self, name: "Article",
    properties: [
      .attribute("price", Int.self), .attribute("rating", String.self), .attribute("code", Int.self),
      .unique(["price"]),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// The code is unique, and those that are given away have an entity of their own.
private final class SoldArticle: Version {
  static let entity = Entity(
    SoldArticle.self, name: "Article",
    properties: [
      .attribute("price", String.self), .attribute("rating", String.self), .attribute("code", Int.self),
      .unique(["code"]),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class Gift: Version {
  static let entity = Entity(Gift.self, name: "Gift", properties: [.attribute("code", Int.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private let priceConversion = Migration(
  to: 1, "Prices are numbers",
  AttributeConversion("price", of: "Article", from: String.self, to: Int.self) { Int($0) ?? 0 })

/// An opening that is refused has not begun its migrations: the program of before still opens the store.
final class MigrationRefusalTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private func open(
    _ models: any PersistentModel.Type..., plan: MigrationPlan? = nil, isStrict: Bool = false
  ) async throws -> Store {
    try await Store.open(path, for: Schema(models), isStrict: isStrict, migrations: plan)
  }

  /// Two articles of each code, one of them at no price.
  private func fill(_ count: Int = 4) async throws -> Position {
    let store = try await open(OldArticle.self)
    let context = RootContext(store)
    for number in 0..<count {
      let price = number % 2 == 0 ? "0" : "\(number)"
      context.insert(OldArticle(["price": price, "rating": "good", "code": number / 2]))
    }
    try await context.save()
    let head = store.log.head
    try await store.close()
    return head
  }

  private func expectAsItWas(_ head: Position, line: UInt = #line) async throws {
    let store = try await open(OldArticle.self)
    XCTAssertEqual(store.log.head, head, line: line)
    XCTAssertEqual(
      try RootContext(store).fetch(Fetch<OldArticle>()).map { $0["rating"] },
      Array(repeating: .string("good"), count: 4), line: line)
    try await assertSound(store)
    try await store.close()
    let preview = try await StoreMaintenance.preview(
      MigrationPlan(priceConversion), of: path, for: Schema(UnratedArticle.self))
    XCTAssertEqual(preview.version, 0, line: line)
  }

  func testAnAttributeWithoutAConversionBesideOneWithLocksNobodyOut() async throws {
    let head = try await fill()
    do {
      _ = try await open(NumberArticle.self, plan: MigrationPlan(priceConversion))
      XCTFail("the rating is a text")
    } catch StoreError.incompatible(entity: "Article", property: "rating", _, _) {}
    try await expectAsItWas(head)
  }

  func testAStrictOpeningWithAPlanWritesNothing() async throws {
    let head = try await fill()
    do {
      _ = try await open(UnratedArticle.self, plan: MigrationPlan(priceConversion), isStrict: true)
      XCTFail("opened strictly")
    } catch StoreError.notInModels([.property("rating", entity: "Article")]) {}
    try await expectAsItWas(head)
    let store = try await open(UnratedArticle.self, plan: MigrationPlan(priceConversion))
    XCTAssertEqual(store.warnings, [.property("rating", entity: "Article")])
    try await store.close()
  }

  func testDuplicatesOfANewRuleAreFoundBeforeTheMigrationBesideIt() async throws {
    let head = try await fill()
    do {
      _ = try await open(CodedArticle.self, plan: MigrationPlan(priceConversion))
      XCTFail("two of one code")
    } catch StoreError.violations(let violations) {
      XCTAssertEqual(violations.map(\.properties), [["code"], ["code"]])
    }
    try await expectAsItWas(head)
  }

  func testADeclaredAttributeThatALaterVersionTakesAwayIsFoundBeforeTheFirst() async throws {
    let head = try await fill()
    let later = Migration(to: 2, "No codes", removing: [.attribute("code", of: "Article")])
    do {
      _ = try await open(UnratedArticle.self, plan: MigrationPlan(priceConversion, later))
      XCTFail("it would come back empty")
    } catch StoreError.migration(.stillDeclared) {}
    try await expectAsItWas(head)
  }

  func testDuplicatesThatAConversionMakesAreFoundBeforeIt() async throws {
    let head = try await fill()
    do {
      _ = try await open(PricedArticle.self, plan: MigrationPlan(priceConversion))
      XCTFail("two at no price")
    } catch StoreError.violations(let violations) {
      XCTAssertEqual(violations.map(\.properties), [["price"]])
    }
    try await expectAsItWas(head)
  }

  func testDuplicatesThatAMappingTakesAwayAreNoReasonToRefuse() async throws {
    _ = try await fill()
    let split = Migration(
      to: 1, "Gifts", mapping: [.move("Article", to: "Gift", where: { $0["price"] == .string("0") })])
    let store = try await open(SoldArticle.self, Gift.self, plan: MigrationPlan(split))
    let context = RootContext(store)
    XCTAssertEqual(try context.count(Fetch<SoldArticle>()), 2)
    XCTAssertEqual(try context.count(Fetch<Gift>()), 2)
    try await assertSound(store)
    try await store.close()
  }
}
