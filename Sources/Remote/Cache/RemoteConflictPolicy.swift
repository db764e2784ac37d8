/// How a source resolves a conflict between a local change and a change of the server.
///
/// A conflict exists if both sides set a property of a row to different values, or if one side deleted the row. Changes
/// of different properties are always merged.
@nonexhaustive
public enum RemoteConflictPolicy: Hashable, Sendable {
  /// The program decides with `RemoteSource.resolve(_:_:)`.
  ///
  /// Until then, the object keeps the local values, and no change of this row is sent.
  case ask
  /// The local change wins, and is sent again on top of the server's values.
  ///
  /// A row that the server deleted is created again.
  case mine
  /// The server's change wins.
  case theirs
}
