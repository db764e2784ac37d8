import RepriseObjectModel

/// What leads a store to a version of a program's models, from the version before.
///
/// New attributes, entities and indexes need no migration, and renames are declared with `was:`. A migration is for
/// what is stored otherwise, an attribute of another type, and for what is taken away for good.
public struct Migration: Sendable {
  /// The version that it leads to.
  public let version: Int
  /// Its name in the log, in errors, and for ``MigrationProgress``.
  public let name: String
  let conversions: [AttributeConversion]
  let removals: [Removal]

  /// A migration to a version.
  ///
  /// - Parameters:
  ///   - conversions: The attributes that are converted, one after the other.
  ///   - removals: What the models have given up, taken away once the conversions have begun.
  public init(
    to version: Int, _ name: String, _ conversions: AttributeConversion..., removing removals: [Removal] = []
  ) {
    self.version = version
    self.name = name
    self.conversions = conversions
    self.removals = removals
  }
}

/// The migrations of a program, from the first version to the present one.
///
/// The store records its version. Opened with a plan, it is led through the migrations that it has not had, in their
/// order; a new store has the last version at once. Keep migrations in the plan as long as there may be stores that
/// have not had them.
public struct MigrationPlan: Sendable {
  /// In ascending order of their versions.
  public let migrations: [Migration]
  /// The oldest version of the program that may go on with a store of the last one.
  public let oldestVersion: Int

  /// A plan.
  ///
  /// - Parameter oldestVersion: The oldest version of the program that may go on with a migrated store; version 0 are
  ///   programs without a plan. Left out, it is the last version, so that older programs are refused with
  ///   `MigrationError.outdatedProgram`, also those that are running. Those that go on must not use what is converted:
  ///   whoever has an attribute with another type is refused. A conversion to the same type cannot be noticed.
  public init(_ migrations: Migration..., oldestVersion: Int? = nil) {
    self.init(migrations, oldestVersion: oldestVersion)
  }

  /// A plan of migrations that are listed elsewhere.
  ///
  /// - Parameter oldestVersion: The oldest version of the program that may go on, as of a plan that lists them itself.
  public init(_ migrations: [Migration], oldestVersion: Int? = nil) {
    self.migrations = migrations
    self.oldestVersion = oldestVersion ?? migrations.last?.version ?? 0
  }

  /// The version of the program: that of the last migration.
  public var version: Int { migrations.last?.version ?? 0 }

  func check() throws(StoreError) {
    let versions = migrations.map(\.version)
    let ascend = zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 }
    guard ascend, versions.allSatisfy({ (1..<1 << 31).contains($0) }), (0...version).contains(oldestVersion) else {
      throw .migration(.versionsOutOfOrder(versions))
    }
  }
}

/// How far a migration is.
public struct MigrationProgress: Hashable, Sendable {
  /// The migration's name.
  public let migration: String
  /// The version that it leads to.
  public let version: Int
  /// The entity whose objects are being converted.
  public let entity: String
  /// The attribute.
  public let property: String
  /// How many objects of the entity are done.
  public let done: Int
  /// How many there are.
  public let total: Int
}

/// What a plan would do to a store, found by carrying out its conversions without writing.
public struct MigrationPreview: Hashable, Sendable {
  /// The version of the store.
  public let version: Int
  /// What would be done, in order. Of several conversions of one attribute only the first can be tried.
  public let conversions: [Conversion]
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
}
