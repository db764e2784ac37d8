import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import RepriseTestSeeds
import XCTest

private final class Driver: Version {
  static let entity = Entity(
    Driver.self, name: "Driver",
    properties: [.attribute("name", String.self), .toMany("vehicles", Vehicle.self, isOrdered: true)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class Vehicle: Version {
  static let entity = Entity(
    Vehicle.self, name: "Vehicle",
    properties: [
      .attribute("plate", String.self, indexed: true), .attribute("load", Int.self),
      .toOne("driver", Driver.self, inverse: "vehicles"), .toOne("tows", Vehicle.self, inverse: "towedBy"),
      .toOne("towedBy", Vehicle.self), .toMany("trips", Trip.self),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class Trip: Version {
  static let entity = Entity(
    Trip.self, name: "Trip",
    properties: [.attribute("number", Int.self), .toOne("vehicle", Vehicle.self, inverse: "trips")])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

// Some vehicles are trucks.

private final class TruckDriver: Version {
  static let entity = Entity(
    TruckDriver.self, name: "Driver",
    properties: [
      .attribute("name", String.self), .toMany("vehicles", RestVehicle.self, isOrdered: true),
      .toMany("trucks", Truck.self, isOrdered: true),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class RestVehicle: Version {
  static let entity = Entity(
    RestVehicle.self, name: "Vehicle",
    properties: [
      .attribute("plate", String.self, indexed: true), .attribute("load", Int.self),
      .toOne("driver", TruckDriver.self, inverse: "vehicles"), .toOne("tows", RestVehicle.self, inverse: "towedBy"),
      .toOne("towedBy", RestVehicle.self), .toMany("trips", SplitTrip.self),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class Truck: Version {
  static let entity = Entity(
    Truck.self, name: "Truck",
    properties: [
      .attribute("plate", String.self, indexed: true), .attribute("tons", Double.self),
      .toOne("driver", TruckDriver.self, inverse: "trucks"), .toMany("trips", SplitTrip.self),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class SplitTrip: Version {
  static let entity = Entity(
    SplitTrip.self, name: "Trip",
    properties: [
      .attribute("number", Int.self), .toOne("vehicle", RestVehicle.self, inverse: "trips"),
      .toOne("truck", Truck.self, inverse: "trips"),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private let trucks = EntityMapping.move(
  "Vehicle", to: "Truck",
  setting: [.init("tons", Double.self) { Double($0.value("load", as: Int.self) ?? 0) / 1000 }],
  where: { ($0.value("load", as: Int.self) ?? 0) > 500 })

/// An entity some of whose objects become those of another.
final class SplitTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private func open(_ models: Schema, _ mappings: EntityMapping...) async throws -> Store {
    try await Store.open(
      path, for: models,
      migrations: mappings.isEmpty ? nil : MigrationPlan(Migration(to: 1, "Split", mapping: mappings)))
  }

  private struct Found: Equatable {
    var isTruck = false
    var driver: UniqueID?
    var tows: UniqueID?
    var trips: Set<UniqueID> = []
  }

  func testWhatMeetsTheConditionMovesAndEverythingLeadsToTheRightOne() async throws {
    for seed in testSeeds(3) {
      var random = SeededGenerator(seed: seed)
      var store = try await open(Schema(Driver.self, Vehicle.self, Trip.self))
      var context = RootContext(store)
      let drivers = (0..<4).map { context.insert(Driver(["name": "d\($0)"])) }
      var vehicles: [Vehicle] = []
      for number in 0..<[3, 1_500].randomElement(using: &random)! {
        let vehicle = context.insert(
          Vehicle(["plate": "p\(number)", "load": Int.random(in: 0...1_000, using: &random)]))
        vehicle.point("driver", to: drivers.randomElement(using: &random))
        if let other = vehicles.randomElement(using: &random), Bool.random(using: &random) {
          vehicle.point("tows", to: other)
        }
        vehicles.append(vehicle)
        let trip = context.insert(Trip(["number": number]))
        if Bool.random(using: &random) { trip.point("vehicle", to: vehicles.randomElement(using: &random)) }
      }
      try await context.save()
      var expected: [UniqueID: Found] = [:]
      var loads: [UniqueID: Int64] = [:]
      for vehicle in vehicles { if case .int(let load) = vehicle["load"] { loads[vehicle.id.uuid] = load } }
      for vehicle in vehicles {
        let isTruck = loads[vehicle.id.uuid]! > 500
        let tows = vehicle.target("tows")
        expected[vehicle.id.uuid] = Found(
          isTruck: isTruck, driver: vehicle.target("driver"),
          tows: isTruck || tows.map { loads[$0]! > 500 } == true ? nil : tows,
          trips: Set(vehicle.memberIDs("trips")))
      }
      let order = drivers.map { driver in driver.memberIDs("vehicles").filter { loads[$0]! > 500 } }
      try await store.close()
      store = try await open(Schema(TruckDriver.self, RestVehicle.self, Truck.self, SplitTrip.self), trucks)
      context = RootContext(store)
      var found: [UniqueID: Found] = [:]
      for vehicle in try context.fetch(Fetch<RestVehicle>()) {
        found[vehicle.id.uuid] = Found(
          driver: vehicle.target("driver"), tows: vehicle.target("tows"), trips: Set(vehicle.memberIDs("trips")))
      }
      for truck in try context.fetch(Fetch<Truck>()) {
        found[truck.id.uuid] = Found(
          isTruck: true, driver: truck.target("driver"), trips: Set(truck.memberIDs("trips")))
        XCTAssertEqual(truck["tons"], .double(Double(loads[truck.id.uuid]!) / 1000))
      }
      XCTAssertEqual(found.filter { $0.value != expected[$0.key] }.count, 0)
      XCTAssertEqual(found.count, expected.count)
      let after = try context.fetch(Fetch<TruckDriver>()).map { $0.memberIDs("trucks") }
      XCTAssertEqual(after, order, "in the order that they had")
      XCTAssertEqual(store.warnings, [])
      try await assertSound(store)
      try await store.close()
      try FileManager.default.removeItem(atPath: path)
    }
  }

  /// Two vehicles and a trip, and a draft that edits them; the heavy vehicle becomes a truck.
  private func splitUnderADraft(_ edit: (RootContext, _ light: Vehicle, _ heavy: Vehicle, Trip) throws -> Void)
    async throws -> (store: Store, heavy: UniqueID)
  {
    var store = try await open(Schema(Driver.self, Vehicle.self, Trip.self))
    let context = RootContext(store)
    let vehicles = [("light", 1), ("heavy", 1_000)].map { context.insert(Vehicle(["plate": $0, "load": $1])) }
    let trip = context.insert(Trip(["number": 1]))
    try await context.save()
    let editor = try RootContext(store, draft: "editor")
    try edit(editor, editor.object(vehicles[0].id), editor.object(vehicles[1].id), editor.object(trip.id))
    try await store.flush()
    try await store.close()
    store = try await open(Schema(TruckDriver.self, RestVehicle.self, Truck.self, SplitTrip.self), trucks)
    return (store, vehicles[1].id.uuid)
  }

  func testEditsOfObjectsThatASplitMovesAreListedAndTheRestOfTheDraftIsThere() async throws {
    // A draft of so many edits is not read as a whole otherwise.
    for count in [1, 1_100] {
      try? FileManager.default.removeItem(atPath: path)
      let (store, heavy) = try await splitUnderADraft { editor, light, heavy, trip in
        for number in 0..<count { editor.group("Load \(number)") { light["load"] = .int(Int64(number + 2)) } }
        heavy["plate"] = .string("typed")
        trip["number"] = .int(2)
        trip.point("vehicle", to: heavy)
      }
      let listed = try XCTUnwrap(try store.drafts.all().first).problems
      let editor = try RootContext(store, draft: "editor")
      XCTAssertEqual(editor.draftProblems, listed)
      XCTAssertEqual(listed.filter { $0.contains("changes Vehicle \(heavy) (plate: ") }.count, 1, "\(listed)")
      XCTAssertEqual(listed.filter { $0.contains("sets Trip.vehicle of") }.count, 1, "\(listed)")
      XCTAssertEqual(listed.count, 2, "\(listed)")
      XCTAssertEqual(try editor.fetch(Fetch<RestVehicle>()).map { $0["load"] }, [.int(Int64(count + 1))])
      XCTAssertEqual(try editor.fetch(Fetch<SplitTrip>()).map { $0["number"] }, [.int(2)])
      XCTAssertEqual(try editor.fetch(Fetch<Truck>()).map { $0["plate"] }, [.string("heavy")])
      XCTAssertEqual(try editor.conflicts().count, 0)
      try await editor.save()
      XCTAssertEqual(try store.drafts.all().filter { !$0.objects.isEmpty }.count, 0)
      XCTAssertEqual(try RootContext(store).count(Fetch<RestVehicle>()), 1, "none comes back")
      try await assertSound(store)
      try await store.close()
    }
  }

  func testADraftOfNothingButObjectsThatASplitMovesIsKept() async throws {
    let (store, _) = try await splitUnderADraft { _, _, heavy, _ in heavy["plate"] = .string("typed") }
    XCTAssertEqual(
      try store.drafts.all().first?.unreadableReason,
      "a migration has moved its objects to other entities. Make its edits again in these entities, then discard the "
        + "draft")
    XCTAssertThrowsError(try RootContext(store, draft: "editor")) { error in
      guard case DraftError.unreadable("editor", _)? = error as? DraftError else { return XCTFail("\(error)") }
    }
    try await store.close()
  }

  func testAnObjectThatMeetsNoConditionIsToldBeforeAnythingIsWritten() async throws {
    var store = try await open(Schema(Driver.self, Vehicle.self, Trip.self))
    let context = RootContext(store)
    context.insert(Vehicle(["plate": "light", "load": 1]))
    context.insert(Vehicle(["plate": "heavy", "load": 1_000]))
    try await context.save()
    try await store.close()
    do {
      _ = try await open(
        Schema(OnlyTruck.self, OnlyTrip.self), .move("Vehicle", to: "Truck", where: { $0["load"] == .int(1_000) }))
      XCTFail("what becomes of the light one?")
    } catch StoreError.migration(.object(_, "Vehicle to Truck", "Split", let reason)) {
      XCTAssertEqual(reason, "it meets none of the mappings' conditions, and no model has its entity")
    }
    store = try await open(Schema(Driver.self, Vehicle.self, Trip.self))
    XCTAssertEqual(try RootContext(store).count(Fetch<Vehicle>()), 2)
    try await store.close()
  }
}

private final class OnlyTrip: Version {
  static let entity = Entity(OnlyTrip.self, name: "Trip", properties: [])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class OnlyTruck: Version {
  static let entity = Entity(OnlyTruck.self, name: "Truck", properties: [.attribute("plate", String.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}
