import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import RepriseTestSeeds
import Synchronization
import XCTest

/// Several entities that become one.
final class MergeTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private func open(
    _ schema: Schema = PetStore.new, _ plan: MigrationPlan? = MigrationPlan(toPets),
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) async throws -> Store {
    try await Store.open(path, for: schema, migrations: plan, progress: progress)
  }

  func testWhatIsMergedKeepsItsIDsItsValuesAndWhatLedToIt() async throws {
    for seed in testSeeds(3) {
      var random = SeededGenerator(seed: seed)
      let pets = try await PetStore(path, [0, 1, 40, 2_300].randomElement(using: &random)!, &random)
      var store = try await open()
      try pets.expect(store)
      try await assertSound(store)
      try await store.close()
      try await StoreMaintenance.rebuild(path)
      store = try await open()
      try pets.expect(store)
      try await assertSound(store)
      try await store.close()
      try FileManager.default.removeItem(atPath: path)
    }
  }

  func testAMergeThatIsCancelledAnywhereGoesOnWhereItWas() async throws {
    var random = SeededGenerator(seed: testSeed())
    let pets = try await PetStore(path, 2_300, &random)
    var attempts = 0
    while true {
      attempts += 1
      do {
        let store = try await Self.begin(path)
        try pets.expect(store)
        try await assertSound(store)
        try await store.close()
        break
      } catch StoreError.migration(.cancelled) {}
      do {
        _ = try await open(Schema(Vet.self, Owner.self, Toy.self, Pet.self), nil)
        XCTFail("half migrated")
      } catch StoreError.migration(.unfinished(version: 1)) {}
      XCTAssertLessThan(attempts, 30)
    }
    XCTAssertGreaterThan(attempts, 5)
  }

  /// Opens in a task that is cancelled by its first slice.
  private static func begin(_ path: String) async throws -> Store {
    opening.withLock { $0 = nil }
    let task = Task {
      try await Store.open(path, for: PetStore.new, migrations: MigrationPlan(toPets)) { _ in
        while opening.withLock({ $0?.cancel() }) == nil { usleep(1_000) }
      }
    }
    opening.withLock { $0 = task }
    return try await task.value
  }

  private static let opening = Mutex<Task<Store, any Error>?>(nil)

  func testTheHistoryGoesOnBeforeTheMerge() async throws {
    var random = SeededGenerator(seed: testSeed())
    _ = try await PetStore(path, 20, &random)
    let store = try await open()
    let context = RootContext(store)
    let pet = try XCTUnwrap(try context.fetch(Fetch<Pet>()).first { $0["name"] == .string("c0!") })
    pet["name"] = .string("Tom")
    try await context.save("Tom")
    let history = try store.log.history(of: pet.id.any)
    XCTAssertEqual(history.map(\.name), ["Tom", "Cats and dogs are pets", "Rename", "Fill"])
    XCTAssertEqual(history.last?.changes.map(\.object.entity), ["Cat"])
    XCTAssertEqual(history.last?.changes.first?["name"], .value(from: .null, to: .string("c0")))
    let names = try store.log.history(of: pet.id.any, property: "name").map(\.name)
    XCTAssertEqual(names, ["Tom", "Cats and dogs are pets", "Rename", "Fill"])
    try await store.close()
  }

  func testAPreviewTellsWhatWouldBeMergedAndWhatCannotBe() async throws {
    var random = SeededGenerator(seed: testSeed())
    _ = try await PetStore(path, 30, &random)
    struct TooLight: Error {}
    let plan = MigrationPlan(
      Migration(
        to: 1, "Pets",
        mapping: [
          .move("Cat", to: "Pet"),
          .move(
            "Dog", to: "Pet", renaming: ["callName": "name"],
            setting: [
              .init("kind", String.self) { if $0["weight"] == .double(3) { throw TooLight() } else { "dog" } }
            ]),
        ]))
    let preview = try await StoreMaintenance.preview(plan, of: path, for: PetStore.new)
    XCTAssertEqual(preview.mappings.map(\.mapping), ["Cat to Pet", "Dog to Pet"])
    XCTAssertEqual(preview.mappings.map(\.objects), [30, 30])
    XCTAssertEqual(preview.mappings.map(\.failures.count), [0, 7])
    do {
      _ = try await open(PetStore.new, plan)
      XCTFail("a dog is too light")
    } catch StoreError.migration(.object(let dog, "Dog to Pet", "Pets", _)) { XCTAssertEqual(dog.entity, "Dog") }
    let store = try await open(PetStore.old, nil)
    XCTAssertEqual(store.log.head, 3, "as it was")
    XCTAssertEqual(try RootContext(store).count(Fetch<Dog>()), 30)
    try await store.close()
  }

  func testAMergeIntoAnEntityThatHasObjectsLeavesThemAsTheyAre() async throws {
    var random = SeededGenerator(seed: testSeed())
    _ = try await PetStore(path, 30, &random)
    let dogsToCats = Migration(
      to: 1, "Dogs are cats", mapping: [.move("Dog", to: "Cat", renaming: ["callName": "name"])])
    let store = try await open(
      Schema(LoneOwner.self, LoneCat.self, LoneToy.self, LoneVet.self), MigrationPlan(dogsToCats))
    let context = RootContext(store)
    let cats = try context.fetch(Fetch<LoneCat>())
    XCTAssertEqual(cats.count, 60)
    XCTAssertEqual(cats.filter { $0["name"] == .string("d7") }.map { $0["lives"] }, [.int(9)])
    let owned = try context.fetch(Fetch<LoneOwner>()).flatMap { $0.memberIDs("cats") }
    XCTAssertEqual(owned.count, cats.filter { $0.target("owner") != nil }.count)
    XCTAssertEqual(store.warnings, [])
    try await assertSound(store)
    try await store.close()
  }
}

private final class LoneOwner: Version {
  static let entity = Entity(
    LoneOwner.self, name: "Owner",
    properties: [.attribute("name", String.self), .toMany("cats", LoneCat.self, deleteRule: .cascade)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class LoneCat: Version {
  static let entity = Entity(
    LoneCat.self, name: "Cat",
    properties: [
      .attribute("name", String.self, indexed: true), .attribute("lives", Int.self, default: 9),
      .toOne("owner", LoneOwner.self, inverse: "cats"), .toOne("mother", LoneCat.self, inverse: "kittens"),
      .toMany("kittens", LoneCat.self), .toMany("toys", LoneToy.self),
      .toMany("vets", LoneVet.self, inverse: "cats"), .index(["owner", "name"]),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class LoneVet: Version {
  static let entity = Entity(
    LoneVet.self, name: "Vet", properties: [.attribute("name", String.self), .toMany("cats", LoneCat.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class LoneToy: Version {
  static let entity = Entity(
    LoneToy.self, name: "Toy",
    properties: [.attribute("label", String.self), .toOne("cat", LoneCat.self, inverse: "toys")])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}
