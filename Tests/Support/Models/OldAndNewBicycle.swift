import RepriseObjectModel
import RepriseQuery

// The same two entities as programs of two versions declare them.

package final class OldBicycle: TestModel {
  package static let entity = Entity(
    OldBicycle.self, name: "Bicycle", properties: [.attribute("name", String.self, indexed: true)])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }
  package init(name: String) {
    _storage = ObjectStorage(OldBicycle.entity)
    self.name = name
  }

  @Stored(0) package var name: String

  package struct Fields: FieldSet {
    package typealias Model = OldBicycle
    package let name: Field<OldBicycle, String>
    package init(_ path: FieldPath) { name = Field(path.appending("name")) }
  }
}

package final class OldShed: TestModel {
  package static let entity = Entity(OldShed.self, name: "Shed", properties: [])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }
}

package final class NewBicycle: TestModel {
  package static let entity = Entity(
    NewBicycle.self, name: "Bicycle",
    properties: [
      .attribute("gears", Int.self, default: 3, indexed: true),
      .attribute("name", String.self, indexed: true),
      .attribute("colour", String?.self, indexed: true),
      .toOne("shed", NewShed.self, inverse: "bicycles"),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }
  package init(name: String) {
    _storage = ObjectStorage(NewBicycle.entity)
    self.name = name
  }

  @Stored(0) package var gears: Int
  @Stored(1) package var name: String
  @Stored(2) package var colour: String?
  @Linked(3) package var shed: NewShed?

  package struct Fields: FieldSet {
    package typealias Model = NewBicycle
    package let gears: Field<NewBicycle, Int>
    package init(_ path: FieldPath) { gears = Field(path.appending("gears")) }
  }
}

package final class NewShed: TestModel {
  package static let entity = Entity(
    NewShed.self, name: "Shed", properties: [.toMany("bicycles", NewBicycle.self, deleteRule: .cascade)])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package var bicycles: ToMany<NewBicycle> { ToMany(0, of: self) }
}

/// Its name is called title.
package final class RenamingBicycle: TestModel {
  package static let entity = Entity(
    RenamingBicycle.self, name: "Bicycle",
    properties: [.attribute("title", String.self, indexed: true, was: "name")])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package var title: String { _storage.get(0) }
}

/// Its name is called title, and its name is another.
package final class ReusingBicycle: TestModel {
  package static let entity = Entity(
    ReusingBicycle.self, name: "Bicycle",
    properties: [.attribute("title", String.self, indexed: true, was: "name"), .attribute("name", String.self)])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package var title: String { _storage.get(0) }
}
