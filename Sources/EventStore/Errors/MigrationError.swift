import RepriseObjectModel

/// Why a migration did not begin or did not end. Unless a case says otherwise, the store is as it was.
public enum MigrationError: Hashable, Sendable {
  /// A value could not be converted: which migration, of which object, which property, and why. Found before anything
  /// is written, also if others saved it a moment ago.
  case value(PropertyValue, of: AnyObjectID, property: String, migration: String, reason: String)
  /// The migration converts an attribute from a kind that the store's is not of.
  case typeMismatch(entity: String, property: String, stored: String, expected: String, migration: String)
  /// A mapping does not fit the store or the models: what it is about, which migration, and why.
  case cannotMap(String, migration: String, reason: String)
  /// An object cannot be mapped: of which mapping and migration, and why. Found before anything is written, like a
  /// value that cannot be converted.
  case object(AnyObjectID, mapping: String, migration: String, reason: String)
  /// A step of a migration is about something that neither the store nor the models have or had under that name: what,
  /// which migration, and what in the store may be meant.
  case unknownName(String, migration: String, candidates: [String])
  /// The last migration of a plan takes something away that the models declare.
  case stillDeclared(String, migration: String)
  /// The versions of a plan do not ascend from 1 on.
  case versionsOutOfOrder([Int])
  /// Another process is migrating the store, or this one is: `process`, if the system tells. Wait, and open it again,
  /// or let the plan wait.
  case inProgress(path: String, process: Int32?)
  /// The task that opened the store was cancelled. What is migrated, computed or built stays so, and the next opening
  /// goes on from there.
  case cancelled(path: String)
  /// The store was migrated to a version with which programs older than `oldest` must not go on.
  case outdatedProgram(version: Int, oldest: Int, stored: Int)
  /// A migration of the store has begun, and this program has no plan to go on with it.
  case unfinished(version: Int)
}

extension MigrationError: CustomStringConvertible {
  /// What happened, where, and what to do next.
  public var description: String {
    switch self {
    case .value(let value, let object, let property, let migration, let reason):
      "The migration '\(migration)' cannot convert \(value), which is \(object).\(property): \(reason). Let the "
        + "conversion give a value for it; or, unless the migration has begun, mend the object with the version of the "
        + "program before."
    case .typeMismatch(let entity, let property, let stored, let expected, let migration):
      "The migration '\(migration)' converts \(entity).\(property) from \(expected), and the store has it as "
        + "\(stored). Correct the migration."
    case .cannotMap(let subject, let migration, let reason):
      "The migration '\(migration)' cannot map \(subject): \(reason). Correct the migration or the models."
    case .object(let object, let mapping, let migration, let reason):
      "The migration '\(migration)' cannot map \(object) (\(mapping)): \(reason). Let the mapping provide for it; or, "
        + "unless the migration has begun, mend the object with the version of the program before."
    case .unknownName(let name, let migration, let candidates):
      "The migration '\(migration)' is about \(name), which neither the store nor the models have or had. The store "
        + "has \(candidates.prefix(5).joined(separator: ", "))\(candidates.count > 5 ? ", …" : ""). Correct the name. "
        + "If one of these was renamed to it, list the rename in the migration (`renaming:`). If it came after the "
        + "version of this store and is gone again, let the plan remove it, and what else no model names."
    case .stillDeclared(let name, let migration):
      "The migration '\(migration)' takes \(name) away, and the models declare it. Leave it out of one of them."
    case .versionsOutOfOrder(let versions):
      "A plan has migrations to the versions \(versions.map(String.init).joined(separator: ", ")): give them ascending "
        + "ones, from 1 on."
    case .inProgress(let path, let process):
      "\(path) is being migrated by \(process.map { "process \($0)" } ?? "another process"). Wait, and open it again; "
        + "or open it with a plan that has `waitsForOthers: true`."
    case .cancelled(let path): "The opening of \(path) was cancelled. Open it again, and it goes on where it was."
    case .outdatedProgram(let version, let oldest, let stored):
      "The store was migrated to version \(stored), with which programs of version \(oldest) or later can go on, and "
        + "this one is of version \(version). Update it."
    case .unfinished(let version):
      "A migration of the store to version \(version) has not ended. Open it with the plan that it belongs to."
    }
  }
}
