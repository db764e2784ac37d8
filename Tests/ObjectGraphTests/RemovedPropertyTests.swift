import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// One entity, as two versions of a program declare it.
private enum Versions {
  final class Whole: TestModel {
    static let entity = Entity(
      Whole.self, name: "Thing",
      properties: [
        .attribute("name", String.self), .attribute("rank", Int.self, default: 5, indexed: true),
        .toOne("parent", Whole.self, inverse: "children"), .toMany("children", Whole.self),
      ])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
    init(_ name: String, rank: Int) {
      _storage = ObjectStorage(Whole.entity)
      _storage.set(0, name)
      _storage.set(1, rank)
    }
    var name: String { _storage.get(0) }
    @Linked(2) var parent: Whole?
    var children: ToMany<Whole> { ToMany(3, of: self) }
    struct Fields: FieldSet {
      typealias Model = Whole
      let rank: Field<Whole, Int>
      init(_ path: FieldPath) { rank = Field(path.appending("rank")) }
    }
  }

  final class Part: TestModel {
    static let entity = Entity(Part.self, name: "Thing", properties: [.attribute("name", String.self)])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
    init(_ name: String) {
      _storage = ObjectStorage(Part.entity)
      self.name = name
    }
    @Stored(0) var name: String
    struct Fields: FieldSet {
      typealias Model = Part
      let name: Field<Part, String>
      init(_ path: FieldPath) { name = Field(path.appending("name")) }
    }
  }
}

final class RemovedPropertyTests: XCTestCase {
  func testAModelWithoutAnIndexedPropertyKeepsItsIndexRight() async throws {
    let test = try TestStore(Schema(Versions.Whole.self))
    do {
      let context = RootContext(test.store)
      let all = ["a", "b", "c", "d"].enumerated().map { context.insert(Versions.Whole($1, rank: $0 * 3)) }
      all[1].parent = all[0]
      all[2].parent = all[0]
      all[0].parent = all[3]
      try await context.save()
    }

    try await test.store.close()
    test.schema = Schema(Versions.Part.self)
    try test.open()
    do {
      let context = RootContext(test.store)
      for thing in try context.fetch(Fetch<Versions.Part>()) {
        if thing.name == "b" { context.delete(thing) }
        if thing.name == "c" { thing.name = "changed" }
      }
      context.insert(Versions.Part("new"))
      try await context.save()
    }

    try await test.store.close()
    test.schema = Schema(Versions.Whole.self)
    try test.open()
    let context = RootContext(test.store)
    let names = try context.fetch(Fetch<Versions.Whole>().sorted { $0.rank.ascending }).map(\.name)
    XCTAssertEqual(names, ["a", "new", "changed", "d"])
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertTrue(report.isSound, report.description)
    let first = try XCTUnwrap(context.fetch(Fetch<Versions.Whole>()).first { $0.name == "a" })
    XCTAssertEqual(first.children.map(\.name), ["changed"])
  }
}
