import RepriseObjectModel

// Once a migration has begun, programs of before are kept out of the store. So whatever would keep this program out
// behind it is found before.

extension Migrator {
  /// Throws what the opening would be refused for when these migrations are carried out. What cannot be told before is
  /// whether a unique index holds over what they convert or map.
  ///
  /// - Parameter searchesDuplicates: Whether to read the objects of each index that is to be unique.
  func requireOpening(
    after migrations: [Migration], _ stored: StoredSchema, searchesDuplicates: Bool
  ) throws(StoreError) {
    for migration in migrations { try checkRemovals(of: migration) }
    let outcome = try outcome(of: migrations, stored)
    try outcome.after.requireKnownLocales()
    if isStrict {
      let warnings = outcome.schema.warnings(for: outcome.models)
      if !warnings.isEmpty { throw .notInModels(warnings) }
    }
    if !searchesDuplicates { return }
    var violations: [RuleViolation] = []
    for (entity, property) in outcome.reconciliation.newUniqueIndexes {
      guard let unique = outcome.unchangedIndex(property, of: entity) else { continue }
      violations += try duplicates(by: unique, of: entity, limit: 10)
    }
    if !violations.isEmpty { throw .violations(violations) }
  }

  /// A later version may have something of that name again.
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
  /// The program maintains all indexes, those that its models lack as well, so it must know their orders.
  func requireKnownLocales() throws(StoreError) {
    for entity in entities {
      for property in entity.properties {
        guard let unknown = property.localeCollations.first(where: { !$0.isKnown }) else { continue }
        throw .schema(.unknownLocale(entity: entity.name, index: property.name, locale: unknown.locale.string))
      }
    }
  }
}
