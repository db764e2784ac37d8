import RepriseObjectModel
import RepriseQuery
import RepriseTestModels

// The same two entities as programs of two versions declare them.

final class OldBicycle: TestModel {
  static let entity = Entity(
    OldBicycle.self, name: "Bicycle", properties: [.attribute("name", String.self, indexed: true)])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init(name: String) {
    _storage = ObjectStorage(OldBicycle.entity)
    self.name = name
  }

  @Stored(0) var name: String

  struct Fields: FieldSet {
    typealias Model = OldBicycle
    let name: Field<OldBicycle, String>
    init(_ path: FieldPath) { name = Field(path.appending("name")) }
  }
}

final class OldShed: TestModel {
  static let entity = Entity(OldShed.self, name: "Shed", properties: [])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

final class NewBicycle: TestModel {
  static let entity = Entity(
    NewBicycle.self, name: "Bicycle",
    properties: [
      .attribute("gears", Int.self, default: 3, indexed: true),
      .attribute("name", String.self, indexed: true),
      .attribute("colour", String?.self, indexed: true),
      .toOne("shed", NewShed.self, inverse: "bicycles"),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init(name: String) {
    _storage = ObjectStorage(NewBicycle.entity)
    self.name = name
  }

  @Stored(0) var gears: Int
  @Stored(1) var name: String
  @Linked(3) var shed: NewShed?

  struct Fields: FieldSet {
    typealias Model = NewBicycle
    let gears: Field<NewBicycle, Int>
    init(_ path: FieldPath) { gears = Field(path.appending("gears")) }
  }
}

final class NewShed: TestModel {
  static let entity = Entity(
    NewShed.self, name: "Shed", properties: [.toMany("bicycles", NewBicycle.self, deleteRule: .cascade)])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  var bicycles: ToMany<NewBicycle> { ToMany(0, of: self) }
}

/// Its name is called title.
final class RenamingBicycle: TestModel {
  static let entity = Entity(
    RenamingBicycle.self, name: "Bicycle",
    properties: [.attribute("title", String.self, indexed: true, was: "name")])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  var title: String { _storage.get(0) }
}

/// Its name is called title, and its name is another.
final class ReusingBicycle: TestModel {
  static let entity = Entity(
    ReusingBicycle.self, name: "Bicycle",
    properties: [.attribute("title", String.self, indexed: true, was: "name"), .attribute("name", String.self)])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  var title: String { _storage.get(0) }
}
