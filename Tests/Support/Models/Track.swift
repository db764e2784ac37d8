import RepriseObjectModel
import RepriseQuery

/// One text twice: with indexes of several collations, and without any.
package final class Track: TestModel {
  package static let plain: Collation = [.ignoringCase, .ignoringDiacritics]
  package static let numbered: Collation = [.ignoringCase, .ignoringDiacritics, .natural]

  package static let entity = Entity(Track.self, name: "Track", properties: attributes + indexes)
  fileprivate static let attributes: [Property] = [
    .attribute("title", String?.self), .attribute("copy", String?.self), .attribute("year", Int.self, indexed: true),
  ]
  fileprivate static let indexes: [Property] = [
    .index([IndexColumn("title", plain)]), .index([IndexColumn("title", numbered)]),
    .index([IndexColumn("title", .natural)]),
  ]

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(_ title: String?, year: Int = 0) {
    _storage = ObjectStorage(Track.entity)
    self.title = title
    self.copy = title
    self.year = year
  }

  @Stored(0) package var title: String?
  @Stored(1) package var copy: String?
  @Stored(2) package var year: Int

  package struct Fields: FieldSet {
    package typealias Model = Track
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
    package var title: Field<Track, String> { Field(path.appending("title")) }
    package var copy: Field<Track, String> { Field(path.appending("copy")) }
    package var year: Field<Track, Int> { Field(path.appending("year")) }
  }
}

/// The same as it was before any of the indexes.
package final class PlainTrack: TestModel {
  package static let entity = Entity(PlainTrack.self, name: "Track", properties: Track.attributes)
  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(_ title: String?) {
    _storage = ObjectStorage(PlainTrack.entity)
    self.title = title
    _storage.set(1, title)
  }

  package var title: String? {
    get { _storage.get(0) }
    set {
      _storage.set(0, newValue)
      _storage.set(1, newValue)
    }
  }
}
