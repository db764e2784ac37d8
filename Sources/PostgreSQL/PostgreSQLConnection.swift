#if PostgreSQL && canImport(CReprisePostgreSQL)
import CReprisePostgreSQL
import RepriseCore

/// A connection to a PostgreSQL server, for the ``PostgreSQLQuery`` of a `QuerySource`.
public final class PostgreSQLConnection<Element: Equatable & Sendable>: QueryConnection {
  private let query: PostgreSQLQuery<Element>
  private let connection: Connection

  init(_ query: PostgreSQLQuery<Element>) throws(SourceError) {
    self.query = query
    connection = try Connection(query.connection)
    // Before the first answer, so that no change is missed.
    if let channel = query.channel { try connection.run("LISTEN \(channel.quoted)") }
  }

  /// Whether a notification has arrived since the last call. Reads only data that has arrived, and sends nothing.
  /// O(notifications).
  ///
  /// - Throws: `SourceError.unavailable` if the connection is lost.
  public func mayHaveChanged() throws -> Bool { try connection.takeNotifications() }

  /// Runs the query in a read-only transaction, and returns at most `limit` rows. The server computes one row more, to
  /// find out whether there are more.
  ///
  /// - Throws: `SourceError`; the errors of the query's `read`.
  public func answer(limit: Int) throws -> QueryAnswer<Element> {
    let limit = max(0, limit)
    try connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    // With a cursor, the server computes no more rows than needed.
    try connection.run("DECLARE reprise NO SCROLL CURSOR FOR \(query.sql)", query.parameters)
    let isUnlimited = limit >= Int(Int32.max)
    let answer = try connection.run("FETCH FORWARD \(isUnlimited ? "ALL" : "\(limit + 1)") FROM reprise")
    try connection.run("COMMIT")
    let key = try query.key.map { column throws(SourceError) in
      guard let index = answer.columns.firstIndex(of: column) else {
        throw .invalid(source: sourceName, reason: "the answer has no column '\(column)'")
      }
      return index
    }
    let rows = answer.rows.prefix(limit)
    return QueryAnswer(
      try rows.map { try query.read(PostgreSQLRow(columns: answer.columns, values: $0)) },
      identifiers: rows.map { row in
        ModelIdentifier(query.identifierPrefix + key.map { KeyText.text(row[$0]) }.joined(separator: ","))
      }, hasMore: answer.rows.count > limit)
  }
}

extension String {
  /// The text as an identifier in SQL, with quotation marks doubled.
  fileprivate var quoted: String {
    "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}

/// The connection text may contain a password, so errors have this name instead.
private let sourceName = "PostgreSQL"

/// libpq's connection.
private final class Connection {
  struct Answer {
    var columns: [String] = []
    var rows: [[String?]] = []
  }

  private let handle: OpaquePointer

  /// Defaults, which the user's connection text overrides.
  private static let defaults = [
    "connect_timeout": "10", "fallback_application_name": "reprise",
    // A source notices within a minute that the server is gone, even while it waits.
    "keepalives_idle": "30", "keepalives_interval": "10", "keepalives_count": "3", "tcp_user_timeout": "60000",
  ]

  init(_ words: String) throws(SourceError) {
    // The encoding comes after the user's text and overrides it, because rows are read as UTF-8.
    let pairs = Self.defaults.sorted { $0.key < $1.key } + [(key: "dbname", value: words), ("client_encoding", "UTF8")]
    let handle = withTexts(pairs.map(\.key)) { keys in
      withTexts(pairs.map(\.value)) { values in PQconnectdbParams(keys, values, 1) }
    }
    guard let handle else { throw .unavailable(source: sourceName, reason: "there is no memory left") }
    self.handle = handle
    guard PQstatus(handle) == CONNECTION_OK else {
      throw .unavailable(source: sourceName, reason: Self.message(handle))
    }
  }

  deinit { PQfinish(handle) }

  private static func message(_ handle: OpaquePointer) -> String {
    trimmed(PQerrorMessage(handle).map { String(cString: $0) } ?? "")
  }

  /// The text as a part of a sentence.
  private static func trimmed(_ text: String) -> String {
    let text = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }

  @discardableResult func run(_ sql: String, _ parameters: [String?] = []) throws(SourceError) -> Answer {
    let result = withTexts(parameters) { values in
      PQexecParams(handle, sql, Int32(parameters.count), nil, values, nil, nil, 0)
    }
    defer { PQclear(result) }
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK: return Answer()
    case PGRES_TUPLES_OK: return Self.answer(result)
    default:
      if PQstatus(handle) == CONNECTION_BAD { throw .unavailable(source: sourceName, reason: Self.message(handle)) }
      let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) } ?? ""
      let text = PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) }
      let reason = "\(text ?? Self.message(handle)) (SQLSTATE \(state))"
      switch state {
      case "42501": throw .denied(source: sourceName, reason: reason)
      case "42P01": throw .unavailable(source: sourceName, reason: reason)
      default: throw .invalid(source: sourceName, reason: reason)
      }
    }
  }

  private static func answer(_ result: OpaquePointer?) -> Answer {
    let columns = 0..<PQnfields(result)
    let rows = (0..<PQntuples(result)).map { row in
      columns.map { column -> String? in
        if PQgetisnull(result, row, column) != 0 { return nil }
        let length = Int(PQgetlength(result, row, column))
        return PQgetvalue(result, row, column).map {
          String(decoding: UnsafeRawBufferPointer(start: $0, count: length), as: UTF8.self)
        }
      }
    }
    return Answer(columns: columns.map { PQfname(result, $0).map { String(cString: $0) } ?? "" }, rows: rows)
  }

  /// Whether notifications have arrived since the last call. Does not wait.
  func takeNotifications() throws(SourceError) -> Bool {
    guard PQconsumeInput(handle) == 1, PQstatus(handle) == CONNECTION_OK else {
      throw .unavailable(source: sourceName, reason: Self.message(handle))
    }
    var isAny = false
    while let notification = PQnotifies(handle) {
      isAny = true
      PQfreemem(notification)
    }
    return isAny
  }
}
#endif
