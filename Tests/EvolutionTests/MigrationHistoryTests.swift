import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import XCTest

private final class PlainA: Version {
  static let entity = Entity(PlainA.self, name: "Plain", properties: [.attribute("a", String.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class PlainB: Version {
  static let entity = Entity(PlainB.self, name: "Plain", properties: [.attribute("b", String.self, was: "a")])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class NumberB: Version {
  static let entity = Entity(NumberB.self, name: "Plain", properties: [.attribute("b", Int.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class NumberA: Version {
  static let entity = Entity(NumberA.self, name: "Plain", properties: [.attribute("a", Int.self, was: "b")])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// What was before a migration: values in the history, and names.
final class MigrationHistoryTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private func open(_ model: any PersistentModel.Type, _ plan: MigrationPlan?) async throws -> Store {
    try await Store.open(path, for: Schema([model]), migrations: plan)
  }

  /// Of a value that cannot be converted the past has the default, whatever was converted later.
  func testAQuerysHistoryAcrossAConversionIsWhatContextsInThePastFind() async throws {
    let store = try await open(TextPrice.self, nil)
    let context = RootContext(store)
    let prices = ["none", "3", "20"].map { context.insert(TextPrice(["amount": $0, "label": "l"])) }
    try await context.save()
    for texts in [["12", "no", "4"], ["13", "14", "none"], ["2", "15", "30"]] {
      for (price, text) in zip(prices, texts) { price["amount"] = .string(text) }
      try await context.save()
    }
    try await store.close()
    let migrated = try await open(Price.self, MigrationPlan(toNumbers))
    let now = RootContext(migrated)
    for price in try now.fetch(Fetch<Price>()) where price["amount"] == .int(15) { price["amount"] = .int(1) }
    try await now.save()
    let fetch = Fetch<Price> { _ in Condition(steps: [.compare(Term(["amount"]), .greater, .int(5))]) }
    let found = try (0...migrated.log.head.number).map { try Set(migrated.context(at: Position($0)).fetchIDs(fetch)) }
    XCTAssertTrue(found.contains { $0.count == 2 })
    for context in [now, try migrated.context(at: migrated.log.head)] as [ObjectContext] {
      let history = try context.history(of: fetch)
      var told: [Set<Price.ID>] = [found[found.count - 1]]
      for change in history { told.append(told[told.count - 1].union(change.removed).subtracting(change.added)) }
      XCTAssertEqual(told.last, [])
      for (change, after) in zip(history, told) {
        XCTAssertEqual(found[Int(change.transaction.position.number)], after, "\(change)")
        XCTAssertEqual(
          found[Int(change.transaction.position.number) - 1], after.union(change.removed).subtracting(change.added))
      }
    }
    func isMore(_ values: ContiguousArray<PropertyValue>?) -> Bool {
      if case .int(let amount)? = values?[0] { amount > 5 } else { false }
    }
    // And so do lists, which compare two positions at once.
    let last = Int(migrated.log.head.number)
    for number in 1...last {
      let versions = try migrated.objects.versions(
        of: prices.map(\.id.any.uuid), migrated.map.map(Price.entity.interned)!, at: Position(UInt64(number - 1)),
        and: Position(UInt64(number)))
      for version in versions {
        let id = Price.ID(AnyObjectID(Price.entity.interned, version.uuid))!
        XCTAssertEqual(isMore(version.earlier), found[number - 1].contains(id))
        XCTAssertEqual(isMore(version.later), found[number].contains(id))
      }
    }
    try await migrated.close()
  }

  func testTheHistoryOfAnAttributeGoesOnBeforeItsConversion() async throws {
    let store = try await open(TextPrice.self, nil)
    let context = RootContext(store)
    let price = context.insert(TextPrice(["amount": "4", "label": "l"]))
    try await context.save()
    price["amount"] = .string("5")
    try await context.save()
    try await store.close()
    let migrated = try await open(Cost.self, MigrationPlan(toNumbers, toCosts))
    let now = RootContext(migrated)
    let cost = try XCTUnwrap(try now.fetch(Fetch<Cost>()).first)
    cost["sum"] = .double(7)
    try await now.save()
    for name in ["sum", "amount"] {
      let history = try migrated.log.history(of: cost.id.any, property: name)
      let values = history.map { transaction in
        guard case .value(let from, let to) = transaction.changes.first?["sum"] else { return "\(transaction.changes)" }
        return "\(from) \(to)"
      }
      let expected: [(PropertyValue, PropertyValue)] = [
        (.double(0.05), .double(7)), (.int(5), .double(0.05)), (.string("5"), .int(5)), (.string("4"), .string("5")),
        (.null, .string("4")),
      ]
      XCTAssertEqual(values, expected.map { "\($0) \($1)" })
      XCTAssertFalse(history.contains { $0.changes.contains { $0.properties.contains { $0.property.isEmpty } } })
    }
    try await migrated.close()
  }

  func testAContextInThePastReadsWhatWasConvertedSince() async throws {
    let store = try await open(TextPrice.self, nil)
    let context = RootContext(store)
    let price = context.insert(TextPrice(["amount": "4", "label": "l"]))
    context.insert(TextPrice(["label": "nothing stored"]))
    let gone = context.insert(TextPrice(["amount": "6", "label": "deleted since"]))
    let odd = context.insert(TextPrice(["amount": "no number", "label": "never one"]))
    try await context.save()
    let first = context.position
    price["amount"] = .string("5")
    odd["amount"] = .string("8")
    context.delete(gone)
    try await context.save()
    let second = context.position
    try await store.close()
    let between = try await open(Price.self, MigrationPlan(toNumbers))
    let numbers = RootContext(between)
    let third = numbers.position
    try XCTUnwrap(try numbers.fetch(Fetch<Price>()).first { $0["label"] == .string("l") })["amount"] = .int(9)
    try await numbers.save()
    let fourth = numbers.position
    try await between.close()
    let migrated = try await open(Cost.self, MigrationPlan(toNumbers, toCosts))
    let now = RootContext(migrated)
    let fifth = now.position
    let late = now.insert(Cost(["label": "late"]))
    try XCTUnwrap(try now.fetch(Fetch<Cost>()).first { $0["label"] == .string("l") })["sum"] = .null
    try await now.save()
    let sixth = now.position
    now.delete(late)
    try await now.save()
    try await migrated.close()

    let last = try await open(Cost.self, MigrationPlan(toNumbers, toCosts))
    func sums(_ position: Position) throws -> [String: PropertyValue] {
      let past = try last.context(at: position)
      let field = try Field<Cost, Double>(named: "sum")
      let costs = try past.fetch(Fetch<Cost>())
      // Each by itself, and by a condition that the index of today does not tell of.
      for cost in costs {
        guard case .double(let sum) = cost["sum"] else { continue }
        let found = try past.fetchIDs(Fetch<Cost> { _ in field == sum })
        XCTAssertTrue(found.contains(cost.id), "\(position): \(sum)")
      }
      return Dictionary(uniqueKeysWithValues: costs.map { ("\($0["label"])", $0["sum"]) })
    }
    let labels = ["l", "nothing stored", "deleted since", "never one", "late"].map { "\(PropertyValue.string($0))" }
    XCTAssertEqual(
      try sums(first),
      [labels[0]: .double(0.04), labels[1]: .double(0), labels[2]: .double(0.06), labels[3]: .null])
    XCTAssertEqual(
      try sums(second), [labels[0]: .double(0.05), labels[1]: .double(0), labels[3]: .double(0.08)])
    XCTAssertEqual(
      try sums(third), [labels[0]: .double(0.05), labels[1]: .double(0), labels[3]: .double(0.08)])
    XCTAssertEqual(
      try sums(fourth), [labels[0]: .double(0.09), labels[1]: .double(0), labels[3]: .double(0.08)])
    XCTAssertEqual(
      try sums(fifth), [labels[0]: .double(0.09), labels[1]: .double(0), labels[3]: .double(0.08)])
    XCTAssertEqual(
      try sums(sixth),
      [labels[0]: .null, labels[1]: .double(0), labels[3]: .double(0.08), labels[4]: .null])
    try await last.close()
  }

  func testWhatWasConvertedMayGetAFormerNameBack() async throws {
    let first = try await open(PlainA.self, nil)
    let context = RootContext(first)
    context.insert(PlainA(["a": "5"]))
    try await context.save()
    try await first.close()
    try await open(PlainB.self, nil).close()
    let plan = MigrationPlan(
      Migration(
        to: 1, "b is a number",
        AttributeConversion("b", of: "Plain", from: String.self, to: Int.self) { Int($0) ?? -1 }))
    try await open(NumberB.self, plan).close()
    let last = try await open(NumberA.self, plan)
    XCTAssertEqual(try RootContext(last).fetch(Fetch<NumberA>()).map { $0["a"] }, [.int(5)])
    XCTAssertEqual(last.warnings, [])
    try await assertSound(last)
    try await last.close()
  }
}
