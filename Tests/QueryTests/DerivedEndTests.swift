import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// Links that the fetched object does not store itself, and links that lead to nothing.
final class DerivedEndTests: XCTestCase {
  func testTheDerivedEndOfAOneToOneReadsLikeTheStoredOne() throws {
    let (ada, bob) = (Citizen(name: "Ada"), Citizen(name: "Bob"))
    let passport = Passport(number: "P1")
    passport._storage.setToOne(1, ada, of: passport)
    let source = try DetachedSource(Citizen.self, Passport.self, objects: [ada, bob, passport])
    XCTAssertEqual(try source.run(Fetch<Citizen> { $0.passport.number == "P1" }), [ada.id.any])
    XCTAssertEqual(try source.run(Fetch<Citizen> { $0.passport.number == nil }), [bob.id.any])
    XCTAssertEqual(try source.run(Fetch<Citizen> { $0.passport == passport }), [ada.id.any])
    XCTAssertEqual(try source.run(Fetch<Citizen> { $0.passport == nil }), [bob.id.any])
    XCTAssertEqual(try source.run(Fetch<Citizen> { $0.passport.holder.passport == passport }), [ada.id.any])
    XCTAssertEqual(try source.run(Fetch<Passport> { $0.holder == ada }), [passport.id.any])
    // Only the stored end has an index.
    XCTAssertEqual(try source.compile(Fetch<Citizen> { $0.passport == passport }).access, .scan)
    XCTAssertEqual(
      try source.compile(Fetch<Passport> { $0.holder == ada }).access, .inverse(slot: 1, targets: [ada.id.any]))
    XCTAssertTrue(try source.compile(Fetch<Citizen> { $0.passport == nil }).readsOtherObjects)
  }

  func testALinkToAnObjectThatIsGoneReadsNil() throws {
    let (ada, gone) = (Person(name: "Ada"), Person(name: "Gone"))
    let (chair, lost) = (Item(name: "Chair"), Item(name: "Lost"))
    chair.owner = gone
    lost.owner = ada
    let source = try DetachedSource(Item.self, Person.self, objects: [ada, chair])
    XCTAssertEqual(try source.run(Fetch<Item> { $0.owner.name == nil }), [chair.id.any])
    XCTAssertEqual(try source.run(Fetch<Person> { $0.items.any { $0.name == "Lost" } }), [])
    XCTAssertEqual(try source.run(Fetch<Person> { $0.items.all { $0.name == "Chair" } }), [ada.id.any])
    XCTAssertEqual(try source.run(Fetch<Person> { !$0.items.any { !($0.name == "Chair") } }), [ada.id.any])
  }
}

private final class Citizen: PersistentModel {
  static let entity = Entity(
    Citizen.self, name: "Citizen", properties: [.attribute("name", String.self), .toOne("passport", Passport.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  var snapshot: Int { 0 }

  init(name: String) {
    _storage = ObjectStorage(Citizen.entity)
    _storage.set(0, name)
  }

  struct Fields: FieldSet {
    typealias Model = Citizen
    let name: Field<Citizen, String>
    let passport: ToOneField<Citizen, Passport>
    init(_ path: FieldPath) {
      name = Field(path.appending("name"))
      passport = ToOneField(path.appending("passport"))
    }
  }
}

private final class Passport: PersistentModel {
  static let entity = Entity(
    Passport.self, name: "Passport",
    properties: [.attribute("number", String.self), .toOne("holder", Citizen.self, inverse: "passport")])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  var snapshot: Int { 0 }

  init(number: String) {
    _storage = ObjectStorage(Passport.entity)
    _storage.set(0, number)
  }

  struct Fields: FieldSet {
    typealias Model = Passport
    let number: Field<Passport, String>
    let holder: ToOneField<Passport, Citizen>
    init(_ path: FieldPath) {
      number = Field(path.appending("number"))
      holder = ToOneField(path.appending("holder"))
    }
  }
}
