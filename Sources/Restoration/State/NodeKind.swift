/// A kind of node: a permanent name in archives, bound in code to a type of state and a type of screen.
///
/// Archives contain the names of kinds, never the names of Swift types. An archive can therefore only make a program
/// build the screens that the program defines.
public struct NodeKind<State: Codable & Sendable, Screen: AnyObject>: Sendable {
  /// The name in archives.
  public let name: String
  let versions: StateVersions
  let title: (@Sendable (State) -> String?)?

  /// Makes a kind with this name.
  ///
  /// If you rename a kind, its nodes in existing archives are not restored.
  ///
  /// - Parameters:
  ///   - version: The version of the states, counting up from 1. A state with a higher version comes from a later
  ///     program. It is left unchanged, and the report says ``RestorationReport/Outcome/unresolved(_:)`` for its node.
  ///   - migrations: The steps from lower versions to this one, in ascending order. You need none if the type decodes
  ///     the older states, for example because a new property is optional.
  ///   - title: The title of a node with this state, such as the name of its document. Lists of recoverable work show
  ///     it when the node has no screen.
  public init(
    _ name: String, version: Int = 1, migrations: [StateMigration] = [],
    title: (@Sendable (State) -> String?)? = nil
  ) {
    self.name = name
    self.title = title
    versions = StateVersions(current: version, migrations: migrations)
  }
}
