import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import RepriseQuery
import RepriseTestSeeds
import Synchronization
import XCTest

/// Prices as texts, as the first version had them.
final class TextPrice: Version {
  static let entity = Entity(
    TextPrice.self, name: "Price",
    properties: [
      .attribute("amount", String.self, default: "0", indexed: true), .attribute("label", String.self, indexed: true),
      .index(["label", "amount"]), .searchIndex("amount"),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// As numbers.
final class Price: Version {
  static let entity = Entity(
    Price.self, name: "Price",
    properties: [
      .attribute("amount", Int.self, indexed: true), .attribute("label", String.self, indexed: true),
      .index(["label", "amount"]),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// As numbers with a fraction, under another name.
final class Cost: Version {
  static let entity = Entity(
    Cost.self, name: "Cost", was: "Price",
    properties: [
      .attribute("sum", Double?.self, indexed: true, was: "amount"), .attribute("label", String.self, indexed: true),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// Of a program that goes on with any version.
final class Label: Version {
  static let entity = Entity(Label.self, name: "Price", properties: [.attribute("label", String.self, indexed: true)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// As texts, with labels that are bytes.
final class BytesPrice: Version {
  static let entity = Entity(
    BytesPrice.self, name: "Price",
    properties: [
      .attribute("amount", String.self, default: "0", indexed: true), .attribute("label", [UInt8].self),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

struct NoNumber: Error, CustomStringConvertible {
  let description = "no number"
}

let toNumbers = Migration(
  to: 1, "Prices are numbers",
  AttributeConversion("amount", of: "Price", from: String.self, to: Int.self) { text in
    guard let amount = Int(text) else { throw NoNumber() }
    return amount
  })

let toCosts = Migration(
  to: 2, "Prices have cents",
  AttributeConversion("amount", of: "Price", from: Int.self, to: Double?.self) { $0 < 0 ? nil : Double($0) / 100 })

final class MigrationTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private func open(
    _ model: any PersistentModel.Type, _ plan: MigrationPlan?, progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) async throws -> Store {
    try await Store.open(path, for: Schema([model]), migrations: plan, progress: progress)
  }

  private func fill(_ count: Int, _ text: (Int) -> String = { "\($0)" }) async throws {
    let store = try await open(TextPrice.self, nil)
    let context = RootContext(store)
    for number in 0..<count {
      let price = context.insert(TextPrice(["label": "l\(number % 3)"]))
      // Of some nothing is stored.
      if number % 10 > 0 { price["amount"] = .string(text(number)) }
    }
    try await context.save()
    try await store.close()
  }

  private func expect(
    _ error: any Error, _ expected: MigrationError, file: StaticString = #filePath, line: UInt = #line
  ) {
    guard case StoreError.migration(let found) = error else { return XCTFail("\(error)", file: file, line: line) }
    XCTAssertEqual(found, expected, file: file, line: line)
  }

  func testValuesAreConvertedAndEverythingFollowsFromTheLog() async throws {
    try await fill(5_000)
    let steps = Mutex<[MigrationProgress]>([])
    let store = try await open(Price.self, MigrationPlan(toNumbers)) { step in steps.withLock { $0.append(step) } }
    XCTAssertEqual(steps.withLock { $0.map(\.done) }, [2_000, 4_000, 5_000])
    XCTAssertEqual(Set(steps.withLock { $0.map(\.total) }), [5_000])
    let context = RootContext(store)
    let amounts = try context.fetch(Fetch<Price>()).map { $0["amount"] }
    XCTAssertEqual(amounts, (0..<5_000).map { .int($0 % 10 > 0 ? Int64($0) : 0) })
    let found = Fetch<Price> { _ in try! Field<Price, Int>(named: "amount") == 4_711 }
    XCTAssertEqual(try context.count(found), 1)
    try await store.waitForIndexes()
    XCTAssertNotEqual(try context.explain(found).access, .scan)
    XCTAssertEqual(try context.count(found), 1)
    try await assertSound(store)
    XCTAssertEqual(store.warnings, [], "what was converted is no property any more")
    // The log has what was, under its time's kind.
    try await store.close()
    try await StoreMaintenance.rebuild(path)
    let again = try await open(Price.self, MigrationPlan(toNumbers))
    XCTAssertEqual(try RootContext(again).fetch(Fetch<Price>()).map { $0["amount"] }, amounts)
    try await assertSound(again)
    try await again.close()
  }

  func testSeveralMigrationsFollowEachOtherAndRenames() async throws {
    try await fill(100)
    let store = try await open(Cost.self, MigrationPlan(toNumbers, toCosts))
    let sums = try RootContext(store).fetch(Fetch<Cost>()).map { $0["sum"] }
    XCTAssertEqual(sums, (0..<100).map { .double($0 % 10 > 0 ? Double($0) / 100 : 0) })
    try await assertSound(store)
    try await store.close()
    // A new store has nothing to be migrated.
    let head = try await open(Cost.self, MigrationPlan(toNumbers, toCosts)).log.head
    XCTAssertGreaterThan(head.number, 4)
  }

  func testANewStoreHasTheLastVersion() async throws {
    let store = try await open(Price.self, MigrationPlan(toNumbers))
    XCTAssertEqual(store.log.head, 1)
    try await store.close()
    do {
      _ = try await open(TextPrice.self, nil)
      XCTFail("an older program")
    } catch { expect(error, .outdatedProgram(version: 0, oldest: 1, stored: 1)) }
  }

  func testAValueThatCannotBeConvertedIsToldBeforeAnythingIsWritten() async throws {
    try await fill(5_000) { $0 == 4_999 ? "much" : "\($0)" }
    do {
      _ = try await open(Price.self, MigrationPlan(toNumbers))
      XCTFail("converted a text that is no number")
    } catch StoreError.migration(.value(let value, let object, "amount", migration: let name, let reason)) {
      XCTAssertEqual(value, .string("much"))
      XCTAssertEqual(object.entity, "Price")
      XCTAssertEqual([name, reason], ["Prices are numbers", "no number"])
    }
    let store = try await open(TextPrice.self, nil)
    XCTAssertEqual(store.log.head, 2)
    try await assertSound(store)
    try await store.close()
    let preview = try await StoreMaintenance.preview(
      MigrationPlan(toNumbers, toCosts), of: path, for: Schema(Cost.self))
    XCTAssertEqual(preview.version, 0)
    XCTAssertEqual(preview.conversions.map(\.objects), [5_000])
    XCTAssertEqual(preview.conversions.map(\.migration), ["Prices are numbers"])
    XCTAssertEqual(preview.conversions.first?.failures.count, 1)
  }

  func testWithoutAMigrationAnotherTypeIsRefusedAndWithTheWrongOneToo() async throws {
    try await fill(10)
    do {
      _ = try await open(Price.self, nil)
      XCTFail("a text is no number")
    } catch StoreError.incompatible {}
    do {
      _ = try await open(Cost.self, MigrationPlan(toCosts))
      XCTFail("texts are no integers")
    } catch {
      expect(
        error,
        .typeMismatch(
          entity: "Price", property: "amount", stored: "String", expected: "integer", migration: "Prices have cents"))
    }
    do {
      _ = try await open(Cost.self, MigrationPlan(toCosts, toNumbers))
      XCTFail("versions descend")
    } catch { expect(error, .versionsOutOfOrder([2, 1])) }
  }

  func testOlderProgramsAreRefusedOrGoOnAsThePlanSays() async throws {
    try await fill(10)
    try await open(Price.self, MigrationPlan(toNumbers, oldestVersion: 0)).close()
    let label = try await open(Label.self, nil)
    RootContext(label).insert(Label(["label": "of the old program"]))
    try await label.close()
    do {
      _ = try await open(TextPrice.self, nil)
      XCTFail("a number is no text")
    } catch StoreError.incompatible {}
    try await open(Cost.self, MigrationPlan(toNumbers, toCosts)).close()
    do {
      _ = try await open(Price.self, MigrationPlan(toNumbers))
      XCTFail("older than the store")
    } catch { expect(error, .outdatedProgram(version: 1, oldest: 2, stored: 2)) }
  }

  /// Cancelled after each slice: the state in the file is that which a kill leaves there.
  func testAMigrationThatIsCancelledAtAnySliceGoesOnWhereItWas() async throws {
    try await fill(9_000)
    var attempts = 0
    Self.steps.withLock { $0 = [] }
    while true {
      attempts += 1
      let opening = Self.beginOpening(path)
      do {
        let store = try await opening.value
        try await assertSound(store)
        let amounts = try RootContext(store).fetch(Fetch<Price>()).map { $0["amount"] }
        XCTAssertEqual(amounts, (0..<9_000).map { .int($0 % 10 > 0 ? Int64($0) : 0) })
        try await store.close()
        break
      } catch StoreError.migration(.cancelled) {
        // Nobody else takes the half for the whole.
        do {
          _ = try await open(Label.self, nil)
          XCTFail("half migrated")
        } catch { expect(error, .unfinished(version: 1)) }
      }
      XCTAssertLessThan(attempts, 20)
    }
    XCTAssertGreaterThan(attempts, 3)
    XCTAssertEqual(
      Self.steps.withLock { $0 }, [2_000, 4_000, 6_000, 8_000, 9_000], "each attempt goes on where the last one was")
  }

  /// Opens with a plan, in a task that is cancelled by each report of progress.
  private static func beginOpening(_ path: String) -> Task<Store, any Error> {
    opening.withLock { $0 = nil }
    let task = Task { try await open(path, cancellingItself: MigrationPlan(toNumbers)) }
    opening.withLock { $0 = task }
    return task
  }

  private static func open(_ path: String, cancellingItself plan: MigrationPlan) async throws -> Store {
    try await Store.open(path, for: Schema(Price.self), migrations: plan) { progress in
      steps.withLock { $0.append(progress.done) }
      while opening.withLock({ $0?.cancel() }) == nil { usleep(1_000) }
    }
  }

  private static let steps = Mutex<[Int]>([])
  private static let opening = Mutex<Task<Store, any Error>?>(nil)

  func testASliceOfLongValuesEndsBeforeItIsTooLongForTheLog() async throws {
    let store = try await open(TextPrice.self, nil)
    let context = RootContext(store)
    let text = String(repeating: "0", count: 100_000)
    for number in 0..<200 { context.insert(TextPrice(["label": text + "\(number)"])) }
    try await context.save()
    try await store.close()
    let plan = MigrationPlan(
      Migration(
        to: 1, "Labels are bytes",
        AttributeConversion("label", of: "Price", from: String.self, to: [UInt8].self) { Array($0.utf8) }))
    let steps = Mutex<[Int]>([])
    let migrated = try await Store.open(
      path, for: Schema(BytesPrice.self), migrations: plan
    ) { step in steps.withLock { $0.append(step.done) } }
    XCTAssertGreaterThan(steps.withLock { $0.count }, 3)
    XCTAssertEqual(steps.withLock { $0.last }, 200)
    let labels = try RootContext(migrated).fetch(Fetch<BytesPrice>()).map { $0["label"] }
    XCTAssertEqual(labels, (0..<200).map { .bytes(Array((text + "\($0)").utf8)) })
    try await migrated.close()
  }
}
