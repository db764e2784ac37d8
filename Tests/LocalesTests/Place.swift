import RepriseLocales
import RepriseObjectModel
import RepriseQuery

/// One name twice: with indexes in the orders of locales, and without any.
final class Place: PersistentModel {
  static let swedish: Collation = .locale("sv")
  static let loose: Collation = [.locale("sv"), .ignoringCase, .natural]

  static let entity = Entity(Place.self, name: "Place", properties: attributes + indexes)
  fileprivate static let attributes: [Property] = [
    .attribute("name", String?.self), .attribute("copy", String?.self), .attribute("zone", Int.self),
    .attribute("code", String?.self),
  ]
  fileprivate static let indexes: [Property] = [
    .index([IndexColumn("name", swedish)]), .index([IndexColumn("name", loose)]),
    .index(["zone", IndexColumn("name", swedish)]), .unique([IndexColumn("code", [.locale("de"), .ignoringCase])]),
  ]

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(_ name: String?, zone: Int = 0) {
    _storage = ObjectStorage(Place.entity)
    self.name = name
    self.copy = name
    self.zone = zone
  }

  var name: String? {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var copy: String? {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  var zone: Int {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }
  var code: String? {
    get { _storage.get(3) }
    set { _storage.set(3, newValue) }
  }

  struct Fields: FieldSet {
    typealias Model = Place
    let name: Field<Place, String>
    let copy: Field<Place, String>
    let zone: Field<Place, Int>
    let code: Field<Place, String>

    init(_ path: FieldPath) {
      name = Field(path.appending("name"))
      copy = Field(path.appending("copy"))
      zone = Field(path.appending("zone"))
      code = Field(path.appending("code"))
    }
  }

  struct Snapshot: Sendable {}
  var snapshot: Snapshot { Snapshot() }
}

/// The same without the indexes.
final class PlainPlace: PersistentModel {
  static let entity = Entity(PlainPlace.self, name: "Place", properties: Place.attributes)
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(_ name: String?) {
    _storage = ObjectStorage(PlainPlace.entity)
    self.name = name
  }

  var name: String? {
    get { _storage.get(0) }
    set {
      _storage.set(0, newValue)
      _storage.set(1, newValue)
    }
  }

  struct Fields: FieldSet {
    typealias Model = PlainPlace
    init(_ path: FieldPath) {}
  }

  struct Snapshot: Sendable {}
  var snapshot: Snapshot { Snapshot() }
}
