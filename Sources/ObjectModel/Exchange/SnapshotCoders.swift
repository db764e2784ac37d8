/// Writes the members of a snapshot. For the conformances to `Codable` that `@Model` writes, and those of models by
/// hand.
///
/// The keys are the names of the properties, and "id". Nil is left out. Attributes have the form of their type if that
/// is `Codable`, else that of what is stored; IDs are texts, as in "Person/01890a5d-ac96-774b-bcce-b302099a8057".
public struct SnapshotEncoder {
  private var container: KeyedEncodingContainer<PropertyKey>

  /// Writes to an encoder.
  public init(_ encoder: any Encoder) { container = encoder.container(keyedBy: PropertyKey.self) }

  /// Writes the ID of the object.
  public mutating func id<Model: PersistentModel>(_ id: ObjectID<Model>) throws {
    try container.encode(id, forKey: .id)
  }

  /// Writes an attribute.
  public mutating func attribute<Value: AttributeValue>(_ name: String, _ value: Value) throws {
    try container.encode(attribute: value, forKey: PropertyKey(name))
  }

  /// Writes the object at the end of a to-one.
  public mutating func reference<Target: PersistentModel>(_ name: String, _ id: ObjectID<Target>?) throws {
    try container.encodeIfPresent(id, forKey: PropertyKey(name))
  }
}

/// Reads the members of a snapshot that ``SnapshotEncoder`` wrote.
public struct SnapshotDecoder {
  private let container: KeyedDecodingContainer<PropertyKey>

  /// Reads from a decoder.
  ///
  /// - Throws: `DecodingError`: there are no keys with values.
  public init(_ decoder: any Decoder) throws { container = try decoder.container(keyedBy: PropertyKey.self) }

  /// The ID of the object.
  ///
  /// - Throws: `DecodingError`.
  public func id<Model: PersistentModel>() throws -> ObjectID<Model> {
    try container.decode(ObjectID<Model>.self, forKey: .id)
  }

  /// The value of an attribute. A missing one is nil, if the attribute is optional.
  ///
  /// - Throws: `DecodingError`: it is missing, or of another type.
  public func attribute<Value: AttributeValue>(_ name: String) throws -> Value {
    try container.decode(attribute: Value.self, forKey: PropertyKey(name))
  }

  /// The object at the end of a to-one.
  ///
  /// - Throws: `DecodingError`: it is not an ID of the model.
  public func reference<Target: PersistentModel>(_ name: String) throws -> ObjectID<Target>? {
    try container.decodeIfPresent(ObjectID<Target>.self, forKey: PropertyKey(name))
  }
}
