import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import XCTest

private final class OldParcel: Version {
  static let entity = Entity(
    OldParcel.self, name: "Parcel",
    properties: [
      .attribute("weight", Int.self), .attribute("note", String.self, indexed: true), .attribute("town", String.self),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// The note is left out.
private final class Parcel: Version {
  static let entity = Entity(
    Parcel.self, name: "Parcel", properties: [.attribute("weight", Int.self), .attribute("town", String.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// Parcels and letters are of one kind.
private final class Piece: Version {
  static let entity = Entity(
    Piece.self, name: "Piece", properties: [.attribute("weight", Int.self), .attribute("place", String.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// With another weight, by another name.
private final class Shipment: Version {
  static let entity = Entity(
    Shipment.self, name: "Shipment", was: "Parcel",
    properties: [
      .attribute("grams", Int.self, was: "weight"), .attribute("note", String.self), .attribute("town", String.self),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private func toGrams(_ name: String, of entity: String) -> AttributeConversion {
  AttributeConversion(name, of: entity, from: Int.self, to: Int.self) { $0 * 1_000 }
}

/// A step of a plan that finds nothing is refused if its name is mistyped, and passes if there was nothing to be found.
final class MistypedStepTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private func open(
    _ models: any PersistentModel.Type..., plan: Migration...
  ) async throws -> Store {
    try await Store.open(
      path, for: Schema(models), migrations: plan.isEmpty ? nil : MigrationPlan(plan))
  }

  private func fill() async throws -> Position {
    let store = try await open(OldParcel.self)
    let context = RootContext(store)
    context.insert(OldParcel(["weight": 2, "note": "fragile", "town": "Naxos"]))
    try await context.save()
    let head = store.log.head
    try await store.close()
    return head
  }

  private func expectRefusal(
    of name: String, meant: [String], _ models: any PersistentModel.Type..., plan: Migration..., line: UInt = #line
  ) async throws {
    let head = try await fill()
    defer { try? FileManager.default.removeItem(atPath: path) }
    for isPreview in [true, false] {
      do {
        if isPreview {
          _ = try await StoreMaintenance.preview(MigrationPlan(plan), of: path, for: Schema(models))
        } else {
          _ = try await Store.open(
            path, for: Schema(models), migrations: MigrationPlan(plan))
        }
        XCTFail("\(name) is nothing", line: line)
      } catch StoreError.migration(.unknownName(let found, migration: _, candidates: let candidates)) {
        XCTAssertEqual(found, name, line: line)
        XCTAssertEqual(candidates, meant, line: line)
      }
    }
    let store = try await open(OldParcel.self)
    XCTAssertEqual(store.log.head, head, line: line)
    try await store.close()
  }

  func testAConversionOfAMistypedNameDoesNotPassAsDone() async throws {
    try await expectRefusal(
      of: "Parcel.wieght", meant: ["Parcel.weight"], OldParcel.self,
      plan: Migration(to: 1, "Grams", toGrams("wieght", of: "Parcel")))
    try await expectRefusal(
      of: "Parcle", meant: ["Parcel"], Piece.self, plan: Migration(to: 1, "Grams", toGrams("weight", of: "Parcle")))
  }

  func testAMappingOfAMistypedNameDoesNotPassAsDone() async throws {
    try await expectRefusal(
      of: "Parcle", meant: ["Parcel"], Piece.self,
      plan: Migration(to: 1, "Pieces", mapping: [.move("Parcle", to: "Piece")]))
    try await expectRefusal(
      of: "Parcel.twon", meant: ["Parcel.note", "Parcel.town"], Piece.self,
      plan: Migration(to: 1, "Pieces", mapping: [.move("Parcel", to: "Piece", renaming: ["twon": "place"])]))
  }

  func testARemovalOfAMistypedNameDoesNotPassAsDone() async throws {
    for removal in [Removal.attribute("noet", of: "Parcel"), .relationship("noet", of: "Parcel")] {
      try await expectRefusal(
        of: "Parcel.noet", meant: ["Parcel.note"], Parcel.self, plan: Migration(to: 1, "No notes", removing: [removal]))
    }
    try await expectRefusal(
      of: "Parcle", meant: ["Parcel"], Piece.self,
      plan: Migration(to: 1, "No notes", removing: [.attribute("note", of: "Parcle")]))
  }

  func testNamesThatWereOrWillBeFindWhatTheyMean() async throws {
    _ = try await fill()
    // By the models' names, though the store has the former ones.
    let plan = [Migration(to: 1, "Grams", toGrams("grams", of: "Shipment"))]
    var store = try await Store.open(path, for: Shipment.self, migrations: MigrationPlan(plan))
    XCTAssertEqual(try RootContext(store).fetch(Fetch<Shipment>()).map { $0["grams"] }, [.int(2_000)])
    try await store.close()
    // By the names of its time, once it is done, and nothing has them any more.
    let old = Migration(to: 1, "Grams", toGrams("weight", of: "Parcel"))
    store = try await open(
      Shipment.self, plan: old, Migration(to: 2, "More", removing: [.attribute("weight", of: "Parcel")]))
    XCTAssertEqual(try RootContext(store).fetch(Fetch<Shipment>()).map { $0["grams"] }, [.int(2_000)])
    try await store.close()
  }

  /// The store is of before letters, and before parcels had a sender; both came and went while it lay in a drawer.
  func testAStoreThatSkippedVersionsPassesTheStepsOfWhatItNeverHad() async throws {
    _ = try await fill()
    let plan = [
      Migration(
        to: 1, "Senders",
        AttributeConversion("sender", of: "Parcel", from: String.self, to: [UInt8].self) { Array($0.utf8) }),
      Migration(to: 2, "No senders", removing: [.attribute("sender", of: "Parcel"), .attribute("note", of: "Parcel")]),
      Migration(
        to: 3, "Pieces",
        mapping: [
          .move("Parcel", to: "Piece", renaming: ["town": "place"]), .move("Letter", to: "Piece"),
          .inline("Stamp", into: "Letter", through: "stamp"),
        ]),
    ]
    let preview = try await StoreMaintenance.preview(MigrationPlan(plan), of: path, for: Schema(Piece.self))
    XCTAssertEqual(
      preview.unmatchedSteps.map(\.step), ["Parcel.sender", "Parcel.sender", "Letter to Piece", "Stamp into Letter"])
    XCTAssertEqual(preview.unmatchedSteps.map(\.migration), ["Senders", "No senders", "Pieces", "Pieces"])
    let store = try await Store.open(path, for: Piece.self, migrations: MigrationPlan(plan))
    XCTAssertEqual(try RootContext(store).fetch(Fetch<Piece>()).map { $0["place"] }, [.string("Naxos")])
    XCTAssertEqual(store.warnings, [])
    try await store.close()
    let done = try await StoreMaintenance.preview(MigrationPlan(plan), of: path, for: Schema(Piece.self))
    XCTAssertEqual(done.unmatchedSteps, [])
  }

  func testAnEntityWithoutObjectsIsFoundByItsName() async throws {
    try await open(OldParcel.self).close()
    let store = try await open(
      Parcel.self,
      plan: Migration(to: 1, "Grams", toGrams("weight", of: "Parcel"), removing: [.attribute("note", of: "Parcel")]))
    XCTAssertEqual(store.warnings, [])
    try await store.close()
  }
}
