import RepriseCore

// The models of the store in Data, as they were when it was made. They never change: what later models make of it is
// for tests with models of their own.

enum Medium: String, AttributeValue, CaseIterable {
  case vinyl, tape, disc
}

/// A value of the kind that `Date` is stored as, which needs Foundation.
struct Moment: AttributeValue, Hashable {
  var seconds: Double
  static var attributeKind: AttributeKind { .date }
  var propertyValue: PropertyValue { .date(seconds) }
  static func from(_ value: PropertyValue) -> Moment? {
    if case .date(let it) = value { Moment(seconds: it) } else { nil }
  }
}

final class Album: PersistentModel {
  static let entity = Entity(
    Album.self, name: "Album",
    properties: [
      .attribute("title", String.self, indexed: true),
      .attribute("year", Int.self, indexed: true),
      .attribute("medium", Medium.self, default: .vinyl),
      .attribute("isLive", Bool.self),
      .attribute("rating", Double?.self),
      .attribute("size", UInt64.self),
      .attribute("cover", [UInt8]?.self),
      .attribute("bought", Moment?.self),
      .attribute("code", UniqueID.self),
      .attribute("plays", Int.self, merge: .counter),
      .attribute("tags", Set<String>.self, merge: .set),
      .attribute("notes", String?.self),
      .toOne("artist", Artist.self, inverse: "albums"),
      .searchIndex("notes"),
      .index(["artist", "year"]),
      .index([IndexColumn("title", .ignoringCase)]),
      .unique(["code"]),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(_ title: String, year: Int, code: UInt64) {
    _storage = ObjectStorage(Album.entity)
    _storage.set(0, title)
    _storage.set(1, year)
    _storage.set(8, UniqueID(high: 1, low: code))
  }

  var title: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var year: Int {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  var medium: Medium {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }
  var isLive: Bool {
    get { _storage.get(3) }
    set { _storage.set(3, newValue) }
  }
  var rating: Double? {
    get { _storage.get(4) }
    set { _storage.set(4, newValue) }
  }
  var size: UInt64 {
    get { _storage.get(5) }
    set { _storage.set(5, newValue) }
  }
  var cover: [UInt8]? {
    get { _storage.get(6) }
    set { _storage.set(6, newValue) }
  }
  var bought: Moment? {
    get { _storage.get(7) }
    set { _storage.set(7, newValue) }
  }
  var code: UniqueID {
    get { _storage.get(8) }
    set { _storage.set(8, newValue) }
  }
  var plays: Int {
    get { _storage.get(9) }
    set { _storage.set(9, newValue) }
  }
  var tags: Set<String> {
    get { _storage.get(10) }
    set { _storage.set(10, newValue) }
  }
  var notes: String? {
    get { _storage.get(11) }
    set { _storage.set(11, newValue) }
  }
  var artist: Artist? {
    get { _storage.toOne(12) }
    set { _storage.setToOne(12, newValue, of: self) }
  }

  struct Fields: FieldSet {
    typealias Model = Album
    let title: Field<Album, String>
    let year: Field<Album, Int>
    let code: Field<Album, UniqueID>
    let notes: Field<Album, String>
    let artist: ToOneField<Album, Artist>
    init(_ path: FieldPath) {
      title = Field(path.appending("title"))
      year = Field(path.appending("year"))
      code = Field(path.appending("code"))
      notes = Field(path.appending("notes"))
      artist = ToOneField(path.appending("artist"))
    }
  }
  var snapshot: String { title }
}

final class Artist: PersistentModel {
  static let entity = Entity(
    Artist.self, name: "Artist",
    properties: [
      .attribute("name", String.self, indexed: true),
      .toMany("albums", Album.self, deleteRule: .cascade),
      .toOne("teacher", Artist.self, inverse: "pupils"),
      .toMany("pupils", Artist.self),
      .toOne("biography", Biography.self, inverse: "artist", deleteRule: .cascade),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init(_ name: String) {
    _storage = ObjectStorage(Artist.entity)
    self.name = name
  }

  var name: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var albums: ToMany<Album> { ToMany(1, of: self) }
  var teacher: Artist? {
    get { _storage.toOne(2) }
    set { _storage.setToOne(2, newValue, of: self) }
  }
  var pupils: ToMany<Artist> { ToMany(3, of: self) }
  var biography: Biography? {
    get { _storage.toOne(4) }
    set { _storage.setToOne(4, newValue, of: self) }
  }

  struct Fields: FieldSet {
    typealias Model = Artist
    let name: Field<Artist, String>
    let teacher: ToOneField<Artist, Artist>
    init(_ path: FieldPath) {
      name = Field(path.appending("name"))
      teacher = ToOneField(path.appending("teacher"))
    }
  }
  var snapshot: String { name }
}

final class Biography: PersistentModel {
  static let entity = Entity(
    Biography.self, name: "Biography",
    properties: [.attribute("text", String.self), .toOne("artist", Artist.self)])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init(_ text: String) {
    _storage = ObjectStorage(Biography.entity)
    self.text = text
  }

  var text: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var artist: Artist? {
    get { _storage.toOne(1) }
    set { _storage.setToOne(1, newValue, of: self) }
  }

  struct Fields: FieldSet {
    typealias Model = Biography
    init(_ path: FieldPath) {}
  }
  var snapshot: String { text }
}
