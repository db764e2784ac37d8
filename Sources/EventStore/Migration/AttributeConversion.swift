import RepriseLog
import RepriseObjectModel

/// An attribute that becomes one of another type: how its values are made of those that are stored.
public struct AttributeConversion: Sendable {
  let entity: String
  let property: String
  let old: AttributeKind
  let new: Property
  let convert: @Sendable (PropertyValue) throws -> PropertyValue
  /// Whether the new value is a blob of the bytes of the old one.
  var makesBlobs = false

  /// Converts an attribute, value by value.
  ///
  /// ```swift
  /// AttributeConversion("salary", of: "Employee", from: String.self, to: Int.self) { text in
  ///   guard let amount = Int(text) else { throw NotAnAmount(text) }
  ///   return amount
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - property: The attribute's name when the migration was written, or in the models.
  ///   - entity: The entity's name, likewise.
  ///   - defaultValue: What objects have that are stored without the attribute later; left out, it is `nil` for an
  ///     optional, else zero, false or empty.
  ///   - convert: Makes the new value. What it throws ends the migration, as ``MigrationError``. Called on a thread of
  ///     the library, twice for each object: once before anything is written.
  public init<Old: AttributeValue, New: AttributeValue>(
    _ property: String, of entity: String, from old: Old.Type, to new: New.Type, default defaultValue: New? = nil,
    _ convert: @escaping @Sendable (Old) throws -> New
  ) {
    self.entity = entity
    self.property = property
    self.old = Old.attributeKind
    self.new = .attribute(property, New.self, default: defaultValue)
    self.convert = { value in
      guard let old = Old.from(value) else { throw NotOfType(type: "\(Old.self)") }
      return try convert(old).propertyValue
    }
  }

  /// Converts an attribute that holds bytes, or a text, into one of blobs: the same bytes, beside the objects. An
  /// optional becomes an optional.
  ///
  /// They are brought in by the transactions that convert the objects; equal ones are stored once. The log has the
  /// bytes of before for good.
  ///
  /// ```swift
  /// .blob("photo", of: "Employee", from: Data.self)
  /// ```
  ///
  /// - Parameters:
  ///   - property: The attribute's name when the migration was written, or in the models.
  ///   - entity: The entity's name, likewise.
  ///   - old: A type that is stored as bytes or as a text.
  public static func blob<Old: AttributeValue>(
    _ property: String, of entity: String, from old: Old.Type
  ) -> AttributeConversion {
    AttributeConversion(
      entity: entity, property: property, old: Old.attributeKind,
      new: Old.isOptional ? .attribute(property, Blob?.self) : .attribute(property, Blob.self),
      convert: { value in
        if value.isNull { return .null }
        guard let bytes = value.blobContent else { throw NotOfType(type: "\(Old.self) of bytes") }
        if bytes.isEmpty { return .blob(.empty) }
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update($0) }
        return .blob(Blob(hash.finish(), byteCount: bytes.count))
      }, makesBlobs: true)
  }

  private init(
    entity: String, property: String, old: AttributeKind, new: Property,
    convert: @escaping @Sendable (PropertyValue) throws -> PropertyValue, makesBlobs: Bool
  ) {
    self.entity = entity
    self.property = property
    self.old = old
    self.new = new
    self.convert = convert
    self.makesBlobs = makesBlobs
  }

  private struct NotOfType: Error, CustomStringConvertible {
    let type: String
    var description: String { "it is no \(type)" }
  }
}

extension PropertyValue {
  /// The bytes that become a blob; `nil` if there are none of the kind.
  var blobContent: [UInt8]? {
    switch self {
    case .bytes(let bytes): bytes
    case .string(let text): Array(text.utf8)
    default: nil
    }
  }
}
