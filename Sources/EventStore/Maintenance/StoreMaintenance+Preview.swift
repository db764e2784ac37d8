import RepriseLog
import RepriseObjectModel
import RepriseSystem

extension StoreMaintenance {
  /// Tries a migration plan on a store, and returns the effects and problems that opening it would have. Writes
  /// nothing.
  ///
  /// ```swift
  /// print(try await StoreMaintenance.preview(plan, of: path, for: Schema(Item.self, Folder.self)))
  /// ```
  ///
  /// The preview tries each removal, mapping and conversion on all objects, and lists the objects that make it fail or
  /// would break a unique rule. It also lists the changes that the models make without the plan: new names, new and
  /// computed properties, and new indexes. For a unique index, it lists the objects that break it. Finally, it lists
  /// stored properties that no model would name, and values that the types of the models cannot hold.
  ///
  /// Reads each object that would change or that a unique index would contain. It also reads objects of a model with an
  /// attribute whose type may not hold every stored value, such as an enum. Takes 10 to 20 bytes of memory for each
  /// object in a unique index. Mappings are tried twice more for each unique index over the objects that they make or
  /// change.
  ///
  /// - Parameters:
  ///   - plan: The migrations to try.
  ///   - path: The directory of a store that is not open in this process.
  ///   - schema: The models after the migrations.
  /// - Throws: ``StoreError``: the store is open in this process, cannot be opened, or does not fit the plan; or the
  ///   models contradict each other.
  public static func preview(
    _ plan: MigrationPlan, of path: String, for schema: Schema
  ) async throws -> MigrationPreview {
    let models = try ResolvedSchema(schema, migratedBy: plan)
    return try await SystemThread.run { () throws(StoreError) in
      try plan.check()
      return try StoreRegistry.whileClosed(path) { (access) throws(StoreError) in
        let environment = try StoreOpener.environment(path, access, checksStructure: false)
        defer { environment.close() }
        return try Migrator(MigratedStore(path: path, environment: environment, models: models), plan).preview()
      }
    }
  }
}

extension Migrator {
  fileprivate func preview() throws(StoreError) -> MigrationPreview {
    let schema = try schema()
    var conversions: [MigrationPreview.Conversion] = []
    var tried: Set<[String]> = []
    var removals: [Removal] = []
    // The names at the beginning of each migration.
    var renamed = schema
    for migration in plan.migrations where migration.version > schema.version {
      renamed.carryOut(migration.renames, in: models)
      removals += migration.removals.filter { renamed.has($0, in: models) }
      for conversion in migration.conversions {
        // A later conversion of the same attribute converts values that do not exist yet.
        guard tried.insert([conversion.entity, conversion.property]).inserted,
          let target = try target(of: conversion, in: migration, renamed)
        else { continue }
        conversions.append(
          MigrationPreview.Conversion(
            migration: migration.name, entity: target.entity.name, property: target.property.name,
            objects: try count(of: target.entity),
            failures: try failures(of: conversion, target, in: migration, limit: 10)))
      }
    }
    let outcome = try outcome(of: plan.migrations.filter { $0.version > schema.version }, schema)
    let changes = try self.changes(outcome)
    return MigrationPreview(
      version: Int(schema.version), conversions: conversions, mappings: try mappings(schema),
      violations: try mappedDuplicates(outcome, limit: 10), removals: removals, unmatchedSteps: outcome.unmatchedSteps,
      renames: changes.renames,
      additions: changes.additions, derivations: try derivations(outcome), indexes: changes.indexes,
      warnings: outcome.schema.warnings(for: outcome.models),
      possibleRenames: outcome.possibleRenames, unreadable: try unreadable(outcome))
  }

  /// The stored values that the types of the models cannot hold, except values that a conversion or a mapping makes.
  private func unreadable(_ outcome: MigrationOutcome) throws(StoreError) -> [MigrationPreview.Unreadable] {
    let match = SchemaMatch(outcome.models, outcome.schema)
    var found: [MigrationPreview.Unreadable] = []
    for (place, entity) in outcome.models.entities.enumerated() where !entity.isLink {
      guard let known = match.stored(place, outcome.schema), let now = outcome.before.entity(number: known.number)
      else {
        continue
      }
      for (slot, property) in entity.properties.enumerated() {
        guard let attribute = property.attribute, let there = match.property(place, slot),
          let stored = now.property(number: known.properties[there].number),
          !attribute.readsEveryValue || stored.isOptional && !attribute.isOptional
        else { continue }
        var (count, values): (Int, [InvalidValue]) = (0, [])
        try forEachRecord(of: now) { (uuid, record) throws(MalformedBytes) in
          let value = try Self.value(stored, in: record)
          if attribute.reads(value) { return true }
          count += 1
          if values.count < 10 {
            let id = AnyObjectID(EntityName(entity.name), uuid)
            values.append(
              InvalidValue(
                object: id, property: property.name, value: value, reason: value.isNull ? .missing : .outOfRange,
                type: attribute.type))
          }
          return true
        }
        if count == 0 { continue }
        found.append(
          .init(
            entity: entity.name, property: property.name, type: "\(attribute.type)", objects: count, values: values))
      }
    }
    return found
  }

  private func derivations(_ outcome: MigrationOutcome) throws(StoreError) -> [MigrationPreview.Derivation] {
    var derivations: [MigrationPreview.Derivation] = []
    for underived in outcome.underived {
      guard let stored = outcome.schema.entity(named: underived.entity.name) else { continue }
      let objects = try count(of: stored)
      for slot in underived.slots {
        let property = underived.entity.properties[slot].name
        derivations.append(.init(entity: stored.name, property: property, objects: objects))
      }
    }
    return derivations
  }

  private func mappings(_ schema: StoredSchema) throws(StoreError) -> [MigrationPreview.Mapping] {
    var mappings: [MigrationPreview.Mapping] = []
    var isFirst = true
    var renamed = schema
    for migration in plan.migrations where migration.version > schema.version {
      renamed.carryOut(migration.renames, in: models)
      for (place, mapping) in migration.mappings.enumerated() {
        let source = renamed.entity(everNamed: mapping.source, in: models)
        mappings.append(
          MigrationPreview.Mapping(
            migration: migration.name, mapping: "\(mapping)", objects: try source.map(count) ?? 0,
            failures: isFirst ? try failures(of: place, in: migration, renamed, limit: 10) : []))
      }
      if !migration.conversions.isEmpty || !migration.mappings.isEmpty { isFirst = false }
    }
    return mappings
  }
}
