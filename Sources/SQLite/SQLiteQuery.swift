#if SQLite && canImport(GRDB)
import GRDB
import RepriseCore

/// A query of an SQLite database that another program writes. A `QuerySource` shows its rows and follows their changes.
///
/// ```swift
/// let songs = QuerySource(SQLiteQuery("music.db", table: "songs", sortedBy: [.ascending("title")]), pageSize: 500)
/// try await songs.ready()
/// print(songs.rows.map { $0["title"] })
/// ```
///
/// The database is opened read-only, and never written. The source reads SQLite's `data_version` at each of its
/// intervals. SQLite changes that number with each commit of any process. If it has changed, the source runs the query
/// again.
///
/// The rows of an answer are of one moment. Between two answers no transaction is open, so the other program can run
/// its checkpoints. If it does not use a write-ahead log, it cannot commit while an answer is read. A page size keeps
/// that time short.
///
/// A database with a write-ahead log needs its files `-wal` and `-shm`. If they are missing, SQLite creates them, which
/// requires that the folder can be written.
///
/// If the file is missing, locked, damaged or replaced, or a table was dropped or altered, the source fails with a
/// `SourceError`. It continues when the database fits the query again.
public struct SQLiteQuery<Element: Equatable & Sendable>: FollowedQuery {
  /// The path of the database file.
  public let path: String
  /// The beginning of all identifiers: `sqlite:`, the name of the query, and `#`.
  public let identifierPrefix: String
  let prepare: @Sendable (Database) throws -> Prepared

  /// A query that is ready to run.
  struct Prepared {
    let cursor: RowCursor
    /// The values of the key columns.
    let key: (Row) throws -> [DatabaseValue]
    let element: (Row) throws -> Element
  }

  private init(_ path: String, _ name: String, _ prepare: @escaping @Sendable (Database) throws -> Prepared) {
    self.path = path
    identifierPrefix = "sqlite:" + KeyText.escaped(name) + "#"
    self.prepare = prepare
  }

  /// Makes a query whose rows become GRDB records. Does not open the file.
  ///
  /// - Parameters:
  ///   - path: The path of the database file.
  ///   - name: The name of the query in the identifiers of its rows, which archives keep. Never change it, and give
  ///     each query its own.
  ///   - key: The columns whose values identify a row. The request must return them.
  ///   - request: Makes the request, with its order.
  public init<Request: FetchRequest>(
    _ path: String, named name: String, key: [String],
    request: @escaping @Sendable (Database) throws -> Request
  ) where Element: FetchableRecord {
    self.init(path, name) { database in
      let cursor = try Row.fetchCursor(database, request(database))
      return Prepared(cursor: cursor, key: try Self.key(key, cursor, path), element: { try Element(row: $0) })
    }
  }

  /// Makes a query in SQL. Does not open the file.
  ///
  /// - Parameters:
  ///   - path: The path of the database file.
  ///   - sql: A `SELECT` with an `ORDER BY`.
  ///   - arguments: The values of the parameters `?`.
  ///   - name: The name of the query in the identifiers of its rows, which archives keep. Never change it, and give
  ///     each query its own.
  ///   - key: The columns whose values identify a row. The query must return them.
  public init(
    _ path: String, sql: String, arguments: [DatabaseValue] = [], named name: String, key: [String]
  ) where Element == SQLiteRow {
    self.init(path, name) { database in
      let cursor = try Row.fetchCursor(database, sql: sql, arguments: StatementArguments(arguments))
      return Prepared(cursor: cursor, key: try Self.key(key, cursor, path), element: SQLiteRow.reader())
    }
  }

  /// Makes a query of all rows of a table, identified by the primary key, or by SQLite's row number in a table without
  /// one. A view has neither, so the source fails. Does not open the file.
  ///
  /// - Parameters:
  ///   - path: The path of the database file.
  ///   - table: The name of the table, which is also the name of the query.
  ///   - order: The columns that order the rows. The primary key orders rows with equal values.
  public init(_ path: String, table: String, sortedBy order: [SQLiteOrder] = []) where Element == SQLiteRow {
    self.init(path, table) { database in
      let key = try Self.key(of: table, sortedBy: order, path, database).map(\.quoted)
      let sql = """
        SELECT \(key.joined(separator: ", ")), * FROM \(table.quoted)
        ORDER BY \((order.map(\.sql) + key).joined(separator: ", "))
        """
      let adapter = SuffixRowAdapter(fromIndex: key.count)
      let cursor = try Row.fetchCursor(database, sql: sql, adapter: adapter)
      return Prepared(
        cursor: cursor, key: { Array($0.unadapted.databaseValues.prefix(key.count)) },
        element: SQLiteRow.reader())
    }
  }

  /// The columns of the primary key, or the column of SQLite's row number. Read each time, because the other program
  /// may change its tables, and GRDB caches them.
  private static func key(
    of table: String, sortedBy order: [SQLiteOrder], _ path: String, _ database: Database
  ) throws -> [String] {
    let kind = "SELECT type FROM sqlite_master WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view')"
    switch try String.fetchOne(database, sql: kind, arguments: [table]) {
    case "table": break
    case nil: throw SourceError.unavailable(source: path, reason: "no such table: \(table)")
    default:
      throw SourceError.invalid(
        source: path,
        reason: "'\(table)' is a view, which has no primary key. Pass `sql` and `key` to SQLiteQuery, not `table`")
    }
    let rows = try Row.fetchAll(database, sql: "SELECT name, pk FROM pragma_table_info(?)", arguments: [table])
    let names = Set(rows.map { ($0["name"] as String).lowercased() })
    if let other = order.first(where: { !names.contains($0.column.lowercased()) }) {
      throw Self.noColumn(other.column, path)
    }
    let columns = rows.map { row in (place: row["pk"] as Int, name: row["name"] as String) }.filter { $0.place > 0 }
    if !columns.isEmpty { return columns.sorted { $0.place < $1.place }.map(\.name) }
    return Array(["rowid", "_rowid_", "oid"].filter { !names.contains($0) }.prefix(1))
  }

  private static func key(
    _ columns: [String], _ cursor: RowCursor, _ path: String
  ) throws -> (Row) throws -> [DatabaseValue] {
    { row in
      try columns.map { column in
        guard let value = row[column] as DatabaseValue? else { throw Self.noColumn(column, path) }
        return value
      }
    }
  }

  private static func noColumn(_ column: String, _ path: String) -> SourceError {
    .invalid(source: path, reason: "there is no column '\(column)'")
  }

  /// Opens the database read-only.
  ///
  /// - Throws: `SourceError` if the file is missing or cannot be opened.
  public func connect() throws -> SQLiteConnection<Element> { try SQLiteConnection(self) }
}

/// A column that orders rows, and its direction.
public struct SQLiteOrder: Hashable, Sendable {
  let column: String
  let isAscending: Bool

  /// Orders by a column, the least value first.
  public static func ascending(_ column: String) -> SQLiteOrder { SQLiteOrder(column: column, isAscending: true) }

  /// Orders by a column, the greatest value first.
  public static func descending(_ column: String) -> SQLiteOrder { SQLiteOrder(column: column, isAscending: false) }

  var sql: String { column.quoted + (isAscending ? "" : " DESC") }
}

extension String {
  /// The text as an identifier in SQL, with quotation marks doubled.
  fileprivate var quoted: String {
    "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
#else
/// This type needs the package's trait `SQLite`.
@available(*, unavailable, message: "Enable the trait 'SQLite' of the package reprise.")
public enum SQLiteQuery {}
#endif
