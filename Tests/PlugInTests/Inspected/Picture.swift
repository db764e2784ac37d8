import RepriseCore

/// A model with data: a short one in the object, and a long one in a blob.
public final class Picture: PersistentModel {
  public static let entity = Entity(
    Picture.self, name: "Picture",
    properties: [
      .attribute("name", String.self), .attribute("preview", [UInt8].self), .attribute("original", Blob.self),
    ])

  public let _storage: ObjectStorage
  public init(_storage: ObjectStorage) { self._storage = _storage }

  public init(_ name: String, preview: [UInt8], original: Blob) {
    _storage = ObjectStorage(Picture.entity)
    _storage.set(0, name)
    _storage.set(1, preview)
    _storage.set(2, original)
  }

  public struct Fields: FieldSet {
    public typealias Model = Picture
    public init(_ path: FieldPath) {}
  }

  public var snapshot: Picture.ID { id }
}
