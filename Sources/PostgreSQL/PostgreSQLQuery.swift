#if PostgreSQL && canImport(CReprisePostgreSQL)
import RepriseCore

/// A query of a PostgreSQL database: what a `QuerySource` follows.
///
/// ```swift
/// let query = PostgreSQLQuery(
///   "host=localhost dbname=music", sql: "SELECT id, title FROM songs WHERE year = $1 ORDER BY title, id",
///   parameters: ["1999"], named: "songs of a year", key: ["id"], channel: "songs_changed")
/// let songs = QuerySource(query, pageSize: 500)
/// ```
///
/// The database says that rows changed by a notification on a channel, which a trigger sends:
///
/// ```sql
/// CREATE FUNCTION songs_changed() RETURNS trigger LANGUAGE plpgsql AS
///   $$ BEGIN NOTIFY songs_changed; RETURN NULL; END $$;
/// CREATE TRIGGER songs_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON songs
///   FOR EACH STATEMENT EXECUTE FUNCTION songs_changed();
/// ```
///
/// The query is run again after a notification, and when the source is told to refresh. It runs in a transaction that
/// may only read, and shows one moment. Values of parameters are sent beside the SQL and are never part of it.
///
/// A connection that is lost is made anew by the source, at growing intervals; what changed meanwhile is one batch.
public struct PostgreSQLQuery<Element: Equatable & Sendable>: FollowedQuery {
  /// `postgresql:`, the name of the query, and `#`.
  public let identifierPrefix: String
  let connection: String
  let sql: String
  let parameters: [String?]
  let key: [String]
  let channel: String?
  let read: @Sendable (PostgreSQLRow) throws -> Element

  /// A query whose rows are read.
  ///
  /// - Parameters:
  ///   - connection: Where the database is, in libpq's words or as a URI. What it does not say is taken from libpq's
  ///     environment variables and files, as for the password.
  ///   - sql: A `SELECT`, which says the order as well.
  ///   - parameters: The values of `$1`, `$2` and so on as texts; `nil` for null.
  ///   - name: What tells the rows from those of other queries, in archives. Stable across runs of the program.
  ///   - key: The columns whose values tell the rows apart; part of the answer.
  ///   - channel: The channel of the notifications; without one only a refresh brings what is new.
  ///   - read: Makes of a row what is shown. What it throws makes the source fail.
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

  /// A query whose rows are shown as they are.
  ///
  /// - Parameters:
  ///   - connection: Where the database is, in libpq's words or as a URI. What it does not say is taken from libpq's
  ///     environment variables and files, as for the password.
  ///   - sql: A `SELECT`, which says the order as well.
  ///   - parameters: The values of `$1`, `$2` and so on as texts; `nil` for null.
  ///   - name: What tells the rows from those of other queries, in archives. Stable across runs of the program.
  ///   - key: The columns whose values tell the rows apart; part of the answer.
  ///   - channel: The channel of the notifications; without one only a refresh brings what is new.
  public init(
    _ connection: String, sql: String, parameters: [String?] = [], named name: String, key: [String],
    channel: String? = nil
  ) where Element == PostgreSQLRow {
    self.init(connection, sql: sql, parameters: parameters, named: name, key: key, channel: channel) { $0 }
  }

  /// Connects to the server; gives up after 10 s unless the connection says otherwise.
  public func connect() throws -> PostgreSQLConnection<Element> { try PostgreSQLConnection(self) }
}
#else
/// Needs the package's trait `PostgreSQL`.
@available(*, unavailable, message: "Enable the trait 'PostgreSQL' of the package reprise, and install libpq.")
public enum PostgreSQLQuery {}
#endif
