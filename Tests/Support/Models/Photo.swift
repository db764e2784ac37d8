import RepriseObjectModel
import RepriseQuery

/// A model with large values, written by hand.
package final class Photo: TestModel {
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

  @Stored(0) package var name: String
  @Stored(1) package var original: Blob
  @Stored(2) package var thumbnail: Blob?

  package struct Fields: FieldSet {
    package typealias Model = Photo
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
    package var name: Field<Photo, String> { Field(path.appending("name")) }
    package var original: Field<Photo, Blob> { Field(path.appending("original")) }
    package var thumbnail: Field<Photo, Blob> { Field(path.appending("thumbnail")) }
  }
}
