import RepriseLocales
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels

/// One name twice: with indexes in the orders of locales, and without any.
final class Place: TestModel {
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

  @Stored(0) var name: String?
  @Stored(1) var copy: String?
  @Stored(2) var zone: Int
  @Stored(3) var code: String?

  struct Fields: FieldSet {
    typealias Model = Place
    let path: FieldPath
    init(_ path: FieldPath) { self.path = path }
    var name: Field<Place, String> { Field(path.appending("name")) }
    var copy: Field<Place, String> { Field(path.appending("copy")) }
    var zone: Field<Place, Int> { Field(path.appending("zone")) }
    var code: Field<Place, String> { Field(path.appending("code")) }
  }
}

/// The same without the indexes.
final class PlainPlace: TestModel {
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
}
