/// What happens when a local change and one of the server are about the same property of a row, or one of the two
/// deleted it. Changes to different properties are always merged.
@nonexhaustive
public enum RemoteConflictPolicy: Hashable, Sendable {
  /// The program decides: the local values stay on screen, and nothing more of this row is sent until then.
  case ask
  /// The local change wins, and is sent again, on top of what the server has; a row that the server deleted is made
  /// again.
  case mine
  /// The server's change wins.
  case theirs
}
