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
