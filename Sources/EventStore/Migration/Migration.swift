import RepriseObjectModel

/// The step of a store from one version of a program's models to the next.
///
/// New attributes, entities and indexes need no migration. Declare renames with `was:`. Write a migration if stored
/// data changes its form: for example, if an attribute gets another type, or objects get another entity. Also write one
/// to remove an attribute, a relationship or an index. If a step uses a name that an older store does not have yet,
/// list the rename in the migration: see ``Rename``.
public struct Migration: Sendable {
  /// The version that the migration leads to.
  public let version: Int
  /// The name of the migration in the log, in errors, and in ``MigrationProgress``.
  public let name: String
  let renames: [Rename]
  let conversions: [AttributeConversion]
  let mappings: [EntityMapping]
  let removals: [Removal]

  /// Makes a migration.
  ///
  /// - Parameters:
  ///   - version: The version that the migration leads to.
  ///   - name: The name of the migration, for example "Salaries are numbers".
  ///   - conversions: The attributes to convert, in order.
  ///   - renames: The renames before this version, oldest first. They run before the other steps, in stores that still
  ///     have the former names.
  ///   - mappings: The entities to split and merge. If an entity needs a conversion and a mapping, give each its own
  ///     version.
  ///   - removals: The data to remove. It is removed in the commit that begins the migration.
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
