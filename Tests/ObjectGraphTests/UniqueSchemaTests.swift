import RepriseLMDB
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseEventStore
@testable import RepriseObjectGraph

/// One entity, as versions of a program declare it.
private enum Versions {
  static let name = Property.attribute("name", String.self)
  static let code = Property.attribute("code", Int?.self)

  final class Plain: TestModel {
    static let entity = Entity(Plain.self, name: "Thing", properties: [name, code])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
  }

  final class Indexed: TestModel {
    static let entity = Entity(Indexed.self, name: "Thing", properties: [name, code, .index(["name"])])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
  }

  final class Unique: TestModel {
    static let entity = Entity(
      Unique.self, name: "Thing", properties: [name, code, .unique(["name"]), .unique(["name", "code"])])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
    struct Fields: FieldSet {
      typealias Model = Unique
      let name: Field<Unique, String>
      init(_ path: FieldPath) { name = Field(path.appending("name")) }
    }
  }

  /// Lacks the name.
  final class Part: TestModel {
    static let entity = Entity(Part.self, name: "Thing", properties: [code])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
  }
}

final class UniqueSchemaTests: XCTestCase {
  private func reopen<Model: PersistentModel>(_ test: TestStore, _ model: Model.Type) async throws {
    if !test.store.isClosed { try await test.store.close() }
    test.schema = Schema(model)
    try test.open()
  }

  @discardableResult
  private func insert<Model: PersistentModel>(
    _ model: Model.Type, _ name: String? = nil, _ context: RootContext
  ) -> Model {
    let storage = ObjectStorage(Model.entity)
    if let name { storage.set(0, name) }
    return context.insert(Model(_storage: storage))
  }

  private func violations(_ context: RootContext) async -> [RuleViolation] {
    do {
      try await context.save()
      return []
    } catch SaveError.refused(let refusal) {
      return refusal.violations
    } catch {
      XCTFail("\(error)")
      return []
    }
  }

  func testAStoreWithDuplicatesIsNotOpenedWithTheRuleAndIsLeftAsItIs() async throws {
    let test = try TestStore(Schema(Versions.Plain.self))
    var ids: [AnyObjectID] = []
    do {
      let context = RootContext(test.store)
      for name in ["a", "b", "c", "b", "b"] { ids.append(insert(Versions.Plain.self, name, context).id.any) }
      try await context.save()
    }
    let hash = try test.store.log.headToken()
    do {
      try await reopen(test, Versions.Unique.self)
      XCTFail("it was opened")
    } catch StoreError.violations(let violations) {
      XCTAssertEqual(
        violations,
        [3, 4].map {
          RuleViolation(
            object: ids[$0], properties: ["name"], values: [.string("b")], rule: .unique(heldBy: ids[1]))
        })
    }
    try await reopen(test, Versions.Plain.self)
    XCTAssertEqual(try test.store.log.headToken(), hash)
    do {
      let context = RootContext(test.store)
      for id in ids[3...] { context.deleteReachable(id) }
      try await context.save()
    }
    try await reopen(test, Versions.Unique.self)
    let context = RootContext(test.store)
    XCTAssertEqual(try context.count(Fetch<Versions.Unique> { $0.name == "b" }), 1)
    insert(Versions.Unique.self, "c", context)
    let found = await violations(context)
    XCTAssertEqual(found.map(\.rule), [.unique(heldBy: ids[2])])
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertEqual(report.problems, [])
  }

  func testAnIndexThatBecomesUniqueIsKept() async throws {
    let test = try TestStore(Schema(Versions.Indexed.self))
    func number() throws -> UInt32? {
      try test.store.environment.read { (transaction) throws(StorageError) in
        try MetaTable(test.store.tables.meta).schema(transaction.view)
      }.entity(named: "Thing")?.property(named: "[name]")?.index
    }
    do {
      let context = RootContext(test.store)
      insert(Versions.Indexed.self, "a", context)
      try await context.save()
    }
    let index = try XCTUnwrap(number())
    try await reopen(test, Versions.Unique.self)
    XCTAssertEqual(try number(), index)
    // A program that declares the index alone is held to the rule, and does not take it back.
    try await reopen(test, Versions.Indexed.self)
    do {
      let context = RootContext(test.store)
      insert(Versions.Indexed.self, "a", context)
      let found = await violations(context)
      XCTAssertEqual(found.count, 1)
    }
    try await reopen(test, Versions.Unique.self)
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertEqual(report.problems, [])
  }

