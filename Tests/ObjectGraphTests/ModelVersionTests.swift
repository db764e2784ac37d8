import RepriseEventStore
import RepriseObjectModel
import RepriseQuery
import XCTest

@testable import RepriseObjectGraph

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

  private func requireSound(_ context: RootContext, file: StaticString = #filePath, line: UInt = #line) async throws {
    let report = try await context.store.verify()
    XCTAssertEqual(report.problems, [], file: file, line: line)
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
}
