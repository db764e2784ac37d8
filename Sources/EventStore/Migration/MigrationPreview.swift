import RepriseLog
import RepriseObjectModel

/// The effects of a migration plan on a store, found without writing.
///
/// ``StoreMaintenance/preview(_:of:for:)`` returns it. An opening with the plan throws if ``violations``,
/// ``possibleRenames``, or the `failures` or `violations` of an entry are not empty.
public struct MigrationPreview: Equatable, Sendable {
  /// The version of the store before the plan.
  public let version: Int
  /// The conversions, in order. If an attribute is converted several times, only the first conversion can be tried.
  public let conversions: [Conversion]
  /// The mappings, in order. A mapping of objects that an earlier step makes cannot be tried.
  public let mappings: [Mapping]
  /// The objects that would make the opening fail, because a mapping would give two objects the same unique
  /// values: the first ten of each index.
  ///
  /// Can be non-empty only if exactly one migration of the plan has conversions or mappings, and that migration has
  /// mappings. Indexes over derived attributes are left out.
  public let violations: [RuleViolation]
  /// The removals that the plan would carry out.
  public let removals: [Removal]
  /// The steps of the plan that would find nothing, because the store never had the data or no longer has it. A store
  /// that had all data of all versions has no such steps.
  public let unmatchedSteps: [UnmatchedStep]
  /// The entities and properties that would have another name, by `was:` in the models or by a ``Rename`` of the plan.
  public let renames: [Rename]
  /// The entities and properties that the models have and the store does not, in the order of the models.
  public let additions: [Addition]
  /// The derived attributes that would be computed for existing objects, because they are new, have another version, or
  /// derive from converted attributes.
  public let derivations: [Derivation]
  /// The indexes that would be built over existing objects, by entity.
  public let indexes: [Index]
  /// The entities, properties and indexes that the store would still have, although no model declares them. If a
  /// property was renamed without `was:`, its old name is here, and its new name is in ``additions``. If this is not
  /// empty, an opening with `isStrict` throws.
  public let warnings: [SchemaWarning]
  /// The properties that may have been renamed without `was:`, including properties that a mapping leaves behind. If
  /// this is not empty, the opening throws, unless `checksRenames` is false.
  public let possibleRenames: [PossibleRename]
  /// The attributes with stored values that their types in the models cannot hold. Their getters would return the
  /// default, and the objects would be ``ObjectState/unreadable``.
  public let unreadable: [Unreadable]

  /// An entity or a property with another name in the models.
  public struct Rename: Equatable, Sendable {
    /// The entity's name in the models.
    public let entity: String
    /// The name of the attribute or relationship in the models; `nil` if the entity itself has another name.
    public let property: String?
    /// The name in the store.
    public let former: String
  }

  /// An entity or a property that is new to the store.
  public struct Addition: Equatable, Sendable {
    /// The entity's name in the models.
    public let entity: String
    /// The name of the attribute or relationship; `nil` if the whole entity is new.
    public let property: String?
  }

  /// An attribute whose type cannot hold some of the stored values.
  public struct Unreadable: Equatable, Sendable {
    /// The entity's name in the models.
    public let entity: String
    /// The attribute's name in the models.
    public let property: String
    /// The name of its type in the models.
    public let type: String
    /// The number of objects with such a value.
    public let objects: Int
    /// The first ten of these values, with their objects.
    public let values: [InvalidValue]
  }

  /// A derived attribute that would be computed.
  public struct Derivation: Equatable, Sendable {
    /// The entity's name in the models.
    public let entity: String
    /// The attribute's name in the models.
    public let property: String
    /// The number of objects of the entity.
    public let objects: Int
  }

  /// An index that is new to the store, or whose rule is new or becomes stricter.
  public struct Index: Equatable, Sendable {
    /// The entity's name in the models.
    public let entity: String
    /// The names of the index's columns.
    public let properties: [String]
    /// Whether two objects must not have the same values.
    public let isUnique: Bool
    /// Whether two values of `nil` count as equal in the unique index. False if the index is not unique.
    public let nilsAreEqual: Bool
    /// The number of objects of the entity.
    public let objects: Int
    /// The objects that would make the opening fail, because an earlier object has the same values: the first
    /// ten. Empty if columns would be converted or computed first, because this cannot be tried.
    public let violations: [RuleViolation]
  }

  /// A step of a migration that finds nothing in the store.
  public struct UnmatchedStep: Equatable, Sendable {
    /// The migration's name.
    public let migration: String
    /// The subject of the step, for example "Employee.salary" or "Cat to Pet".
    public let step: String
  }

  /// A conversion of one attribute.
  public struct Conversion: Equatable, Sendable {
    /// The migration's name.
    public let migration: String
    /// The entity's name in the store.
    public let entity: String
    /// The attribute's name in the store.
    public let property: String
    /// The number of objects of the entity.
    public let objects: Int
    /// The values that cannot be converted: the first ten.
    public let failures: [MigrationError]
  }

  /// A mapping of objects.
  public struct Mapping: Equatable, Sendable {
    /// The migration's name.
    public let migration: String
    /// The mapping as text, for example "Cat to Pet".
    public let mapping: String
    /// The number of objects of the source, whether they meet the condition or not.
    public let objects: Int
    /// The objects that cannot be mapped: the first ten.
    public let failures: [MigrationError]
  }
}
