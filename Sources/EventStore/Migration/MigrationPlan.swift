import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The migrations of a program, from the first version to the present one.
///
/// ```swift
/// let plan = MigrationPlan(
///   Migration(
///     to: 1, "Salaries are numbers",
///     AttributeConversion("salary", of: "Employee", from: String.self, to: Int.self) { Int($0) ?? 0 }))
/// let store = try await Store.open(path, for: Employee.self, migrations: plan)
/// ```
///
/// A store records its version. Opening it with a plan runs the pending migrations in order. A new store gets the last
/// version at once. Keep migrations in the plan as long as stores of earlier versions may exist.
public struct MigrationPlan: Sendable {
  /// The migrations in ascending order of their versions.
  public let migrations: [Migration]
  /// The oldest version of the program that may use a store of the last version.
  public let oldestVersion: Int
  /// Whether opening a store waits while another process migrates it, and reports its progress. If false, it throws
  /// `StoreError.migration(.inProgress)`.
  public let waitsForOthers: Bool
  /// Migrates a store. Opening a store refers to this closure and not to `Migrator`, so programs without a plan do not
  /// link `Migrator`.
  let migrate: @Sendable (MigrationPlan, MigratedStore) throws(StoreError) -> Void

  /// Makes a plan from a list of migrations.
  ///
  /// - Parameters:
  ///   - migrations: The migrations in ascending order of their versions.
  ///   - oldestVersion: The oldest version of the program that may use a migrated store. A program without a plan has
  ///     version 0. By default, it is the last version of the plan. Openings by older programs then throw
  ///     `StoreError.migration(.outdatedProgram)`, and so do reads and saves of older programs that are running. If you
  ///     allow older programs, they must not use converted or removed attributes. The library refuses a program that
  ///     declares an attribute with another type, but it cannot notice a conversion to the same type.
  ///   - waitsForOthers: Whether to wait while another process migrates the store. If that process ends before the
  ///     migration does, this one continues it.
  public init(_ migrations: Migration..., oldestVersion: Int? = nil, waitsForOthers: Bool = false) {
    self.init(migrations, oldestVersion: oldestVersion, waitsForOthers: waitsForOthers)
  }

  /// Makes a plan from an array of migrations.
  ///
  /// - Parameters:
  ///   - migrations: The migrations in ascending order of their versions.
  ///   - oldestVersion: The oldest version of the program that may use a migrated store, by default the last version.
  ///   - waitsForOthers: Whether to wait while another process migrates the store.
  public init(_ migrations: [Migration], oldestVersion: Int? = nil, waitsForOthers: Bool = false) {
    self.waitsForOthers = waitsForOthers
    self.migrations = migrations
    self.oldestVersion = oldestVersion ?? migrations.last?.version ?? 0
    migrate = { (plan, store) throws(StoreError) in try Migrator(store, plan).migrate() }
  }

  /// The version of the program: the version of the last migration, or 0 without one.
  public var version: Int { migrations.last?.version ?? 0 }

  func check() throws(StoreError) {
    let versions = migrations.map(\.version)
    let ascend = zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 }
    guard ascend, versions.allSatisfy({ (1..<1 << 31).contains($0) }), (0...version).contains(oldestVersion) else {
      throw .migration(.versionsOutOfOrder(versions))
    }
  }
}

/// A store that a plan brings to the form of a program's models.
struct MigratedStore {
  let path: String
  let environment: Environment
  let models: ResolvedSchema
  var run = OpeningRun()
  /// The longest wait for another process that shows no sign of life, in milliseconds.
  var writerTimeout = 30_000
  /// Whether the opening would be refused because of properties that no model names.
  var isStrict = false
  /// Whether the opening would be refused because of possible renames that the models do not declare.
  var checksRenames = true
  /// Carries out the whole opening on a copy of the store, and throws the error of a failure.
  var rehearse: () throws(StoreError) -> Void = {}
}
