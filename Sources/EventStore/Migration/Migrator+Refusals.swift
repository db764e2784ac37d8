import RepriseLog
import RepriseObjectModel

// After a migration has begun, previous versions of the program cannot open the store. So every reason to refuse this
// program afterwards must be found before.

extension Migrator {
  /// Throws the error that the opening would throw after these migrations, as far as the present schema and
  /// objects show it. A rehearsal finds the rest.
  ///
  /// - Parameter searchesDuplicates: Whether to read the objects of each index that will be unique.
  func requireOpening(
    after migrations: [Migration], _ stored: StoredSchema, searchesDuplicates: Bool
  ) throws(StoreError) -> MigrationOutcome {
    for migration in migrations { try checkRemovals(of: migration) }
    let outcome = try outcome(of: migrations, stored)
    try outcome.after.requireKnownLocales()
    if isStrict {
      let warnings = outcome.schema.warnings(for: outcome.models)
      if !warnings.isEmpty { throw .notInModels(warnings) }
    }
    if checksRenames, !outcome.possibleRenames.isEmpty { throw .possibleRenames(outcome.possibleRenames) }
    if !searchesDuplicates { return outcome }
    var violations: [RuleViolation] = []
    for (entity, property) in outcome.reconciliation.newUniqueIndexes {
      guard let unique = outcome.unchangedIndex(property, of: entity) else { continue }
      violations += try duplicates(by: unique, of: entity, limit: 10)
    }
    if !violations.isEmpty { throw .violations(violations) }
    return outcome
  }

  /// Whether something can still be refused after the first migration has begun: a later step, which reads objects that
  /// an earlier one makes, or a unique index over objects that the migrations make.
  func needsRehearsal(_ migrations: [Migration], _ outcome: MigrationOutcome) -> Bool {
    if migrations.dropFirst().contains(where: { !$0.conversions.isEmpty || !$0.mappings.isEmpty }) { return true }
    let mapped = outcome.mapped.lazy.compactMap { outcome.after.entity(number: $0) }
    if mapped.contains(where: { $0.properties.contains { $0.index != nil && $0.role.uniqueness > .none } }) {
      return true
    }
    return outcome.reconciliation.newUniqueIndexes.contains { entity, property in
      let hasObjects = outcome.mapped.contains(entity.number) || outcome.before.entity(number: entity.number) != nil
      return hasObjects && outcome.unchangedIndex(property, of: entity) == nil
    }
  }

  /// Throws if the models still declare the subject of a removal. Tested only for the last version, because the models
  /// of a later version may have a property of that name again.
  private func checkRemovals(of migration: Migration) throws(StoreError) {
    guard migration.version == plan.version else { return }
    for removal in migration.removals {
      let model = models.entities.first { $0.isEverNamed(removal.entity) }
      if model?.declares(removal.subject) == true {
        throw .migration(.stillDeclared("\(removal)", migration: migration.name))
      }
    }
  }
}

extension StoredSchema {
  /// Throws if an index has a locale whose order this program does not know. The program maintains all indexes,
  /// including indexes that its models lack.
  package func requireKnownLocales() throws(StoreError) {
    for entity in entities {
      for property in entity.properties {
        guard let unknown = property.localeCollations.first(where: { !$0.isKnown }) else { continue }
        throw .schema(.unknownLocale(entity: entity.name, index: property.name, locale: unknown.locale.string))
      }
    }
  }
}
