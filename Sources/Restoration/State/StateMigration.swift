/// A step that converts states of one version to the next.
///
/// A kind lists its migrations in ascending order. A state goes through every migration above its own version, once
/// each. When its screen is made, the migrated state is written back, so the next launch migrates nothing. A version
/// needs no migration if the type decodes the states of the version before it.
public struct StateMigration: Sendable {
  let version: Int
  /// Migrates a state. `nil` if the step gives the states up.
  let migrate: (@Sendable (inout StateValue) throws -> Void)?

  /// Makes a step to this version.
  ///
  /// A state of a lower version passes all migrations to higher versions, in ascending order. So `migrate` receives the
  /// state after the migration to the next lower version, or the stored state if no such migration applies.
  ///
  /// If `migrate` throws, the node is not restored, and the report has the error. The stored state stays unchanged,
  /// byte for byte, for a program that can migrate it.
  public init(to version: Int, _ migrate: @escaping @Sendable (inout StateValue) throws -> Void) {
    self.version = version
    self.migrate = migrate
  }

  /// Makes a step that decodes the old type and encodes the new one.
  ///
  /// If `migrate`, or the coding of either type, throws, the node is not restored, and its stored state stays
  /// unchanged.
  public init<Old: Decodable & SendableMetatype, New: Encodable & SendableMetatype>(
    to version: Int, from old: Old.Type, _ migrate: @escaping @Sendable (Old) throws -> New
  ) {
    self.init(to: version) { state in state = try StateValue(encoding: migrate(state.decode(Old.self))) }
  }

  private init(givingUpBelow version: Int) {
    self.version = version
    migrate = nil
  }

  /// Makes a step that gives up states of versions below this one.
  ///
  /// Restore drops their nodes with all nodes below them, and ``RestorationReport/dropped`` lists them. If one of these
  /// nodes has uncommitted edits, restore keeps all of them. A registered object is made from its initial state, which
  /// replaces the archived one.
  public static func dropping(below version: Int) -> StateMigration { StateMigration(givingUpBelow: version) }
}

/// The version of a kind's states, and the migrations of older states to this version.
struct StateVersions: Sendable {
  var current = 1
  var migrations: [StateMigration] = []

  /// The error in the versions or migrations. `nil` if they are valid.
  var flaw: String? {
    if current < 1 { return "its version must be 1 or more" }
    var last = 1
    for migration in migrations {
      if migration.version <= last { return "its migrations must have ascending versions from 2 on" }
      if migration.version > current {
        return "it has version \(current), but a migration leads to the later version \(migration.version)"
      }
      last = migration.version
    }
    return nil
  }

  /// A state in the present version.
  func migrated(_ state: ArraySlice<UInt8>, from version: Int) throws(StateVersionError) -> ArraySlice<UInt8> {
    if version > current {
      throw .newer("its state has version \(version), and this program reads versions up to \(current)")
    }
    let due = migrations.filter { $0.version > version }
    if due.isEmpty { return state }
    if due.contains(where: { $0.migrate == nil }) {
      throw .givenUp("this program no longer reads states of version \(version)")
    }
    var step = version
    do {
      var value = try StateValue(bytes: state)
      for migration in due {
        step = migration.version
        try migration.migrate?(&value)
      }
      return try value.encoded()[...]
    } catch {
      throw .failed("its state could not be migrated from version \(version) to \(step): \(error)")
    }
  }
}

/// Why a state of another version was not taken up.
enum StateVersionError: Error, Equatable {
  case newer(String)
  case failed(String)
  case givenUp(String)

  var reason: String {
    switch self {
    case .newer(let reason), .failed(let reason), .givenUp(let reason): reason
    }
  }
}
