#if SQLite && canImport(GRDB)
import GRDB
import RepriseCore

/// A query of an SQLite database that another program writes: what a `QuerySource` follows.
///
/// ```swift
/// let songs = QuerySource(SQLiteQuery("music.db", table: "songs", sortedBy: [.ascending("title")]), pageSize: 500)
/// try await songs.ready()
/// print(songs.rows.map { $0["title"] })
/// ```
///
/// The database is opened read-only, and never written to. Whether it changed says SQLite's `data_version`, which
/// counts the commits of all processes: at each interval of the source it is read, and the query run if it differs. The
/// rows of an answer are of one moment. No transaction is open in between, so that the other program can go on with its
/// checkpoints; but where it does not use a write-ahead log, it cannot commit while an answer is read. A page size
/// keeps that short.
///
/// A database with a write-ahead log needs its files `-wal` and `-shm`: SQLite makes them where they are missing, as
/// for every reader, if the folder may be written to.
///
/// A file that is missing, locked, damaged or replaced, and a table that was dropped or altered, make the source fail
/// with a `SourceError` until they are as the query needs them.
public struct SQLiteQuery<Element: Equatable & Sendable>: FollowedQuery {
  /// The file.
  public let path: String
  /// `sqlite:`, the name of the query, and `#`.
  public let identifierPrefix: String
  let prepare: @Sendable (Database) throws -> Prepared

  /// What is to be read.
  struct Prepared {
    let cursor: RowCursor
    /// The values of the key.
    let key: (Row) throws -> [DatabaseValue]
    let element: (Row) throws -> Element
  }

  private init(_ path: String, _ name: String, _ prepare: @escaping @Sendable (Database) throws -> Prepared) {
    self.path = path
    identifierPrefix = "sqlite:" + KeyText.escaped(name) + "#"
    self.prepare = prepare
  }

  /// A query whose rows become records.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - name: What tells the rows from those of other queries, in archives. Stable across runs of the program.
  ///   - key: The columns whose values tell the rows apart; part of the answer.
  ///   - request: Makes the request. It says the order as well.
  public init<Request: FetchRequest>(
    _ path: String, named name: String, key: [String],
    request: @escaping @Sendable (Database) throws -> Request
  ) where Element: FetchableRecord {
    self.init(path, name) { database in
      let cursor = try Row.fetchCursor(database, request(database))
      return Prepared(cursor: cursor, key: try Self.key(key, cursor, path), element: { try Element(row: $0) })
    }
  }

  /// A query in SQL.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - sql: A `SELECT`, which says the order as well.
  ///   - arguments: The values of its parameters `?`.
  ///   - name: What tells the rows from those of other queries, in archives. Stable across runs of the program.
  ///   - key: The columns whose values tell the rows apart; part of the answer.
  public init(
    _ path: String, sql: String, arguments: [DatabaseValue] = [], named name: String, key: [String]
  ) where Element == SQLiteRow {
    self.init(path, name) { database in
      let cursor = try Row.fetchCursor(database, sql: sql, arguments: StatementArguments(arguments))
      return Prepared(cursor: cursor, key: try Self.key(key, cursor, path), element: SQLiteRow.reader())
    }
  }

  /// All rows of a table, told apart by its primary key.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - table: The table.
  ///   - order: Its columns that decide about the order; where they say nothing, the primary key does.
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

  /// The columns of the primary key, or SQLite's own number of rows. Asked each time, because the other program may
  /// change its tables; GRDB remembers them.
  private static func key(
    of table: String, sortedBy order: [SQLiteOrder], _ path: String, _ database: Database
  ) throws -> [String] {
    let kind = "SELECT type FROM sqlite_master WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view')"
    switch try String.fetchOne(database, sql: kind, arguments: [table]) {
    case "table": break
    case nil: throw SourceError.unavailable(source: path, reason: "no such table: \(table)")
    default:
      throw SourceError.invalid(
        source: path, reason: "'\(table)' is a view, which has no primary key. Write the query in SQL, with a key")
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

  /// Opens the database, read-only.
  public func connect() throws -> SQLiteConnection<Element> { try SQLiteConnection(self) }
}

/// A column that rows are sorted by.
public struct SQLiteOrder: Hashable, Sendable {
  let column: String
  let isAscending: Bool

  /// The least first.
  public static func ascending(_ column: String) -> SQLiteOrder { SQLiteOrder(column: column, isAscending: true) }

  /// The greatest first.
  public static func descending(_ column: String) -> SQLiteOrder { SQLiteOrder(column: column, isAscending: false) }

  var sql: String { column.quoted + (isAscending ? "" : " DESC") }
}

extension String {
  /// As an identifier in SQL, whatever it has in it.
  fileprivate var quoted: String {
    "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
#else
/// Needs the package's trait `SQLite`.
@available(*, unavailable, message: "Enable the trait 'SQLite' of the package reprise.")
public enum SQLiteQuery {}
#endif
