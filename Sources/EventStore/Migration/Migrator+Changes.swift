import RepriseLMDB
import RepriseObjectModel

// What the models change in a store without a migration, behind those of the plan.

extension Migrator {
  typealias Changes = (
    renames: [MigrationPreview.Rename], additions: [MigrationPreview.Addition], indexes: [MigrationPreview.Index]
  )

  func changes() throws(StoreError) -> Changes {
    let stored = try schema()
    let after = try schema(after: plan.migrations.filter { $0.version > stored.version }, stored)
    let models = try models.following(after)
    let reconciliation = try SchemaReconciliation(models, after)
    var renames: [MigrationPreview.Rename] = []
    for entity in reconciliation.schema.entities where !reconciliation.schema.isLink(entity) {
      guard let before = after.entity(number: entity.number), !entity.name.isEmpty else { continue }
      if before.name != entity.name { renames.append(.init(entity: entity.name, property: nil, former: before.name)) }
      for property in entity.properties where !property.name.isEmpty && !property.role.isIndex {
        guard let former = before.property(number: property.number)?.name, former != property.name else { continue }
        renames.append(.init(entity: entity.name, property: property.name, former: former))
      }
    }
    var additions = reconciliation.newEntities.filter { !reconciliation.schema.isLink($0) }
      .map { MigrationPreview.Addition(entity: $0.name, property: nil) }
    var indexes: [MigrationPreview.Index] = []
    for (entity, property) in reconciliation.newProperties {
      if !property.role.isIndex, after.entity(number: entity.number)?.property(number: property.number) == nil,
        models.byName[EntityName(entity.name)]?.property(named: property.name) != nil
      {
        additions.append(.init(entity: entity.name, property: property.name))
      }
      if property.index != nil, property.role.end == nil { indexes.append(try index(property, of: entity, stored)) }
    }
    for (entity, property) in reconciliation.newUniqueIndexes
    where !reconciliation.newProperties.contains(where: { $0.property.number == property.number }) {
      indexes.append(try index(property, of: entity, stored))
    }
    return (renames, additions, indexes)
  }

  /// The schema as the migrations would leave it.
  private func schema(
    after migrations: [Migration], _ stored: StoredSchema
  ) throws(StoreError) -> StoredSchema {
    var schema = stored
    for migration in migrations {
      for conversion in migration.conversions {
        guard let target = try target(of: conversion, in: migration, schema) else { continue }
        _ = schema.replace(target.property, of: target.entity, by: conversion.new)
      }
      for removal in migration.removals { _ = schema.remove(removal, in: models) }
      let before = schema
      schema = try environment.read { (transaction) throws(StoreError) in
        try arrangement(of: migration, before, transaction.view).schema
      }
    }
    return schema
  }

  private func index(
    _ property: StoredProperty, of entity: StoredEntity, _ stored: StoredSchema
  ) throws(StoreError) -> MigrationPreview.Index {
    let index = StoredIndex(property, of: entity)
    let now = stored.entity(number: entity.number)
    let isThere = index?.columns.allSatisfy { now?.property(number: $0.number) != nil } ?? false
    var violations: [RuleViolation] = []
    if isThere, let unique = UniqueIndex(property, of: entity, slot: { _ in nil }) {
      violations = try duplicates(by: unique, of: entity, limit: 10)
    }
    return MigrationPreview.Index(
      entity: entity.name, properties: index?.columns.map(\.name) ?? [], isUnique: property.role.isUnique,
      objects: try count(of: entity), violations: violations)
  }

  /// The first objects that have the same values as an earlier one, by an index that does not exist. Reads all objects,
  /// and those of entities with duplicates twice; in memory it has a number for each object.
  private func duplicates(
    by unique: UniqueIndex, of entity: StoredEntity, limit: Int
  ) throws(StoreError) -> [RuleViolation] {
    var seen: Set<Int> = []
    var repeated: Set<Int> = []
    try forEachKey(of: unique, entity) { key, _, _ in
      if !seen.insert(key.hashValue).inserted { repeated.insert(key.hashValue) }
      return true
    }
    if repeated.isEmpty { return [] }
    seen = []
    var holders: [UniqueKey: UniqueID] = [:]
    var violations: [RuleViolation] = []
    let name = EntityName(entity.name)
    try forEachKey(of: unique, entity) { key, columns, uuid in
      guard repeated.contains(key.hashValue) else { return true }
      if let holder = holders[key] {
        violations.append(
          RuleViolation(
            object: AnyObjectID(name, uuid), properties: unique.properties, values: columns,
            rule: .unique(heldBy: AnyObjectID(name, holder))))
      } else {
        holders[key] = uuid
      }
      return violations.count < limit
    }
    return violations
  }

  private func forEachKey(
    of unique: UniqueIndex, _ entity: StoredEntity, _ body: (UniqueKey, [PropertyValue], UniqueID) -> Bool
  ) throws(StoreError) {
    var next: UniqueID? = .zero
    while let first = next {
      try checkCancellation()
      // A read transaction keeps pages from being reused: none is long.
      next = try read { (view) throws(StorageError) in
        var rest: UniqueID?
        var count = 0
        try ObjectTable(tables).scanRecords(entity.number, entity.name, from: first, view) {
          (uuid, record) throws(MalformedBytes) in
          if count == 50_000 {
            rest = uuid
            return false
          }
          count += 1
          let columns = try unique.index.values(in: record.fields)
          return unique.key(columns).map { body($0, columns, uuid) } ?? true
        }
        return rest
      }
    }
  }
}
