import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import XCTest

// Owners with cats and dogs, that are pets later; and vehicles, some of which are trucks.

extension Version {
  func point(_ name: String, to other: (some PersistentModel)?) {
    _storage.setToOne(Self.entity.slot(named: name)!, other, of: self)
  }

  /// The object that a to-one leads to.
  func target(_ name: String) -> UniqueID? { _storage.shown(Self.entity.slot(named: name)!).reference?.uuid }

  func add<Other: PersistentModel>(_ other: Other, to name: String) {
    ToMany<Other>(Self.entity.slot(named: name)!, of: self).insert(other)
  }

  func memberIDs(_ name: String) -> [UniqueID] {
    _storage.members(Self.entity.slot(named: name)!).map(\._storage.id.uuid)
  }
}

final class OldOwner: Version {
  static let entity = Entity(
    OldOwner.self, name: "Owner",
    properties: [
      .attribute("name", String.self), .toMany("cats", Cat.self, deleteRule: .cascade), .toMany("dogs", Dog.self),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

final class Cat: Version {
  static let entity = Entity(
    Cat.self, name: "Cat",
    properties: [
      .attribute("name", String.self, indexed: true), .attribute("lives", Int.self, default: 9),
      .toOne("owner", OldOwner.self, inverse: "cats"), .toOne("mother", Cat.self, inverse: "kittens"),
      .toMany("kittens", Cat.self), .toMany("toys", OldToy.self), .toMany("vets", OldVet.self, inverse: "cats"),
      .index(["owner", "name"]),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

final class Dog: Version {
  static let entity = Entity(
    Dog.self, name: "Dog",
    properties: [
      .attribute("callName", String.self), .attribute("weight", Double.self),
      .toOne("owner", OldOwner.self, inverse: "dogs"), .toMany("doctors", OldVet.self),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

final class OldToy: Version {
  static let entity = Entity(
    OldToy.self, name: "Toy",
    properties: [.attribute("label", String.self), .toOne("cat", Cat.self, inverse: "toys")])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

final class OldVet: Version {
  static let entity = Entity(
    OldVet.self, name: "Vet",
    properties: [
      .attribute("name", String.self), .toMany("cats", Cat.self), .toMany("dogs", Dog.self, inverse: "doctors"),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

final class Vet: Version {
  static let entity = Entity(
    Vet.self, name: "Vet", properties: [.attribute("name", String.self), .toMany("animals", Pet.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

final class Owner: Version {
  static let entity = Entity(
    Owner.self, name: "Owner", properties: [.attribute("name", String.self), .toMany("pets", Pet.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

final class Pet: Version {
  static let entity = Entity(
    Pet.self, name: "Pet",
    properties: [
      .attribute("kind", String.self, indexed: true), .attribute("name", String.self, indexed: true),
      .attribute("lives", Int?.self), .attribute("weight", Double?.self), .toOne("owner", Owner.self, inverse: "pets"),
      .toOne("mother", Pet.self, inverse: "kittens"), .toMany("kittens", Pet.self), .toMany("toys", Toy.self),
      .toMany("vets", Vet.self, inverse: "animals"),
      .index(["owner", "name"]),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

final class Toy: Version {
  static let entity = Entity(
    Toy.self, name: "Toy", properties: [.attribute("label", String.self), .toOne("pet", Pet.self, inverse: "toys")])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

let toPets = Migration(
  to: 1, "Cats and dogs are pets",
  mapping: [
    .move("Cat", to: "Pet", setting: [.init("kind", String.self) { _ in "cat" }]),
    .move(
      "Dog", to: "Pet", renaming: ["callName": "name", "doctors": "vets"],
      setting: [.init("kind", String.self) { $0["weight"] == .double(0) ? "toy dog" : "dog" }]),
  ])

/// A store of owners, cats, dogs and toys, and what must have become of them.
struct PetStore {
  struct Animal: Equatable {
    var kind: String
    var name: String
    var lives: PropertyValue = .null
    var weight: PropertyValue = .null
    var owner: UniqueID?
    var mother: UniqueID?
    var toys: Set<UniqueID> = []
    var vets: Set<UniqueID> = []
  }

  static let old = Schema(OldOwner.self, Cat.self, Dog.self, OldToy.self, OldVet.self)
  static let new = Schema(Owner.self, Pet.self, Toy.self, Vet.self)
  private(set) var pets: [UniqueID: Animal] = [:]

  /// - Parameter count: How many objects there are of each entity.
  init(
    _ path: String, _ count: Int, _ random: inout some RandomNumberGenerator
  ) async throws {
    let store = try await Store.open(path, for: Self.old)
    let context = RootContext(store)
    let owners = (0..<count / 3 + 1).map { context.insert(OldOwner(["name": "o\($0)"])) }
    let vets = (0..<3).map { context.insert(OldVet(["name": "v\($0)"])) }
    var cats: [Cat] = []
    for number in 0..<count {
      let cat = context.insert(Cat(["name": "c\(number)"]))
      var animal = Animal(kind: "cat", name: "c\(number)", lives: .int(9))
      if number % 3 == 0 {
        cat["lives"] = .int(Int64(number))
        animal.lives = cat["lives"]
      }
      if Bool.random(using: &random), let owner = owners.randomElement(using: &random) {
        cat.point("owner", to: owner)
        animal.owner = owner.id.uuid
      }
      // Some are kittens of one that is born later.
      cats.append(cat)
      if let mother = cats.randomElement(using: &random), mother !== cat, Bool.random(using: &random) {
        let (young, old) = Bool.random(using: &random) ? (cat, mother) : (mother, cat)
        young.point("mother", to: old)
      }
      pets[cat.id.uuid] = animal
      // Some so long that they lie beside their objects.
      let callName = "d\(number)" + (number % 50 == 3 ? String(repeating: " of Naxos", count: 1_000) : "")
      let dog = context.insert(Dog(["callName": callName, "weight": Double(number % 4)]))
      var other = Animal(kind: number % 4 == 0 ? "toy dog" : "dog", name: callName, weight: dog["weight"])
      if let owner = owners.randomElement(using: &random) {
        dog.point("owner", to: owner)
        other.owner = owner.id.uuid
      }
      pets[dog.id.uuid] = other
      let vet = vets[number % 3]
      if number % 2 == 0 {
        cat.add(vet, to: "vets")
        pets[cat.id.uuid]?.vets.insert(vet.id.uuid)
      }
      if number % 7 > 0 {
        dog.add(vet, to: "doctors")
        pets[dog.id.uuid]?.vets.insert(vet.id.uuid)
      }
      let toy = context.insert(OldToy(["label": "t\(number)"]))
      if number % 5 > 0, let cat = cats.randomElement(using: &random) {
        toy.point("cat", to: cat)
        pets[cat.id.uuid]?.toys.insert(toy.id.uuid)
      }
    }
    for cat in cats { pets[cat.id.uuid]?.mother = cat.target("mother") }
    try await context.save("Fill")
    // Some have a past, and one is gone.
    for cat in cats.prefix(5) { cat["name"] = .string((pets[cat.id.uuid]?.name ?? "") + "!") }
    for cat in cats.prefix(5) { pets[cat.id.uuid]?.name += "!" }
    try await context.save("Rename")
    try await store.close()
  }

  func expect(_ store: Store, file: StaticString = #filePath, line: UInt = #line) throws {
    let context = RootContext(store)
    var found: [UniqueID: Animal] = [:]
    for pet in try context.fetch(Fetch<Pet>()) {
      guard case .string(let kind) = pet["kind"], case .string(let name) = pet["name"] else { continue }
      found[pet.id.uuid] = Animal(
        kind: kind, name: name, lives: pet["lives"], weight: pet["weight"], owner: pet.target("owner"),
        mother: pet.target("mother"), toys: Set(pet.memberIDs("toys")),
        vets: Set(pet.memberIDs("vets")))
    }
    XCTAssertEqual(found.count, pets.count, file: file, line: line)
    let wrong = pets.filter { found[$0.key] != $0.value }
    let instead = wrong.prefix(2).map { found[$0.key] }
    XCTAssertEqual(wrong.count, 0, "\(wrong.prefix(2)), found \(instead)", file: file, line: line)
    for owner in try context.fetch(Fetch<Owner>()) {
      let expected = Set(pets.filter { $0.value.owner == owner.id.uuid }.keys)
      XCTAssertEqual(Set(owner.memberIDs("pets")), expected, file: file, line: line)
    }
    for vet in try context.fetch(Fetch<Vet>()) {
      let expected = Set(pets.filter { $0.value.vets.contains(vet.id.uuid) }.keys)
      XCTAssertEqual(Set(vet.memberIDs("animals")), expected, file: file, line: line)
    }
    XCTAssertEqual(store.warnings, [], file: file, line: line)
  }
}
