/// Encodes the members of a snapshot, for the `Codable` conformances that `@Model` writes, and for handwritten models.
///
/// The keys are the names of the properties, and "id". Properties that are `nil` are left out. An attribute is encoded
/// as its type if that is `Codable`. Otherwise its stored value is encoded. IDs are texts, such as
/// "Person/01890a5d-ac96-774b-bcce-b302099a8057".
public struct SnapshotEncoder {
  private var container: KeyedEncodingContainer<PropertyKey>

  /// Makes an encoder of snapshot members on top of a general encoder.
  public init(_ encoder: any Encoder) { container = encoder.container(keyedBy: PropertyKey.self) }

  /// Encodes the ID of the object. Throws the encoder's error.
  public mutating func id<Model: PersistentModel>(_ id: ObjectID<Model>) throws {
    try container.encode(id, forKey: .id)
  }

  /// Encodes an attribute, or nothing if it is `nil`. Throws the encoder's error.
  public mutating func attribute<Value: AttributeValue>(_ name: String, _ value: Value) throws {
    try container.encode(attribute: value, forKey: PropertyKey(name))
  }

  /// Encodes the ID of a to-one relationship's object, or nothing if it is `nil`. Throws the encoder's error.
  public mutating func reference<Target: PersistentModel>(_ name: String, _ id: ObjectID<Target>?) throws {
    try container.encodeIfPresent(id, forKey: PropertyKey(name))
  }
}

/// Decodes the members of a snapshot that ``SnapshotEncoder`` encoded.
public struct SnapshotDecoder {
  private let container: KeyedDecodingContainer<PropertyKey>

  /// Makes a decoder of snapshot members on top of a general decoder.
  ///
  /// - Throws: `DecodingError` if the data is not a keyed container.
  public init(_ decoder: any Decoder) throws { container = try decoder.container(keyedBy: PropertyKey.self) }

  /// Decodes the ID of the object.
  ///
  /// - Throws: `DecodingError` if the ID is missing, malformed, or of another model.
  public func id<Model: PersistentModel>() throws -> ObjectID<Model> {
    try container.decode(ObjectID<Model>.self, forKey: .id)
  }

  /// Decodes an attribute.
  ///
  /// If it is missing and optional, the result is `nil`.
  ///
  /// - Throws: `DecodingError` if the value is missing or has another type.
  public func attribute<Value: AttributeValue>(_ name: String) throws -> Value {
    try container.decode(attribute: Value.self, forKey: PropertyKey(name))
  }

  /// Decodes the ID of a to-one relationship's object; `nil` if it is missing.
  ///
  /// - Throws: `DecodingError` if the value is not an ID of the model.
  public func reference<Target: PersistentModel>(_ name: String) throws -> ObjectID<Target>? {
    try container.decodeIfPresent(ObjectID<Target>.self, forKey: PropertyKey(name))
  }
}
