import RepriseObjectModel
import RepriseQuery

/// With one lock, which goes with it.
final class Bicycle: PersistentModel {
  static let entity = Entity(
    Bicycle.self, name: "Bicycle",
    properties: [
      .attribute("name", String.self),
      .toOne("lock", Lock.self, inverse: "bicycle", deleteRule: .cascade),
      .toOne("shed", Shed.self, inverse: "bicycles"),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init(name: String) {
    _storage = ObjectStorage(Bicycle.entity)
    self.name = name
  }

  var name: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var lock: Lock? {
    get { _storage.toOne(1) }
    set { _storage.setToOne(1, newValue, of: self) }
  }
  var shed: Shed? {
    get { _storage.toOne(2) }
    set { _storage.setToOne(2, newValue, of: self) }
  }

  struct Fields: FieldSet {
    typealias Model = Bicycle
    let name: Field<Bicycle, String>
    init(_ path: FieldPath) { name = Field(path.appending("name")) }
  }
  var snapshot: String { name }
}

final class Lock: PersistentModel {
  static let entity = Entity(
    Lock.self, name: "Lock",
    properties: [
      .attribute("code", Int.self, default: 0), .toOne("bicycle", Bicycle.self), .toMany("keys", Key.self),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init(code: Int) {
    _storage = ObjectStorage(Lock.entity)
    self.code = code
  }

  var code: Int {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var bicycle: Bicycle? {
    get { _storage.toOne(1) }
    set { _storage.setToOne(1, newValue, of: self) }
  }
  var keys: ToMany<Key> { ToMany(2, of: self) }

  struct Fields: FieldSet {
    typealias Model = Lock
    let code: Field<Lock, Int>
    init(_ path: FieldPath) { code = Field(path.appending("code")) }
  }
  var snapshot: Int { code }
}

final class Key: PersistentModel {
  static let entity = Entity(Key.self, name: "Key", properties: [.toOne("lock", Lock.self, inverse: "keys")])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init() { _storage = ObjectStorage(Key.entity) }

  var lock: Lock? {
    get { _storage.toOne(0) }
    set { _storage.setToOne(0, newValue, of: self) }
  }

  struct Fields: FieldSet {
    typealias Model = Key
    init(_ path: FieldPath) {}
  }
  var snapshot: Key.ID { id }
}

/// Whose bicycles go with it.
final class Shed: PersistentModel {
  static let entity = Entity(
    Shed.self, name: "Shed", properties: [.toMany("bicycles", Bicycle.self, deleteRule: .cascade)])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init() { _storage = ObjectStorage(Shed.entity) }

  var bicycles: ToMany<Bicycle> { ToMany(0, of: self) }

  struct Fields: FieldSet {
    typealias Model = Shed
    init(_ path: FieldPath) {}
  }
  var snapshot: Shed.ID { id }
}
