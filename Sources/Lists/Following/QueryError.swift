import RepriseEventStore

/// The reason why a ``QuerySource`` cannot show an answer, or cannot run its query.
@nonexhaustive
public enum QueryError: RepriseError, Hashable {
  /// Two rows have the same identifier.
  case identifierTwice(prefix: String)
  /// The system has no more threads, and each source needs one.
  ///
  /// `refresh()` tries again.
  case noThread

  /// The failure, its place, and the next step.
  public var description: String {
    switch self {
    case .identifierTwice(let prefix):
      "Two rows of '\(prefix)' have the same key, so that nothing tells them apart: choose columns that do."
    case .noThread: "The system has no thread left on which the query could be asked. Refresh the source later."
    }
  }
}
