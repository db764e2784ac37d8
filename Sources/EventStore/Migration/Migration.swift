import RepriseObjectModel

/// What leads a store to a version of a program's models, from the version before.
///
/// New attributes, entities and indexes need no migration, and renames are declared with `was:`. A migration is for
/// what is stored otherwise, an attribute of another type or objects of another entity, and for what is taken away for
/// good. If a step uses a name that an older store does not have yet, list the rename in its migration: see ``Rename``.
public struct Migration: Sendable {
  /// The version that it leads to.
  public let version: Int
  /// Its name in the log, in errors, and for ``MigrationProgress``.
  public let name: String
  let renames: [Rename]
  let conversions: [AttributeConversion]
  let mappings: [EntityMapping]
  let removals: [Removal]

  /// A migration to a version.
  ///
  /// - Parameters:
  ///   - conversions: The attributes that are converted, one after the other.
  ///   - renames: The names that became others before this version, oldest first. They are carried out before the other
  ///     steps, in stores that still have the former names.
  ///   - mappings: The entities that are split and merged. An entity with a conversion as well needs a version for
  ///     each.
  ///   - removals: What the models have given up, taken away once the conversions have begun.
  public init(
    to version: Int, _ name: String, _ conversions: AttributeConversion..., renaming renames: [Rename] = [],
    mapping mappings: [EntityMapping] = [], removing removals: [Removal] = []
  ) {
    self.version = version
    self.name = name
    self.renames = renames
    self.conversions = conversions
    self.mappings = mappings
    self.removals = removals
  }
}
