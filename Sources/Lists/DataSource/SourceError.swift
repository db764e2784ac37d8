import RepriseObjectModel

/// Why a data source cannot show its rows.
///
/// ``QuerySource``, its queries of SQLite and PostgreSQL, and `DirectorySource` fail with it. ``LoadState/failed(_:)``
/// has the error, and the source's calls `ready()`, `refresh()` and `loadMore()` throw it. The source keeps the rows
/// that it had, and tries again by itself. `source` is the path, the server, or the prefix of the query's identifiers.
@nonexhaustive
public enum SourceError: RepriseError, Equatable {
  /// The source does not exist, is locked, or does not answer now.
  ///
  /// For example, a file or table does not exist yet, or the server is down. Calls of the source throw it. Wait, or
  /// remove the cause that the reason names.
  case unavailable(source: String, reason: String)
  /// The program may not read the source.
  ///
  /// Calls of the source throw it. Give the program's user the right to read it.
  case denied(source: String, reason: String)
  /// The source does not have the tables, columns, keys or form that the query needs.
  ///
  /// For example, a column does not exist, the file is not a database, or two rows have the same key. Calls of the
  /// source throw it. Correct the query, or the source.
  case invalid(source: String, reason: String)
}

extension SourceError {
  /// The source and the reason.
  package var failure: (source: String, reason: String) {
    switch self {
    case .unavailable(let source, let reason), .denied(let source, let reason), .invalid(let source, let reason):
      (source, reason)
    }
  }
}

extension SourceError: CustomStringConvertible {
  /// The failure, its cause, and the next step.
  public var description: String {
    switch self {
    case .unavailable(let source, let reason):
      "The source '\(source)' is not available: \(reason). The library tries again. Wait, or remove this cause."
    case .denied(let source, let reason):
      "The program has no right to read the source '\(source)': \(reason). Give this right to the user "
        + "that runs the program."
    case .invalid(let source, let reason):
      "The source '\(source)' cannot be read as the query asks: \(reason). Correct the query or the source."
    }
  }
}
