#if PostgreSQL && canImport(CReprisePostgreSQL)
import RepriseCore

/// A query of a PostgreSQL database. A `QuerySource` shows its rows and follows their changes.
///
/// ```swift
/// let query = PostgreSQLQuery(
///   "host=localhost dbname=music", sql: "SELECT id, title FROM songs WHERE year = $1 ORDER BY title, id",
///   parameters: ["1999"], named: "songs of a year", key: ["id"], channel: "songs_changed")
/// let songs = QuerySource(query, pageSize: 500)
/// ```
///
/// The database reports changes with a notification on a channel, which a trigger sends:
///
/// ```sql
/// CREATE FUNCTION songs_changed() RETURNS trigger LANGUAGE plpgsql AS
///   $$ BEGIN NOTIFY songs_changed; RETURN NULL; END $$;
/// CREATE TRIGGER songs_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON songs
///   FOR EACH STATEMENT EXECUTE FUNCTION songs_changed();
/// ```
///
/// The query runs again after each notification, and when you call `refresh()` of the source. It runs in a read-only
/// transaction and shows one moment. Parameter values are sent separately from the SQL, and are never a part of it.
///
/// If the connection is lost, the source connects again, at growing intervals. Changes in the meantime become one
/// batch.
public struct PostgreSQLQuery<Element: Equatable & Sendable>: FollowedQuery {
  /// The beginning of all identifiers: `postgresql:`, the name of the query, and `#`.
  public let identifierPrefix: String
  let connection: String
  let sql: String
  let parameters: [String?]
  let key: [String]
  let channel: String?
  let read: @Sendable (PostgreSQLRow) throws -> Element

  /// Makes a query with a closure that reads its rows. Does not connect.
  ///
  /// - Parameters:
  ///   - connection: The database, as libpq's connection text or a URI. Missing parts, such as the password, come
  ///     from libpq's environment variables and files.
  ///   - sql: A `SELECT` with an `ORDER BY`.
  ///   - parameters: The values of `$1`, `$2` and so on as texts; `nil` for null.
  ///   - name: The name of the query in the identifiers of its rows, which archives keep. Never change it, and give
  ///     each query its own.
  ///   - key: The columns whose values identify a row. The query must return them.
  ///   - channel: The channel of the notifications. If it is `nil`, only a refresh finds changes.
  ///   - read: Makes an element from a row. If it throws, the source fails with the error.
  public init(
    _ connection: String, sql: String, parameters: [String?] = [], named name: String, key: [String],
    channel: String? = nil, read: @escaping @Sendable (PostgreSQLRow) throws -> Element
  ) {
    self.connection = connection
    identifierPrefix = "postgresql:" + KeyText.escaped(name) + "#"
    self.sql = sql
    self.parameters = parameters
    self.key = key
    self.channel = channel
    self.read = read
  }

  /// Makes a query whose elements are its rows. Does not connect.
  ///
  /// - Parameters:
  ///   - connection: The database, as libpq's connection text or a URI. Missing parts, such as the password, come
  ///     from libpq's environment variables and files.
  ///   - sql: A `SELECT` with an `ORDER BY`.
  ///   - parameters: The values of `$1`, `$2` and so on as texts; `nil` for null.
  ///   - name: The name of the query in the identifiers of its rows, which archives keep. Never change it, and give
  ///     each query its own.
  ///   - key: The columns whose values identify a row. The query must return them.
  ///   - channel: The channel of the notifications. If it is `nil`, only a refresh finds changes.
  public init(
    _ connection: String, sql: String, parameters: [String?] = [], named name: String, key: [String],
    channel: String? = nil
  ) where Element == PostgreSQLRow {
    self.init(connection, sql: sql, parameters: parameters, named: name, key: key, channel: channel) { $0 }
  }

  /// Connects to the server. The attempt ends after 10 seconds, unless the connection text says otherwise.
  ///
  /// - Throws: `SourceError.unavailable` if the server cannot be reached.
  public func connect() throws -> PostgreSQLConnection<Element> { try PostgreSQLConnection(self) }
}
#else
/// This type needs the package's trait `PostgreSQL`.
@available(*, unavailable, message: "Enable the trait 'PostgreSQL' of the package reprise, and install libpq.")
public enum PostgreSQLQuery {}
#endif
