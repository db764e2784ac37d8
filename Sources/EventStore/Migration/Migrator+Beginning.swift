import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension Migrator {
  /// Writes the schema transactions of a migration, and the state from which its slices continue. Does nothing if the
  /// schema has changed since the values were tried, or if the log no longer has the saves since.
  ///
  /// - Parameter tried: The position up to which values were tried. Values saved after it are tried now. From here on,
  ///   no process saves a value that cannot be converted.
  ///
  /// - Returns: Whether it has begun.
  func begin(_ migration: Migration, of revision: UInt32, triedAt tried: Position) throws(StoreError) -> Bool {
    try environment.write(unless: isCancelled) { (transaction) throws(StoreError) in
      let stored = try StoreError.converting { () throws(StorageError) in try meta.schema(transaction.view) }
      guard stored.revision == revision else { return false }
      var schema = stored
      schema.carryOut(migration.renames, in: models)
      if schema != stored { schema.revision += 1 }
      let renamed = schema
      // Saves since then may be dropped already. Then the values are tried again.
      let first = try StoreError.converting { () throws(StorageError) in try meta.firstPosition(transaction.view) }
      guard first <= tried + 1 else { return false }
      let changed = try StoreError.converting { () throws(StorageError) in
        try LogTable(tables.log).objectsChanged(after: tried, transaction.view)
      }
      var state = MigrationState(version: UInt32(migration.version))
      for (place, conversion) in migration.conversions.enumerated() {
        guard let target = try target(of: conversion, in: migration, schema) else { continue }
        for uuid in changed[target.entity.number] ?? [] {
          let failure = try StoreError.converting { () throws(StorageError) in
            try self.failure(of: conversion, target, uuid, in: migration, transaction.view)
          }
          if let failure { throw .migration(failure) }
        }
        let (new, obsolete) = schema.replace(target.property, of: target.entity, by: conversion.new)
        state.obsoleteIndexes += obsolete
        state.running.append(
          .init(conversion: place, entity: target.entity.number, old: target.property.number, new: new))
      }
      for removal in migration.removals { state.obsoleteIndexes += schema.remove(removal, in: models) }
      let arrangement = try self.arrangement(of: migration, schema, obsolete: state.obsoleteIndexes, transaction.view)
      try tryMappings(arrangement, changed, transaction.view)
      schema = arrangement.schema
      state.works = arrangement.works
      state.obsoleteIndexes += arrangement.obsoleteIndexes
      schema.version = state.version
      schema.oldestVersion = UInt32(plan.oldestVersion)
      schema.revision += 1
      try StoreError.converting { () throws(StorageError) in
        var appender = try appender(SchemaMap(models, StoredSchema()), transaction.view)
        // A separate transaction, so that the log has the last name of converted and removed properties.
        if renamed.revision != revision { try appender.append(renamed, transaction) }
        try appender.append(schema, transaction)
        try appender.finish(transaction)
        if !state.isEmpty { try meta.put(state, transaction) }
      }
      return true
    }
  }

  /// The reason why the value of one object cannot be converted. `nil` if it can, or if there is no such object.
  private func failure(
    of conversion: AttributeConversion, _ target: Target, _ uuid: UniqueID, in migration: Migration, _ view: View
  ) throws(StorageError) -> MigrationError? {
    var failure: MigrationError?
    try ObjectTable(tables).scanRecords(target.entity.number, target.entity.name, from: uuid, view) {
      (found, record) throws(MalformedBytes) in
      guard found == uuid else { return false }
      let value = try Self.value(target.property, in: record)
      if case .failure(let error) = Self.converted(value, conversion) {
        failure = Self.failure(value, uuid, target, migration, "\(error)")
      }
      return false
    }
    return failure
  }

  func appender(_ map: SchemaMap, _ view: View) throws(StorageError) -> TransactionAppender {
    try TransactionAppender(tables, logID: logID, map: map, view)
  }
}

extension StoredSchema {
  /// Retires an attribute and the indexes over it, and gives its name to a new attribute. Returns the number of the new
  /// one, and the indexes that are obsolete.
  mutating func replace(
    _ property: StoredProperty, of entity: StoredEntity, by new: Property
  ) -> (number: UInt32, obsoleteIndexes: [UInt32]) {
    let number = (entities.flatMap(\.properties).map(\.number).max() ?? 0) + 1
    guard let place = entities.firstIndex(where: { $0.number == entity.number }), let attribute = new.attribute else {
      return (number, [])
    }
    let obsolete = retire([property.number], of: entity.number)
    entities[place].properties.append(
      StoredProperty(
        number: number, name: property.name, role: .attribute(attribute.kind, isOptional: attribute.isOptional),
        defaultValue: attribute.defaultValue))
    return (number, obsolete)
  }
}