  func testAProgramWithoutTheRuleIsHeldToIt() async throws {
    let test = try TestStore(Schema(Versions.Unique.self))
    let first: AnyObjectID
    do {
      let context = RootContext(test.store)
      first = insert(Versions.Unique.self, "a", context).id.any
      try await context.save()
    }
    try await reopen(test, Versions.Plain.self)
    do {
      let context = RootContext(test.store)
      let second = insert(Versions.Plain.self, "a", context)
      let found = await violations(context)
      XCTAssertEqual(found.map(\.object), [second.id.any])
      XCTAssertEqual(found.map(\.properties), [["name"]])
      XCTAssertEqual(try context.violations(), found)
      second._storage.set(0, "b")
      try await context.save()
    }
    // Without the property as well: new objects have its default.
    try await reopen(test, Versions.Part.self)
    do {
      let context = RootContext(test.store)
      let third = insert(Versions.Part.self, nil, context)
      try await context.save()
      third._storage.set(0, 7)
      (try context.object(first))._storage.set(0, 8)
      try await context.save()
      let fourth = insert(Versions.Part.self, nil, context)
      let found = await violations(context)
      XCTAssertEqual(found.map(\.object), [fourth.id.any])
      XCTAssertEqual(found.map(\.values), [[.string("")]])
      XCTAssertEqual(found.map(\.rule), [.unique(heldBy: third.id.any)])
    }
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertEqual(report.problems, [])
  }

  func testAProgramThatIsRunningIsHeldToANewRule() async throws {
    let test = try TestStore(Schema(Versions.Plain.self))
    let context = RootContext(test.store)
    insert(Versions.Plain.self, "a", context)
    try await context.save()
    try test.store.extendSchemaAsAnotherProcess(Schema(Versions.Unique.self))
    insert(Versions.Plain.self, "a", context)
    let found = await violations(context)
    XCTAssertEqual(found.count, 1)
  }

  func testVerifyFindsObjectsThatBreakARule() async throws {
    let test = try TestStore(Schema(Versions.Unique.self))
    let context = RootContext(test.store)
    insert(Versions.Unique.self, "a", context)
    try await context.save()
    var values = Versions.Unique.entity.defaults
    values[0] = .string("a")
    let id = AnyObjectID(Versions.Unique.entity.interned, UniqueID())
    try test.store.appendAsAnotherProcess([(id, .inserted(values))], isLawless: true)
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertEqual(report.problems.count, 1)
    XCTAssertTrue(report.problems.first?.contains("has name \"a\", and so has") ?? false, report.description)
  }

  func testRulesThatSalvagedObjectsBreakAreLiftedWithAWord() async throws {
    let test = try TestStore(Schema(Versions.Unique.self))
    let context = RootContext(test.store)
    let first = insert(Versions.Unique.self, "a", context)
    try await context.save()
    var values = Versions.Unique.entity.defaults
    values[0] = .string("a")
    let second = AnyObjectID(Versions.Unique.entity.interned, UniqueID())
    try test.store.appendAsAnotherProcess([(second, .inserted(values))], isLawless: true)
    let store = test.store
    let problems = try store.environment.write { (transaction) throws(StorageError) in
      try BrokenRules(tables: store.tables, logID: store.logID).lift(transaction)
    }
    XCTAssertEqual(problems.count, 1)
    let report = try await StoreMaintenance.verify(store)
    XCTAssertEqual(report.problems, [])
    do {
      try await reopen(test, Versions.Unique.self)
      XCTFail("it was opened")
    } catch StoreError.violations(let violations) {
      XCTAssertEqual(Set(violations.map(\.object)).union([first.id.any]), [first.id.any, second])
    }
    try await reopen(test, Versions.Plain.self)
  }

  func testWhatIsUniqueIsStillSoAfterARebuild() async throws {
    let test = try TestStore(Schema(Versions.Unique.self))
    do {
      let context = RootContext(test.store)
      insert(Versions.Unique.self, "a", context)
      try await context.save()
    }
    try await test.store.close()
    try await StoreMaintenance.rebuild(test.path)
    try test.open()
    let context = RootContext(test.store)
    insert(Versions.Unique.self, "a", context)
    let found = await violations(context)
    XCTAssertEqual(found.count, 1)
  }
}
