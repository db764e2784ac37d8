import RepriseObjectModel

/// The reason why a migration did not begin, did not end, or excludes this program. ``StoreError/migration(_:)`` has
/// it.
///
/// Openings throw it. Unless a case says otherwise, the store is unchanged.
@nonexhaustive
public enum MigrationError: Equatable, Sendable {
  /// A value could not be converted. The case names the value, the object, the property, the migration and the reason.
  ///
  /// Openings throw it before anything is written, even if another process saved the value a moment ago. Let the
  /// conversion give a value for it. Or change the object with the previous version of the program, if that version can
  /// still open the store.
  case value(PropertyValue, of: AnyObjectID, property: String, migration: String, reason: String)
  /// The migration converts an attribute from another type than the store has.
  ///
  /// Openings throw it. Correct the migration.
  case typeMismatch(entity: String, property: String, stored: String, expected: String, migration: String)
  /// A mapping does not fit the store or the models. The case names its subject, the migration and the reason.
  ///
  /// Openings throw it. Correct the migration or the models.
  case cannotMap(String, migration: String, reason: String)
  /// An object cannot be mapped. The case names the object, the mapping, the migration and the reason.
  ///
  /// Openings throw it before anything is written. Let the mapping handle the object. Or change the object with the
  /// previous version of the program, if that version can still open the store.
  case object(AnyObjectID, mapping: String, migration: String, reason: String)
  /// A step of a migration names an entity or a property that neither the store nor the models know, even as a former
  /// name. The case has the name, the migration, and the names in the store that the step may mean.
  ///
  /// Openings throw it. Correct the name, or list a rename in the migration.
  case unknownName(String, migration: String, candidates: [String])
  /// The last migration of a plan removes a property or an index that the models declare.
  ///
  /// Openings throw it. Take the removal out of the migration, or the declaration out of the models.
  case stillDeclared(String, migration: String)
  /// The versions of a plan do not ascend from 1, or its `oldestVersion` is above the last one.
  ///
  /// Openings throw it. Correct the plan.
  case versionsOutOfOrder([Int])
  /// Another process is migrating the store, or this one is. `process` is its ID, if the system reports it.
  ///
  /// Openings throw it. Wait, and open the store again, or set `waitsForOthers` in the plan.
  case inProgress(path: String, process: Int32?)
  /// The task that opened the store was cancelled. Finished steps stay.
  ///
  /// Openings throw it. Open the store again, which continues with the next step.
  case cancelled(path: String)
  /// The store was migrated to a version that excludes programs older than `oldest`.
  ///
  /// Openings throw it, and so do reads and saves if another process migrated the store meanwhile. Update the program.
  case outdatedProgram(version: Int, oldest: Int, stored: Int)
  /// A migration of the store has begun, and this program has no plan to continue it.
  ///
  /// Openings throw it. `version` is the version that the migration leads to. Open the store with the plan that
  /// contains this migration.
  case unfinished(version: Int)
}

extension MigrationError: CustomStringConvertible {
  /// The failure with its place, its cause, and the next step.
  public var description: String {
    switch self {
    case .value(let value, let object, let property, let migration, let reason):
      "The migration '\(migration)' cannot convert \(value), the value of \(object).\(property): \(reason). Let the "
        + "conversion's closure return a new value for this one. Or change the object with the previous version of the "
        + "program, if that version can still open the store."
    case .typeMismatch(let entity, let property, let stored, let expected, let migration):
      "The migration '\(migration)' converts \(entity).\(property) from \(expected), but the store has it as "
        + "\(stored). Give the `AttributeConversion` the stored type (`from:`), or remove it from the migration."
    case .cannotMap(let subject, let migration, let reason):
      "The migration '\(migration)' cannot map \(subject): \(reason). Correct the migration or the models."
    case .object(let object, let mapping, let migration, let reason):
      "The migration '\(migration)' cannot map \(object) (\(mapping)): \(reason). Change the mapping's condition "
        + "(`where:`) or values (`setting:`) for this object. Or change the object with the previous version of the "
        + "program, if that version can still open the store."
    case .unknownName(let name, let migration, let candidates):
      "The migration '\(migration)' names \(name), which is not a present or former name in the store or the models. "
        + "The store has \(candidates.prefix(5).joined(separator: ", "))\(candidates.count > 5 ? ", …" : ""). Correct "
        + "the name. If one of these was renamed to \(name), list the rename in the migration (`renaming:`). If later "
        + "versions of the program added \(name) and removed it again, let the plan remove everything that no model "
        + "names."
    case .stillDeclared(let name, let migration):
      "The migration '\(migration)' removes \(name), but the models declare \(name). Leave it out of the migration or "
        + "of the models."
    case .versionsOutOfOrder(let versions):
      "The plan has migrations to the versions \(versions.map(String.init).joined(separator: ", ")). Give them "
        + "ascending versions from 1 on, and give the plan an `oldestVersion` that is not above the last one."
    case .inProgress(let path, let process):
      "\(path) is being migrated by \(process.map { "process \($0)" } ?? "another process"). Wait, then open the store "
        + "again, or open it with a plan that has `waitsForOthers: true`."
    case .cancelled(let path):
      "The opening of \(path) was cancelled. Open the store again. If a migration has begun, the opening continues it "
        + "with its next step."
    case .outdatedProgram(let version, let oldest, let stored):
      "The store was migrated to version \(stored), which needs programs of version \(oldest) or later, and this one "
        + "has version \(version). Update the program."
    case .unfinished(let version):
      "A migration of the store to version \(version) has begun, and this program has no plan for it. Open the store "
        + "with the plan that has this migration."
    }
  }
}
