/// A kind of node: the stable name that stands in archives, bound in code to the types of its state and its screen.
///
/// Archives name kinds, never Swift types, so an archive cannot make a program build what the program does not offer.
public struct NodeKind<State: Codable & Sendable, Screen: AnyObject>: Sendable {
  /// What stands in archives.
  public let name: String
  let versions: StateVersions
  let title: (@Sendable (State) -> String?)?

  /// A kind with this name. Renaming it loses the nodes of the former name.
  ///
  /// - Parameters:
  ///   - version: Of the states, counting up from 1. A state of a higher one, written by a later program, is left as it
  ///     is: its node is reported as unresolved.
  ///   - migrations: What makes states of lower versions those of this one, in ascending order. Not needed where the
  ///     type reads them as they are, as with a property that is optional.
  ///   - title: What people call a node with a state, such as the name of its document: for lists of what can be
  ///     recovered, where there is no screen to ask.
  public init(
    _ name: String, version: Int = 1, migrations: [StateMigration] = [],
    title: (@Sendable (State) -> String?)? = nil
  ) {
    self.name = name
    self.title = title
    versions = StateVersions(current: version, migrations: migrations)
  }
}
