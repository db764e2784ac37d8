import RepriseEventStore

/// Why a ``QuerySource`` cannot show an answer that it received.
@nonexhaustive
public enum QueryError: RepriseError, Hashable {
  /// Two rows have the same identifier.
  case identifierTwice(prefix: String)

  /// What happened, where, and what to do next.
  public var description: String {
    switch self {
    case .identifierTwice(let prefix):
      "Two rows of '\(prefix)' have the same key, so that nothing tells them apart: choose columns that do."
    }
  }
}
