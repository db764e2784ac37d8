import RepriseEventStore

/// Why a database could not be read: the error of `LoadState.failed`.
@nonexhaustive
public enum SQLiteError: RepriseError, Hashable {
  /// There is no such file, or not any more.
  case notFound(path: String)
  /// The file is no database, or an encrypted one.
  case notADatabase(path: String)
  /// Another program had it locked for a second.
  case locked(path: String)
  /// Its content is damaged.
  case damaged(path: String, message: String)
  /// There is no such table.
  case noTable(path: String, table: String)
  /// A view has no primary key.
  case noKey(path: String, table: String)
  /// The answer, or the table, has no such column.
  case noColumn(path: String, column: String)
  /// The file, or one beside it, may not be read, or has to be written to before: after a crash, the other program must
  /// be started.
  case notReadable(path: String, message: String)
  /// SQLite refused the query, or failed otherwise.
  case failed(path: String, code: Int, message: String)

  /// What happened, where, and what to do next.
  public var description: String {
    switch self {
    case .notFound(let path): "There is no database at '\(path)'. It is looked for again."
    case .notADatabase(let path): "'\(path)' is no SQLite database, or an encrypted one: choose another file."
    case .locked(let path): "The database '\(path)' is locked by another program. It is read again."
    case .damaged(let path, let message):
      "The database '\(path)' is damaged: \(message). Have the program that writes it repair it."
    case .noTable(let path, let table): "The database '\(path)' has no table '\(table)'. It is looked for again."
    case .noKey(let path, let table):
      "'\(table)' in '\(path)' is a view, which has no primary key: make the query in SQL, with the columns of its key."
    case .noColumn(let path, let column): "The answer of '\(path)' has no column '\(column)': name another one."
    case .notReadable(let path, let message):
      "The database '\(path)' may not be read as it is: \(message). If the program that writes it has crashed, start "
        + "it."
    case .failed(let path, let code, let message): "SQLite failed to read '\(path)': \(message) (\(code))."
    }
  }
}
