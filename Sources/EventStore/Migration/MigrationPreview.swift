/// What a plan would do to a store, found by carrying out its conversions without writing.
public struct MigrationPreview: Hashable, Sendable {
  /// The version of the store.
  public let version: Int
  /// What would be done, in order. Of several conversions of one attribute only the first can be tried.
  public let conversions: [Conversion]
  /// The entities that would be split and merged, in order. What a migration before makes cannot be tried.
  public let mappings: [Mapping]
  /// What would be taken away for good.
  public let removals: [Removal]

  /// A conversion of one attribute.
  public struct Conversion: Hashable, Sendable {
    /// The migration's name.
    public let migration: String
    /// The entity's name in the store.
    public let entity: String
    /// The attribute's name in the store.
    public let property: String
    /// How many objects have it.
    public let objects: Int
    /// The values that cannot be converted: the first ten.
    public let failures: [MigrationError]
  }

  /// A mapping of objects.
  public struct Mapping: Hashable, Sendable {
    /// The migration's name.
    public let migration: String
    /// What it does, as "Cat to Pet".
    public let mapping: String
    /// How many objects it is tried on: those of the source that meet the condition or not.
    public let objects: Int
    /// The objects that cannot be mapped: the first ten.
    public let failures: [MigrationError]
  }
}
