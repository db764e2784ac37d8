import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import RepriseQuery
import XCTest

/// An employee without a nick, and so without its rule.
private final class Nameless: Version {
  static let entity = Entity(
    Nameless.self, name: "Employee",
    properties: [
      .attribute("name", String.self, indexed: true),
      .attribute("salary", Int.self, default: 7, indexed: true),
      .toOne("boss", Nameless.self, inverse: "staff"),
      .toMany("staff", Nameless.self),
      .searchIndex("name"),
      .index(["boss", "salary"]),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// With a nick that others may have too, and a salary that nobody looks for.
private final class Ruleless: Version {
  static let entity = Entity(
    Ruleless.self, name: "Employee",
    properties: [
      .attribute("name", String.self, indexed: true),
      .attribute("salary", Int.self, default: 7),
      .attribute("nick", String?.self),
      .toOne("boss", Ruleless.self, inverse: "staff"),
      .toMany("staff", Ruleless.self),
      .searchIndex("name"),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// With nothing but a nick.
private final class NickOnly: Version {
  static let entity = Entity(
    NickOnly.self, name: "Employee", properties: [.attribute("nick", String?.self), .unique(["nick"])])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private let withoutNick = Migration(to: 1, "No nicks", removing: [.attribute("nick", of: "Employee")])
private let withoutRule = Migration(
  to: 1, "Any nick",
  removing: [
    .index(over: "nick", of: "Employee"), .index(over: "boss", "salary", of: "Employee"),
    .index(over: "salary", of: "Employee"),
  ])

/// Attributes and rules that are taken away for good.
final class RemovalTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private func open(_ model: any PersistentModel.Type, _ plan: Migration...) async throws -> Store {
    try await Store.open(
      path, for: Schema([model]), migrations: plan.isEmpty ? nil : MigrationPlan(plan))
  }

  private func fill() async throws {
    let store = try await open(Employee.self)
    let context = RootContext(store)
    for number in 0..<3_000 { context.insert(Employee(["name": "e\(number)", "nick": "n\(number)"])) }
    try await context.save("Add")
    try await store.close()
  }

  func testAnAttributeGoesWithItsRuleAndItsPastStays() async throws {
    try await fill()
    var store = try await open(Nameless.self)
    XCTAssertEqual(store.warnings.count, 2, "left out, it stays: \(store.warnings)")
    try await store.close()
    store = try await open(Nameless.self, withoutNick)
    XCTAssertEqual(store.warnings, [])
    let context = RootContext(store)
    let first = try XCTUnwrap(try context.fetch(Fetch<Nameless>()).first)
    first["name"] = .string("changed")
    try await context.save("Change")
    let added = try XCTUnwrap(try context.history(of: first).last)
    let values = added.changes.filter { $0.object == first.id.any }.flatMap(\.properties)
    XCTAssertTrue(values.contains { $0.form == .value(from: .null, to: .string("n0")) }, "\(values)")
    try await assertSound(store)
    try await store.close()
    try await StoreMaintenance.rebuild(path)
    store = try await open(Nameless.self, withoutNick)
    try await assertSound(store)
    try await store.close()
    do {
      _ = try await open(Employee.self)
      XCTFail("a program from before the removal")
    } catch StoreError.migration(.outdatedProgram(version: 0, oldest: 1, stored: 1)) {}
  }

  /// Of values that lie beside their objects.
  func testALongValueGoesWithItsAttributeAndItsPastStays() async throws {
    func long(_ number: Int) -> String { String(repeating: "\(number) is my name. ", count: 1_000) }
    var store = try await open(Employee.self)
    let context = RootContext(store)
    let added = (0..<3).map { context.insert(Employee(["name": long($0), "nick": "n\($0)"])) }
    try await context.save("Add")
    let past = store.log.head
    added[0]["name"] = .string(long(0) + "!")
    context.delete(added[1])
    try await context.save("Edit")
    try await store.close()
    let withoutName = Migration(to: 1, "No names", removing: [.attribute("name", of: "Employee")])
    store = try await open(NickOnly.self, withoutName)
    try await assertSound(store)
    let rest = RootContext(store)
    let one = try rest.object(ObjectID<NickOnly>(added[0].id.any)!)
    one["nick"] = .string("other")
    try await rest.save("After")
    let names = try store.log.history(of: one.id.any, property: "name").compactMap { $0.changes.first?["name"] }
    XCTAssertEqual(names.last, .value(from: .null, to: .string(long(0))))
    XCTAssertEqual(try store.context(at: past).count(Fetch<NickOnly>()), 3)
    try await assertSound(store)
    try await store.close()
    try await StoreMaintenance.rebuild(path)
    store = try await open(NickOnly.self, withoutName)
    let nicks = try RootContext(store).fetch(Fetch<NickOnly>()).map { $0["nick"] }
    XCTAssertEqual(nicks, [.string("other"), .string("n2")])
    try await assertSound(store)
    try await store.close()
  }

  func testAnAttributeOfThatNameBeginsAnew() async throws {
    try await fill()
    try await open(Nameless.self, withoutNick).close()
    let store = try await open(Employee.self, withoutNick, Migration(to: 2, "Nicks again"))
    let context = RootContext(store)
    XCTAssertEqual(try context.fetch(Fetch<Employee>()).filter { !$0["nick"].isNull }.count, 0)
    let (one, other) = (context.insert(Employee(["nick": "n0"])), context.insert(Employee(["nick": "n0"])))
    do {
      try await context.save()
      XCTFail("two of one nick")
    } catch SaveError.refused {}
    context.delete(other)
    try await context.save()
    XCTAssertEqual(one["nick"], .string("n0"))
    try await assertSound(store)
    try await store.close()
  }

  func testARuleGoesAndItsAttributeStays() async throws {
    try await fill()
    var store = try await open(Ruleless.self)
    var context = RootContext(store)
    context.insert(Ruleless(["nick": "n7"]))
    do {
      try await context.save()
      XCTFail("the rule is the store's")
    } catch SaveError.refused {}
    try await store.close()
    store = try await open(Ruleless.self, withoutRule)
    XCTAssertEqual(store.warnings, [])
    context = RootContext(store)
    context.insert(Ruleless(["nick": "n7"]))
    try await context.save()
    XCTAssertEqual(try context.fetch(Fetch<Ruleless>()).filter { $0["nick"] == .string("n7") }.count, 2)
    try await assertSound(store)
    try await store.close()
  }

  func testWhatTheModelsDeclareIsNotTakenAway() async throws {
    try await fill()
    for migration in [withoutNick, withoutRule] {
      do {
        _ = try await open(Employee.self, migration)
        XCTFail("it would come back empty")
      } catch StoreError.migration(.stillDeclared) {}
    }
    let store = try await open(Employee.self)
    XCTAssertEqual(try RootContext(store).fetch(Fetch<Employee>()).first?["nick"], .string("n0"))
    try await store.close()
  }

  func testAPreviewListsWhatWouldGo() async throws {
    try await fill()
    let plan = MigrationPlan(withoutNick)
    for expected in [["Employee.nick"], []] {
      let preview = try await StoreMaintenance.preview(plan, of: path, for: Schema([Nameless.self]))
      XCTAssertEqual(preview.removals.map(\.description), expected)
      try await open(Nameless.self, withoutNick).close()
    }
  }
}
