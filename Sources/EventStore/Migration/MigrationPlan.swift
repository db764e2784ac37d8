import RepriseLMDB
import RepriseLog
import RepriseObjectModel

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
  /// Whether opening a store waits while another process migrates it, and reports how far that is. Otherwise it throws
  /// `MigrationError.inProgress`.
  public let waitsForOthers: Bool
  /// Migrates a store. Opening one refers to plans and not to `Migrator`, so programs without a plan do not link that.
  let migrate: @Sendable (MigrationPlan, MigratedStore) throws(StoreError) -> Void

  /// A plan.
  ///
  /// - Parameters:
  ///   - oldestVersion: The oldest version of the program that may go on with a migrated store; version 0 are programs
  ///     without a plan. Left out, it is the last version, so that older programs are refused with
  ///     `MigrationError.outdatedProgram`, also those that are running. Those that go on must not use what is converted
  ///     or gone: whoever has an attribute with another type is refused. A conversion to the same type cannot be
  ///     noticed.
  ///   - waitsForOthers: Whether to wait while another process migrates the store. If that ends before the migration
  ///     does, this one goes on with it.
  public init(_ migrations: Migration..., oldestVersion: Int? = nil, waitsForOthers: Bool = false) {
    self.init(migrations, oldestVersion: oldestVersion, waitsForOthers: waitsForOthers)
  }

  /// A plan of migrations that are listed elsewhere.
  ///
  /// - Parameters:
  ///   - oldestVersion: The oldest version of the program that may go on, as of a plan that lists them itself.
  ///   - waitsForOthers: Whether to wait while another process migrates the store.
  public init(_ migrations: [Migration], oldestVersion: Int? = nil, waitsForOthers: Bool = false) {
    self.waitsForOthers = waitsForOthers
    self.migrations = migrations
    self.oldestVersion = oldestVersion ?? migrations.last?.version ?? 0
    migrate = { (plan, store) throws(StoreError) in try Migrator(store, plan).migrate() }
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

/// A store that a plan is to lead to the form of a program's models.
struct MigratedStore {
  let path: String
  let environment: Environment
  let models: ResolvedSchema
  var run = OpeningRun()
  /// How long to wait for another process that shows no sign of life, in milliseconds.
  var writerTimeout = 30_000
  /// Whether the opening would be refused for what no model names.
  var isStrict = false
  /// Whether the opening would be refused for what may be a rename that the models do not declare.
  var checksRenames = true
  /// Carries out the whole opening on a copy of the store, and throws what it would be refused for.
  var rehearse: () throws(StoreError) -> Void = {}
}
