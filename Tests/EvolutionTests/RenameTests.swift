import Foundation
import RepriseCore
import RepriseEventStore
import RepriseLists
import RepriseObjectModel
import RepriseQuery
import XCTest

/// Names change in one transaction, and everything that was stored under the old ones is found under the new ones.
final class RenameTests: XCTestCase {
  private func staff(_ test: EvolvingStore, _ count: Int = 300) async throws {
    let context = RootContext(try await test.open(Employee.self))
    let boss = context.insert(Employee(["name": "Boss", "salary": 1000, "nick": "b"]))
    for number in 0..<count {
      let employee = context.insert(Employee(["name": "Number \(number)", "salary": number]))
      employee.setLink("boss", to: boss)
    }
    try await context.save()
  }

  func testWhatWasRenamedIsReadAndFoundByItsIndexes() async throws {
    let test = EvolvingStore()
    try await staff(test)
    let before = try XCTUnwrap(test.store).log.head
    let store = try await test.open(Worker.self)
    XCTAssertEqual(store.log.head, before + 1, "one transaction, however many objects")
    XCTAssertEqual(store.warnings, [])
    let context = RootContext(store)
    let boss = try XCTUnwrap(
      try context.fetch(Fetch<Worker> { _ in try! Field<Worker, Int>(named: "pay") == 1000 }).first)
    XCTAssertEqual(boss["fullName"], .string("Boss"))
    XCTAssertEqual(boss.members("team").count, 300)
    let byPay = Fetch<Worker> { _ in try! ToOneField<Worker, Worker>(named: "lead") == boss }
      .sorted { _ in try! SortKey<Worker>(named: "pay") }
    XCTAssertEqual(try context.fetch(byPay).map { $0["pay"] }, (0..<300).map { .int($0) })
    XCTAssertEqual(try context.explain(byPay).access, .index(property: "[lead, pay]"))
    let found = Fetch<Worker> { _ in try! Field<Worker, String>(named: "fullName").contains(words: "number 17") }
    XCTAssertEqual(try context.explain(found).access, .search(property: "fullName"))
    XCTAssertEqual(try context.fetch(found).map { $0["pay"] }, [.int(17)])
    let twin = context.insert(Worker(["alias": "b"]))
    do {
      try await context.save()
      XCTFail("the rule is gone")
    } catch SaveError.refused(let refusal) {
      XCTAssertEqual(refusal.violations.map(\.properties), [["alias"]])
    }
    context.delete(twin)
    boss["pay"] = .int(2000)
    try await context.save()
    try await assertSound(store)
    let again = try await test.open(Worker.self)
    XCTAssertEqual(again.log.head, store.log.head, "renamed once")
    try await test.close()
  }

  func testAChainOfRenamesMayLeaveVersionsOut() async throws {
    for steps in [[Worker.self], []] as [[any PersistentModel.Type]] {
      let test = EvolvingStore()
      try await staff(test, 3)
      for step in steps { _ = try await test.open(step) }
      let store = try await test.open(Colleague.self)
      let context = RootContext(store)
      XCTAssertEqual(
        try context.fetch(Fetch<Colleague>()).map { $0["income"] }, [.int(1000), .int(0), .int(1), .int(2)])
      XCTAssertEqual(
        store.warnings.filter { if case .index = $0 { false } else { true } }, [], "the indexes are left out")
      try await assertSound(store)
      try await test.close()
    }
  }

  func testTwoNamesAreExchangedOnce() async throws {
    let test = EvolvingStore()
    let first = RootContext(try await test.open(Point.self))
    first.insert(Point(["x": 1, "y": 2]))
    try await first.save()
    for _ in 0..<3 {
      let store = try await test.open(SwappedPoint.self)
      let points = try RootContext(store).fetch(Fetch<SwappedPoint>())
      XCTAssertEqual(points.map { [$0["x"], $0["y"]] }, [[.int(2), .int(1)]])
      try await assertSound(store)
    }
    try await test.close()
  }

  func testANameMayBeGivenToANewProperty() async throws {
    let test = EvolvingStore()
    let first = RootContext(try await test.open(Point.self))
    first.insert(Point(["x": 5, "y": 2]))
    try await first.save()
    for _ in 0..<2 {
      let store = try await test.open(ReusingPoint.self)
      let points = try RootContext(store).fetch(Fetch<ReusingPoint>())
      XCTAssertEqual(points.map { [$0["x"], $0["left"], $0["y"]] }, [[.int(1), .int(5), .int(2)]])
      try await assertSound(store)
    }
    try await test.close()
  }

  func testAProgramThatTakesANameForWhatItWasIsRefused() async throws {
    for newer in [SwappedPoint.self, ReusingPoint.self] as [any PersistentModel.Type] {
      let test = EvolvingStore()
      let old = RootContext(try await test.open(Point.self))
      let point = old.insert(Point(["x": 1, "y": 2]))
      try await old.save()
      _ = try await test.open(newer)
      do {
        _ = try await test.open(Point.self)
        XCTFail("\(newer): y would be read as x")
      } catch StoreError.renamedByNewerProgram(let name, entity: "Point", now: _) {
        XCTAssertTrue(["x", "y"].contains(name))
      }
      withExtendedLifetime(point) {}
    }
  }

