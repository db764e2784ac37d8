import RepriseEventStore
import RepriseLMDB
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// One store, and programs of two versions: the older one knows less of the models.
@MainActor
final class ModelVersionTests: XCTestCase {
  private let older = Schema(OldBicycle.self, OldShed.self)
  private let newer = Schema(NewBicycle.self, NewShed.self)

  private func relaunch(_ test: TestStore, _ schema: Schema) async throws -> RootContext {
    try await test.store.close()
    test.schema = schema
    try test.open()
    return RootContext(test.store)
  }

  private func requireSound(
    _ context: RootContext, byGears: Bool = true, file: StaticString = #filePath, line: UInt = #line
  ) async throws {
    let report = try await StoreMaintenance.verify(context.store)
    XCTAssertEqual(report.problems, [], file: file, line: line)
    guard byGears else { return }
    let byGears = Fetch<NewBicycle> { $0.gears >= 0 }
    XCTAssertEqual(try context.count(byGears), try context.count(Fetch<NewBicycle>()), file: file, line: line)
  }

  func testNewAttributesIndexesAndRelationshipsWorkOnAnOldStore() async throws {
    let test = try TestStore(older)
    let first = RootContext(test.store)
    for number in 1...300 { first.insert(OldBicycle(name: "\(number)")) }
    try await first.save()
    let context = try await relaunch(test, newer)
    try await requireSound(context)
    let bicycles = try context.fetch(Fetch<NewBicycle> { $0.gears == 3 })
    XCTAssertEqual(bicycles.count, 300, "objects from before have the default")
    bicycles[0].gears = 7
    bicycles[0].shed = NewShed()
    try await context.save()
    XCTAssertEqual(bicycles[0].shed?.bicycles.count, 1)
    XCTAssertEqual(try context.count(Fetch<NewBicycle> { $0.gears == 3 }), 299)
    try await requireSound(context)
  }

  func testAProgramWithOlderModelsLeavesNoReferenceToWhatItDeletes() async throws {
    let test = try TestStore(newer)
    let first = RootContext(test.store)
    let shed = first.insert(NewShed())
    let kept = first.insert(NewBicycle(name: "kept"))
    let deleted = first.insert(NewBicycle(name: "deleted"))
    kept.shed = shed
    deleted.shed = shed
    try await first.save()

    let old = try await relaunch(test, older)
    old.delete(try XCTUnwrap(try old.fetch(Fetch<OldShed>()).first))
    old.delete(try XCTUnwrap(try old.fetch(Fetch<OldBicycle> { $0.name == "deleted" }).first))
    try XCTUnwrap(try old.fetch(Fetch<OldBicycle> { $0.name == "kept" }).first).name = "kept and renamed"
    try await old.save()

    let context = try await relaunch(test, newer)
    try await requireSound(context)
    let bicycle = try context.object(kept.id)
    XCTAssertEqual(bicycle.name, "kept and renamed")
    XCTAssertNil(bicycle.shed)
    bicycle.shed = NewShed()
    try await context.save()
    try await requireSound(context)
  }

  func testAProgramGoesOnWhenANewerOneExtendsTheSchemaOfItsStore() async throws {
    let test = try TestStore(older)
    let old = RootContext(test.store)
    let bicycle = old.insert(OldBicycle(name: "before"))
    try await old.save()
    try test.store.extendSchemaAsAnotherProcess(newer)
    bicycle.name = "after"
    old.insert(OldBicycle(name: "new"))
    try await old.save()
    let context = try await relaunch(test, newer)
    try await requireSound(context)
    XCTAssertEqual(try context.count(Fetch<NewBicycle> { $0.gears == 3 }), 2)
  }

  func testARunningProgramGoesOnWhenANewerOneRenames() async throws {
    let test = try TestStore(older)
    let old = RootContext(test.store)
    let bicycle = old.insert(OldBicycle(name: "before"))
    try await old.save()
    try test.store.extendSchemaAsAnotherProcess(Schema(RenamingBicycle.self, OldShed.self))
    bicycle.name = "after"
    old.insert(OldBicycle(name: "new"))
    try await old.save()
    XCTAssertEqual(try old.fetch(Fetch<OldBicycle> { $0.name > "b" }).map(\.name), ["new"])
    let context = try await relaunch(test, Schema(RenamingBicycle.self, OldShed.self))
    XCTAssertEqual(try context.fetch(Fetch<RenamingBicycle>()).map(\.title), ["after", "new"])
    try await requireSound(context, byGears: false)
  }

  func testARunningProgramThatWouldIsStopped() async throws {
    let test = try TestStore(older)
    let old = RootContext(test.store)
    let bicycle = old.insert(OldBicycle(name: "before"))
    try await old.save()
    bicycle.name = "of the old meaning"
    try test.store.extendSchemaAsAnotherProcess(Schema(ReusingBicycle.self, OldShed.self))
    do {
      try await old.save()
      XCTFail("saved under a name that means something else")
    } catch SaveError.store(.renamedByNewerProgram("name", entity: "Bicycle", now: "title")) {}
    XCTAssertThrowsError(try RootContext(test.store).fetch(Fetch<OldBicycle>())) { error in
      XCTAssertTrue("\(error)".contains("A newer program renamed Bicycle.name to 'title'"), "\(error)")
    }
    let context = try await relaunch(test, Schema(ReusingBicycle.self, OldShed.self))
    XCTAssertEqual(try context.fetch(Fetch<ReusingBicycle>()).map(\.title), ["before"])
    try await requireSound(context, byGears: false)
  }

  func testVerifyFindsDamageInIndexesThatTheModelsLack() async throws {
    for property in ["name", "gears", "colour", "shed"] {
      let test = try TestStore(newer)
      let context = RootContext(test.store)
      let shed = context.insert(NewShed())
      for number in 0..<300 { context.insert(NewBicycle(name: "\(number)")).shed = number % 3 == 0 ? shed : nil }
      try await context.save()
      let old = try await relaunch(test, older)
      try await requireSound(old, byGears: false)
      try test.store.removeLastIndexRow(of: "Bicycle", property)
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertFalse(report.problems.isEmpty, property)
      for problem in report.problems { XCTAssertTrue(problem.contains("Bicycle.\(property)"), problem) }
    }
  }

  func testVerifyFindsDamageInAnIndexThatAnotherProcessHasMade() async throws {
    let test = try TestStore(older)
    let old = RootContext(test.store)
    old.insert(OldBicycle(name: "before"))
    try await old.save()
    try test.store.extendSchemaAsAnotherProcess(newer)
    try await requireSound(old, byGears: false)
    try test.store.removeLastIndexRow(of: "Bicycle", "gears")
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertFalse(report.isSound)
  }

  func testVerifyFindsRowsOfNoIndex() async throws {
    let test = try TestStore(newer)
    let context = RootContext(test.store)
    context.insert(NewBicycle(name: "one"))
    try await context.save()
    try await requireSound(context)
    for key: [UInt8] in [[0, 0, 0, 99, 0, 1], [7], [0xFF, 0xFF, 0xFF, 0xFF, 0]] {
      try test.store.changeIndexes { (transaction, table) throws(StorageError) in
        try transaction.put(table, key: key.span.bytes, value: key.span.bytes)
      }
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertEqual(report.problems.count, 1, "\(key)")
      try test.store.changeIndexes { (transaction, table) throws(StorageError) in
        try transaction.delete(table, key: key.span.bytes)
      }
      try await requireSound(context)
    }
  }
}
