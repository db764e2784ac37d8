import RepriseObjectModel
import RepriseQuery

/// With one lock, which goes with it.
package final class Bicycle: TestModel {
  package static let entity = Entity(
    Bicycle.self, name: "Bicycle",
    properties: [
      .attribute("name", String.self),
      .toOne("lock", Lock.self, inverse: "bicycle", deleteRule: .cascade),
      .toOne("shed", Shed.self, inverse: "bicycles"),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }
  package init(name: String) {
    _storage = ObjectStorage(Bicycle.entity)
    self.name = name
  }

  @Stored(0) package var name: String
  @Linked(1) package var lock: Lock?
  @Linked(2) package var shed: Shed?

  package struct Fields: FieldSet {
    package typealias Model = Bicycle
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
    package var name: Field<Bicycle, String> { Field(path.appending("name")) }
    package var lock: ToOneField<Bicycle, Lock> { ToOneField(path.appending("lock")) }
  }
}

package final class Lock: TestModel {
  package static let entity = Entity(
    Lock.self, name: "Lock",
    properties: [
      .attribute("code", Int.self, default: 0), .toOne("bicycle", Bicycle.self), .toMany("keys", Key.self),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }
  package init(code: Int) {
    _storage = ObjectStorage(Lock.entity)
    self.code = code
  }

  @Stored(0) package var code: Int
  @Linked(1) package var bicycle: Bicycle?
  package var keys: ToMany<Key> { ToMany(2, of: self) }

  package struct Fields: FieldSet {
    package typealias Model = Lock
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
    package var code: Field<Lock, Int> { Field(path.appending("code")) }
    package var bicycle: ToOneField<Lock, Bicycle> { ToOneField(path.appending("bicycle")) }
  }
}

package final class Key: TestModel {
  package static let entity = Entity(Key.self, name: "Key", properties: [.toOne("lock", Lock.self, inverse: "keys")])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  @Linked(0) package var lock: Lock?
}

/// Whose bicycles go with it.
package final class Shed: TestModel {
  package static let entity = Entity(
    Shed.self, name: "Shed", properties: [.toMany("bicycles", Bicycle.self, deleteRule: .cascade)])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package var bicycles: ToMany<Bicycle> { ToMany(0, of: self) }
}