  func testAProgramWithTheOldNamesGoesOn() async throws {
    let test = EvolvingStore()
    try await staff(test, 3)
    _ = try await test.open(Worker.self)
    let store = try await test.open(Employee.self)
    XCTAssertEqual(store.warnings, [])
    let context = RootContext(store)
    let found = Fetch<Employee> { _ in try! Field<Employee, Int>(named: "salary") == 2 }
    let employee = try XCTUnwrap(try context.fetch(found).first)
    XCTAssertEqual(employee.link("boss")?["name"], .string("Boss"))
    employee["salary"] = .int(20)
    context.insert(Employee(["name": "New", "salary": 21]))
    try await context.save()
    try await assertSound(store)
    let newer = RootContext(try await test.open(Worker.self))
    XCTAssertEqual(
      try newer.fetch(
        Fetch<Worker> { _ in try! Field<Worker, Int>(named: "pay") >= 20 }.sorted { _ in
          try! SortKey<Worker>(named: "pay")
        }
      ).map { $0["pay"] }, [.int(20), .int(21), .int(1000)])
    try await test.close()
  }

  func testAFormerNameOfSomethingElseIsRefusedAndNothingChanges() async throws {
    let test = EvolvingStore()
    let first = RootContext(try await test.open(Point.self))
    first.insert(Point(["x": 1, "y": 2]))
    try await first.save()
    do {
      _ = try await test.open(ConfusedPoint.self)
      XCTFail("one of the two would be hidden")
    } catch StoreError.ambiguousRename(entity: "Point", property: "y", was: ["x"]) {}
    let again = RootContext(try await test.open(Point.self))
    XCTAssertEqual(try again.fetch(Fetch<Point>()).map { [$0["x"], $0["y"]] }, [[.int(1), .int(2)]])
    try await assertSound(again.store)
    try await test.close()
  }

  func testDraftsFollow() async throws {
    for isKilled in [false, true] {
      let test = EvolvingStore()
      try await staff(test, 1)
      do {
        let store = try XCTUnwrap(test.store)
        let context = RootContext(store)
        let editor = try context.makeChild(draft: "editor")
        let boss = try XCTUnwrap(try editor.fetch(Fetch<Employee>()).first)
        boss["salary"] = .int(5)
        editor.insert(Employee(["name": "Typed"])).setLink("boss", to: boss)
        try store.journal.write()
      }
      if isKilled { try await test.kill() }
      let store = try await test.open(Worker.self)
      let editor = try RootContext(store).makeChild(draft: "editor")
      let typed = try XCTUnwrap(try editor.fetch(Fetch<Worker>()).last)
      XCTAssertEqual(typed["fullName"], .string("Typed"))
      XCTAssertEqual(typed.link("lead")?["pay"], .int(5))
      try await test.close()
    }
  }

  func testWhatWasWrittenUnderTheOldNamesIsUnderstood() async throws {
    let test = EvolvingStore()
    try await staff(test, 3)
    var store = try XCTUnwrap(test.store)
    var fetch = Data()
    var uri = ""
    var id = Data()
    do {
      let context = RootContext(store)
      let boss = try XCTUnwrap(try context.fetch(Fetch<Employee>()).first)
      let condition = Fetch<Employee> { _ in
        try! ToOneField<Employee, Employee>(named: "boss") == boss && Field<Employee, Int>(named: "salary") > 0
      }.sorted { _ in try! SortKey<Employee>(named: "name", isAscending: false) }
      fetch = try JSONEncoder().encode(condition)
      uri = try store.uri(for: boss.id.any)
      id = try JSONEncoder().encode(boss.id)
    }
    store = try await test.open(Worker.self)
    let context = RootContext(store)
    let saved = try JSONDecoder().decode(Fetch<Worker>.self, from: fetch)
    XCTAssertEqual(try context.fetch(saved).map { $0["fullName"] }, [.string("Number 2"), .string("Number 1")])
    let boss = try XCTUnwrap(try context.object(uri: uri) as? Worker)
    XCTAssertEqual(boss["fullName"], .string("Boss"))
    XCTAssertEqual(try JSONDecoder().decode(Worker.ID.self, from: id), boss.id)
    XCTAssertNoThrow(try Field<Worker, Int>(named: "salary"))
    try await test.close()
  }

  func testTheLogAloneGivesTheNames() async throws {
    let test = EvolvingStore()
    try await staff(test, 3)
    _ = try await test.open(Worker.self)
    _ = try await test.open(Colleague.self)
    let stored = try XCTUnwrap(test.store).map.stored
    XCTAssertEqual(stored.entities.map(\.formerNames), [["Employee", "Worker"]])
    try await test.close()
    try await StoreMaintenance.rebuild(test.path)
    let store = try await test.open(Colleague.self)
    XCTAssertEqual(store.map.stored, stored)
    try await assertSound(store)
    try await test.close()
  }

  func testAFormerNameThatIsGivenTwiceIsRefused() {
    XCTAssertThrowsError(try ResolvedSchema(Schema(TwiceFormer.self))) { error in
      XCTAssertEqual(
        error as? SchemaError, .repeatedFormerName("old", entity: "TwiceFormer", property: "b"))
    }
  }
}

private final class TwiceFormer: Version {
  static let entity = Entity(
    TwiceFormer.self, name: "TwiceFormer",
    properties: [.attribute("a", Int.self), .attribute("b", Int.self, was: "old", "old")])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}
