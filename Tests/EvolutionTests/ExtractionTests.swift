import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import Synchronization
import XCTest

private final class Resident: Version {
  static let entity = Entity(
    Resident.self, name: "Person",
    properties: [
      .attribute("name", String.self, indexed: true), .attribute("street", String.self),
      .attribute("town", String.self, indexed: true), .index(["town", "street"]),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class Person: Version {
  static let entity = Entity(
    Person.self, name: "Person",
    properties: [
      .attribute("name", String.self, indexed: true), .toOne("address", Address.self, inverse: "person"),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class Address: Version {
  static let entity = Entity(
    Address.self, name: "Address",
    properties: [
      .attribute("street", String.self), .attribute("city", String.self, indexed: true),
      .attribute("label", String.self), .toOne("person", Person.self),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// With a reference that is stored at the other side.
private final class House: Version {
  static let entity = Entity(
    House.self, name: "Person",
    properties: [.attribute("name", String.self, indexed: true), .toMany("homes", Home.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class Home: Version {
  static let entity = Entity(
    Home.self, name: "Home",
    properties: [.attribute("street", String.self), .toOne("person", House.self, inverse: "homes")])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private let out = Migration(
  to: 1, "Addresses",
  mapping: [
    .extract(
      "Address", from: "Person", as: "address", moving: ["street", "town"], renaming: ["town": "city"],
      setting: [.init("label", String.self) { "\($0.value("name", as: String.self) ?? "")'s" }],
      where: { $0["street"] != .string("") })
  ])
private let back = Migration(
  to: 2, "No addresses", mapping: [.inline("Address", into: "Person", through: "address", renaming: ["city": "town"])])

/// Attributes that become an object of their own, and back.
final class ExtractionTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private func open(_ models: Schema, _ plan: Migration...) async throws -> Store {
    try await Store.open(
      path, for: models, migrations: plan.isEmpty ? nil : MigrationPlan(plan))
  }

  private func fill(_ count: Int) async throws {
    let store = try await open(Schema(Resident.self))
    let context = RootContext(store)
    for number in 0..<count {
      context.insert(
        Resident(["name": "n\(number)", "street": number % 4 == 0 ? "" : "s\(number)", "town": "t\(number % 7)"]))
    }
    try await context.save()
    try await store.close()
  }

  func testAPartOfEachObjectBecomesOneOfItsOwnAndAgainAPart() async throws {
    try await fill(2_500)
    var store = try await open(Schema(Person.self, Address.self), out)
    var context = RootContext(store)
    let people = try context.fetch(Fetch<Person>())
    let addresses = Dictionary(uniqueKeysWithValues: try context.fetch(Fetch<Address>()).map { ($0.id.uuid, $0) })
    XCTAssertEqual(addresses.count, 1_875)
    for (number, person) in people.enumerated() {
      let address = person.target("address").flatMap { addresses[$0] }
      XCTAssertEqual(address == nil, number % 4 == 0)
      guard let address else { continue }
      XCTAssertEqual(
        [address["street"], address["city"], address["label"]],
        [.string("s\(number)"), .string("t\(number % 7)"), .string("n\(number)'s")])
      XCTAssertEqual(address.target("person"), person.id.uuid)
    }
    XCTAssertEqual(store.warnings, [])
    try await assertSound(store)
    try await store.close()
    store = try await open(Schema(Resident.self), out, back)
    context = RootContext(store)
    for (number, person) in try context.fetch(Fetch<Resident>()).enumerated() {
      // Those without an address have lost their town with the attribute.
      let expected: [PropertyValue] =
        number % 4 == 0
        ? [.string("n\(number)"), .string(""), .string("")]
        : [.string("n\(number)"), .string("s\(number)"), .string("t\(number % 7)")]
      XCTAssertEqual([person["name"], person["street"], person["town"]], expected)
    }
    XCTAssertEqual(store.warnings, [])
    try await assertSound(store)
    try await store.close()
    try await StoreMaintenance.rebuild(path)
    store = try await open(Schema(Resident.self), out, back)
    try await assertSound(store)
    try await store.close()
  }

  func testThePartRefersToItsWholeWhereTheModelsSaySo() async throws {
    try await fill(50)
    let store = try await open(Schema(House.self, Home.self), toHomes)
    let context = RootContext(store)
    for (number, person) in try context.fetch(Fetch<House>()).enumerated() {
      XCTAssertEqual(person.memberIDs("homes").count, 1, "\(number)")
    }
    let streets = try context.fetch(Fetch<Home>()).map { $0["street"] }
    XCTAssertEqual(Set(streets).count, 38)
    XCTAssertEqual(store.warnings, [.property("town", entity: "Person")])
    try await assertSound(store)
    try await store.close()
  }

  func testASliceEndsBeforeWhatIsComputedIsTooLongForTheLog() async throws {
    try await fill(300)
    let long = Migration(
      to: 1, "Long labels",
      mapping: [
        .extract(
          "Address", from: "Person", as: "address", moving: ["street", "town"], renaming: ["town": "city"],
          setting: [.init("label", String.self) { _ in String(repeating: "l", count: 100_000) }])
      ])
    let steps = Mutex<[Int]>([])
    let store = try await Store.open(
      path, for: Schema(Person.self, Address.self), migrations: MigrationPlan(long)
    ) { step in steps.withLock { $0.append(step.done) } }
    XCTAssertEqual(steps.withLock { $0.count }, 2, "\(steps.withLock { $0 })")
    XCTAssertEqual(steps.withLock { $0.last }, 300)
    XCTAssertEqual(try RootContext(store).count(Fetch<Address>()), 300)
    try await assertSound(store)
    try await store.close()
  }

  func testAnExtractionThatNoModelDeclaresIsRefused() async throws {
    try await fill(5)
    do {
      _ = try await open(Schema(Resident.self), out)
      XCTFail("there is no address")
    } catch StoreError.migration(.cannotMap("Address from Person", migration: "Addresses", _)) {}
  }
}

private let toHomes = Migration(
  to: 1, "Homes", mapping: [.extract("Home", from: "Person", as: "homes", moving: ["street"])])
