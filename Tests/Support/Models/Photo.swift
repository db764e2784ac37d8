import RepriseObjectModel
import RepriseQuery

/// A model with large values, written by hand.
package final class Photo: PersistentModel {
  package static let entity = Entity(
    Photo.self, name: "Photo",
    properties: [
      .attribute("name", String.self),
      .attribute("original", Blob.self),
      .attribute("thumbnail", Blob?.self, indexed: true, rules: [.byteCount(1...100_000)]),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(name: String, original: Blob = .empty) {
    _storage = ObjectStorage(Photo.entity)
    self.name = name
    self.original = original
  }

  package var name: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  package var original: Blob {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  package var thumbnail: Blob? {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }

  package struct Fields: FieldSet {
    package typealias Model = Photo
    package let name: Field<Photo, String>
    package let original: Field<Photo, Blob>
    package let thumbnail: Field<Photo, Blob>

    package init(_ path: FieldPath) {
      name = Field(path.appending("name"))
      original = Field(path.appending("original"))
      thumbnail = Field(path.appending("thumbnail"))
    }
  }

  package struct Snapshot: Hashable, Sendable {
    package let id: Photo.ID
    package let name: String
    package let original: Blob
    package let thumbnail: Blob?
  }

  package var snapshot: Snapshot { Snapshot(id: id, name: name, original: original, thumbnail: thumbnail) }
}
