import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension Migrator {
  struct Target {
    let entity: StoredEntity
    let property: StoredProperty
  }

  /// The attribute that a conversion concerns in this schema. `nil` if there is none, or it has the new type already.
  func target(
    of conversion: AttributeConversion, in migration: Migration, _ schema: StoredSchema
  ) throws(StoreError) -> Target? {
    let match = SchemaMatch(models, schema)
    let known = models.entities.firstIndex { $0.isEverNamed(conversion.entity) }
    guard
      let entity = schema.entity(named: conversion.entity) ?? known.flatMap({ match.stored($0, schema) })
    else { return nil }
    let slot = known.flatMap { models.entities[$0].slot(everNamed: conversion.property) }
    let matched = known.flatMap { known in slot.flatMap { match.property(known, $0) } }
    guard let property = entity.property(named: conversion.property) ?? matched.map({ entity.properties[$0] }) else {
      return nil
    }
    guard case .attribute(let kind, _) = property.role, kind == conversion.old else {
      if case .attribute(let kind, _) = property.role, kind == conversion.new.attribute?.kind { return nil }
      throw .migration(
        .typeMismatch(
          entity: entity.name, property: property.name, stored: schema.text(of: property.role),
          expected: conversion.old.name,
          migration: migration.name))
    }
    return Target(entity: entity, property: property)
  }

  /// The first values that cannot be converted, found without writing.
  func failures(
    of conversion: AttributeConversion, _ target: Target, in migration: Migration, limit: Int
  ) throws(StoreError) -> [MigrationError] {
    var failures: [MigrationError] = []
    try forEachRecord(of: target.entity) { (uuid, record) throws(MalformedBytes) in
      let value = try Self.value(target.property, in: record)
      if case .failure(let error) = Self.converted(value, conversion) {
        failures.append(Self.failure(value, uuid, target, migration, "\(error)"))
      }
      return failures.count < limit
    }
    return failures
  }

  static func value(
    _ property: StoredProperty, in record: RecordReader
  ) throws(MalformedBytes) -> PropertyValue {
    guard let raw = try record.fields.raw(property.number) else { return property.defaultValue }
    var reader = ByteReader(raw)
    return try reader.scalar()
  }

  static func converted(
    _ value: PropertyValue, _ conversion: AttributeConversion
  ) -> Result<PropertyValue, any Error> {
    Result {
      let new = try conversion.convert(value)
      // The event of the change has both values.
      if value.byteCount + new.byteCount > ChunkedRows.maximumSize { throw TooLong() }
      return new
    }
  }

  private struct TooLong: Error, CustomStringConvertible {
    let description =
      "the old and the new value together take more than \(ChunkedRows.maximumSize) bytes, so the new value is too long"
  }

  static func failure(
    _ value: PropertyValue, _ uuid: UniqueID, _ target: Target, _ migration: Migration, _ reason: String
  ) -> MigrationError {
    .value(
      value, of: AnyObjectID(EntityName(target.entity.name), uuid), property: target.property.name,
      migration: migration.name, reason: reason)
  }
}
