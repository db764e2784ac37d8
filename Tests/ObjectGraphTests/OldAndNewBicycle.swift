import RepriseObjectModel
import RepriseQuery

// The same two entities as programs of two versions declare them.

final class OldBicycle: PersistentModel {
  static let entity = Entity(
    OldBicycle.self, name: "Bicycle", properties: [.attribute("name", String.self, indexed: true)])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init(name: String) {
    _storage = ObjectStorage(OldBicycle.entity)
    self.name = name
  }

  var name: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }

  struct Fields: FieldSet {
    typealias Model = OldBicycle
    let name: Field<OldBicycle, String>
    init(_ path: FieldPath) { name = Field(path.appending("name")) }
  }
  var snapshot: String { name }
}

final class OldShed: PersistentModel {
  static let entity = Entity(OldShed.self, name: "Shed", properties: [])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init() { _storage = ObjectStorage(OldShed.entity) }

  struct Fields: FieldSet {
    typealias Model = OldShed
    init(_ path: FieldPath) {}
  }
  var snapshot: OldShed.ID { id }
}

final class NewBicycle: PersistentModel {
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

  var gears: Int {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var name: String {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  var shed: NewShed? {
    get { _storage.toOne(3) }
    set { _storage.setToOne(3, newValue, of: self) }
  }

  struct Fields: FieldSet {
    typealias Model = NewBicycle
    let gears: Field<NewBicycle, Int>
    init(_ path: FieldPath) { gears = Field(path.appending("gears")) }
  }
  var snapshot: String { name }
}

final class NewShed: PersistentModel {
  static let entity = Entity(
    NewShed.self, name: "Shed", properties: [.toMany("bicycles", NewBicycle.self, deleteRule: .cascade)])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init() { _storage = ObjectStorage(NewShed.entity) }

  var bicycles: ToMany<NewBicycle> { ToMany(0, of: self) }

  struct Fields: FieldSet {
    typealias Model = NewShed
    init(_ path: FieldPath) {}
  }
  var snapshot: NewShed.ID { id }
}

/// Its name is called title.
final class RenamingBicycle: PersistentModel {
  static let entity = Entity(
    RenamingBicycle.self, name: "Bicycle",
    properties: [.attribute("title", String.self, indexed: true, was: "name")])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  var title: String { _storage.get(0) }

  struct Fields: FieldSet {
    typealias Model = RenamingBicycle
    init(_ path: FieldPath) {}
  }
  var snapshot: String { title }
}

/// Its name is called title, and its name is another.
final class ReusingBicycle: PersistentModel {
  static let entity = Entity(
    ReusingBicycle.self, name: "Bicycle",
    properties: [.attribute("title", String.self, indexed: true, was: "name"), .attribute("name", String.self)])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  var title: String { _storage.get(0) }

  struct Fields: FieldSet {
    typealias Model = ReusingBicycle
    init(_ path: FieldPath) {}
  }
  var snapshot: String { title }
}
