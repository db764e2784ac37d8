import RepriseCore
import RepriseTestModels

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

final class Album: TestModel {
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

  @Stored(0) var title: String
  @Stored(1) var year: Int
  @Stored(2) var medium: Medium
  @Stored(3) var isLive: Bool
  @Stored(4) var rating: Double?
  @Stored(5) var size: UInt64
  @Stored(6) var cover: [UInt8]?
  @Stored(7) var bought: Moment?
  @Stored(8) var code: UniqueID
  @Stored(9) var plays: Int
  @Stored(10) var tags: Set<String>
  @Stored(11) var notes: String?
  @Linked(12) var artist: Artist?

  struct Fields: FieldSet {
    typealias Model = Album
    let path: FieldPath
    init(_ path: FieldPath) { self.path = path }
    var title: Field<Album, String> { Field(path.appending("title")) }
    var year: Field<Album, Int> { Field(path.appending("year")) }
    var code: Field<Album, UniqueID> { Field(path.appending("code")) }
    var notes: Field<Album, String> { Field(path.appending("notes")) }
    var artist: ToOneField<Album, Artist> { ToOneField(path.appending("artist")) }
  }
}

final class Artist: TestModel {
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

  @Stored(0) var name: String
  var albums: ToMany<Album> { ToMany(1, of: self) }
  @Linked(2) var teacher: Artist?
  var pupils: ToMany<Artist> { ToMany(3, of: self) }
  @Linked(4) var biography: Biography?

  struct Fields: FieldSet {
    typealias Model = Artist
    let path: FieldPath
    init(_ path: FieldPath) { self.path = path }
    var name: Field<Artist, String> { Field(path.appending("name")) }
    var teacher: ToOneField<Artist, Artist> { ToOneField(path.appending("teacher")) }
  }
}

final class Biography: TestModel {
  static let entity = Entity(
    Biography.self, name: "Biography",
    properties: [.attribute("text", String.self), .toOne("artist", Artist.self)])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init(_ text: String) {
    _storage = ObjectStorage(Biography.entity)
    self.text = text
  }

  @Stored(0) var text: String
  @Linked(1) var artist: Artist?
}
