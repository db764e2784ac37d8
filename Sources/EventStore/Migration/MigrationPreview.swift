import RepriseLog
import RepriseObjectModel

/// What a plan would do to a store, found by carrying out its conversions without writing.
public struct MigrationPreview: Hashable, Sendable {
  /// The version of the store.
  public let version: Int
  /// What would be done, in order. Of several conversions of one attribute only the first can be tried.
  public let conversions: [Conversion]
  /// The entities that would be split and merged, in order. What a migration before makes cannot be tried.
  public let mappings: [Mapping]
  /// The objects for which the store would be refused, because a mapping would give them, or another object, unique
  /// values that one has already: the first ten of each index. Of a plan with several migrations of objects, and of
  /// derived attributes, nothing can be said.
  public let violations: [RuleViolation]
  /// What would be taken away for good.
  public let removals: [Removal]
  /// The steps of the plan that would find nothing: of what the store never had, or has not any more. Of a store that
  /// has all that the program ever had, there should be none.
  public let unmatchedSteps: [UnmatchedStep]
  /// What would have another name, besides.
  public let renames: [Rename]
  /// What the models have and the store does not, by entity in the order of the models.
  public let additions: [Addition]
  /// The derived attributes that would be computed for objects that are there, as they are new, have another version,
  /// or derive from what would be converted.
  public let derivations: [Derivation]
  /// The indexes that would be built over objects, by entity.
  public let indexes: [Index]
  /// What the store would have and no model names: a property that was renamed without `was:` is among them, beside
  /// one in ``additions``. With `isStrict` the opening would be refused for it.
  public let warnings: [SchemaWarning]
  /// What may have been renamed without `was:`, also what a mapping leaves behind. The opening would be refused for it,
  /// unless it does not check renames.
  public let possibleRenames: [PossibleRename]
  /// The attributes with stored values that their types in the models cannot hold. Their getters would give the
  /// default, and the objects be ``ObjectState/unreadable``.
  public let unreadable: [Unreadable]

  /// An entity or a property that the models call otherwise.
  public struct Rename: Hashable, Sendable {
    /// The entity's name in the models.
    public let entity: String
    /// The name of the attribute or relationship in the models; `nil` if it is the entity that has another one.
    public let property: String?
    /// The name in the store.
    public let former: String
  }

  /// An entity or a property that is new to the store.
  public struct Addition: Hashable, Sendable {
    /// The entity's name in the models.
    public let entity: String
    /// The name of the attribute or relationship; `nil` if the entity is new, with all that it has.
    public let property: String?
  }

  /// An attribute whose type cannot hold some of the stored values.
  public struct Unreadable: Hashable, Sendable {
    /// The entity's name in the models.
    public let entity: String
    /// The attribute's name in the models.
    public let property: String
    /// The name of its type in the models.
    public let type: String
    /// How many objects have such a value.
    public let objects: Int
    /// The first ten of these values, with their objects.
    public let values: [InvalidValue]
  }

  /// A derived attribute.
  public struct Derivation: Hashable, Sendable {
    /// The entity's name in the models.
    public let entity: String
    /// The attribute's name in the models.
    public let property: String
    /// How many objects there are.
    public let objects: Int
  }

  /// An index that is new to the store, or whose rule is new or becomes stricter.
  public struct Index: Hashable, Sendable {
    /// The entity's name in the models.
    public let entity: String
    /// The names of its columns.
    public let properties: [String]
    /// Whether no two objects may have the same values.
    public let isUnique: Bool
    /// Whether it is unique, and nil equals nil.
    public let nilsAreEqual: Bool
    /// How many objects there are.
    public let objects: Int
    /// The objects for which the store would be refused, as an earlier one has the same values: the first ten. Of
    /// columns that would be converted or computed first, nothing can be said.
    public let violations: [RuleViolation]
  }

  /// A step of a migration that finds nothing in the store.
  public struct UnmatchedStep: Hashable, Sendable {
    /// The migration's name.
    public let migration: String
    /// What it is about, as "Employee.salary" and "Cat to Pet".
    public let step: String
  }

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
