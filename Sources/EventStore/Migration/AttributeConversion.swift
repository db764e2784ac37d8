import RepriseObjectModel

/// An attribute that becomes one of another type: how its values are made of those that are stored.
public struct AttributeConversion: Sendable {
  let entity: String
  let property: String
  let old: AttributeKind
  let new: Property
  let convert: @Sendable (PropertyValue) throws -> PropertyValue

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

  private struct NotOfType: Error, CustomStringConvertible {
    let type: String
    var description: String { "it is no \(type)" }
  }
}
