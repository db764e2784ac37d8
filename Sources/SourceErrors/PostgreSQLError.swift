import RepriseEventStore

/// Why a PostgreSQL database could not be read: the error of `LoadState.failed`.
@nonexhaustive
public enum PostgreSQLError: RepriseError, Hashable {
  /// There is no connection: no server, no such database, or no right to it, as libpq says it.
  case notConnected(message: String)
  /// The connection was lost.
  case connectionLost(message: String)
  /// The server refused the query; `state` is its SQLSTATE, such as `42P01` for a missing table.
  case failed(state: String, message: String)
  /// The answer has no such column.
  case noColumn(String)

  /// What happened, where, and what to do next.
  public var description: String {
    switch self {
    case .notConnected(let message): "PostgreSQL cannot be reached: \(message) It is tried again."
    case .connectionLost(let message): "The connection to PostgreSQL was lost: \(message) It is made anew."
    case .failed(let state, let message): "PostgreSQL refused the query: \(message) (\(state)). It is tried again."
    case .noColumn(let column): "The answer of PostgreSQL has no column '\(column)': name another one as the key."
    }
  }
}
