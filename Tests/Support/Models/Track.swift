import RepriseObjectModel
import RepriseQuery

/// One text twice: with indexes of several collations, and without any.
package final class Track: PersistentModel {
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

  package var title: String? {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  package var copy: String? {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  package var year: Int {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }

  package struct Fields: FieldSet {
    package typealias Model = Track
    package let title: Field<Track, String>
    package let copy: Field<Track, String>
    package let year: Field<Track, Int>

    package init(_ path: FieldPath) {
      title = Field(path.appending("title"))
      copy = Field(path.appending("copy"))
      year = Field(path.appending("year"))
    }
  }

  package struct Snapshot: Sendable {}
  package var snapshot: Snapshot { Snapshot() }
}

/// The same as it was before any of the indexes.
package final class PlainTrack: PersistentModel {
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

  package struct Fields: FieldSet {
    package typealias Model = PlainTrack
    package init(_ path: FieldPath) {}
  }

  package struct Snapshot: Sendable {}
  package var snapshot: Snapshot { Snapshot() }
}
