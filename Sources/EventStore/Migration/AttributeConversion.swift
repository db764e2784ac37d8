import RepriseLog
import RepriseObjectModel

/// The conversion of an attribute to another type: a step of a ``Migration``.
public struct AttributeConversion: Sendable {
  let entity: String
  let property: String
  let old: AttributeKind
  let new: Property
  let convert: @Sendable (PropertyValue) throws -> PropertyValue
  /// Whether the new value is a blob of the bytes of the old one.
  var makesBlobs = false

  /// Converts an attribute value by value.
  ///
  /// ```swift
  /// AttributeConversion("salary", of: "Employee", from: String.self, to: Int.self) { text in
  ///   guard let amount = Int(text) else { throw NotAnAmount(text) }
  ///   return amount
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - property: The attribute's name when the migration was written, or its name in the models.
  ///   - entity: The entity's name when the migration was written, or its name in the models.
  ///   - old: The type of the stored values.
  ///   - new: The type of the converted values.
  ///   - defaultValue: If a program whose models lack the attribute inserts an object later, the attribute has this
  ///     value. By default, it is `nil` for an optional, otherwise zero, false or empty.
  ///   - convert: Makes the new value. If it throws, the opening throws ``StoreError/migration(_:)`` with the reason,
  ///     and nothing is migrated. A thread of the library calls it twice for each object, the first time before
  ///     anything is written.
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

  /// Converts an attribute that holds bytes or a text to an attribute of type `Blob`. The blob has the same bytes,
  /// stored apart from the object. An optional attribute stays optional.
  ///
  /// The transactions that convert the objects store the blobs. Equal blobs are stored once. The log keeps the former
  /// bytes until retention deletes their transactions.
  ///
  /// ```swift
  /// .blob("photo", of: "Employee", from: Data.self)
  /// ```
  ///
  /// - Parameters:
  ///   - property: The attribute's name when the migration was written, or its name in the models.
  ///   - entity: The entity's name when the migration was written, or its name in the models.
  ///   - old: The type of the stored values, which is stored as bytes or as a text.
  public static func blob<Old: AttributeValue>(
    _ property: String, of entity: String, from old: Old.Type
  ) -> AttributeConversion {
    AttributeConversion(
      entity: entity, property: property, old: Old.attributeKind,
      new: Old.isOptional ? .attribute(property, Blob?.self) : .attribute(property, Blob.self),
      convert: { value in
        if value.isNull { return .null }
        guard let bytes = value.blobContent else { throw NoBytes() }
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
    var description: String { "\(type), the type in the conversion's `from:`, cannot hold it. Use a type that can" }
  }

  private struct NoBytes: Error, CustomStringConvertible {
    let description =
      "`AttributeConversion.blob` converts only bytes and texts. Convert the attribute to bytes in a migration to an "
      + "earlier version"
  }
}

extension PropertyValue {
  /// The bytes for a blob. `nil` if the value is neither bytes nor a text.
  var blobContent: [UInt8]? {
    switch self {
    case .bytes(let bytes): bytes
    case .string(let text): Array(text.utf8)
    default: nil
    }
  }
}
