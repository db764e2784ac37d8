#if SQLite && canImport(GRDB)
import GRDB
import RepriseCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An open SQLite database, for the ``SQLiteQuery`` of a `QuerySource`.
public final class SQLiteConnection<Element: Equatable & Sendable>: QueryConnection {
  private let query: SQLiteQuery<Element>
  private var queue: DatabaseQueue
  private var file: FileNumber
  /// SQLite's `data_version` at the last answer.
  private var version: Int64?

  init(_ query: SQLiteQuery<Element>) throws {
    self.query = query
    file = try FileNumber(query.path)
    queue = try Self.open(query.path)
  }

  private static func open(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(1)
    return try naming(path) { try DatabaseQueue(path: path, configuration: configuration) }
  }

  /// Whether a process has committed to the database since the last answer. Reads one number and no rows. O(1).
  ///
  /// - Throws: `SourceError` if the file is missing, locked or unreadable.
  public func mayHaveChanged() throws -> Bool {
    try openAnew()
    return try version == nil || naming(query.path) { try queue.read(Self.dataVersion) } != version
  }

  /// Opens the file again if the path leads to another file now. The old file would never change again.
  private func openAnew() throws {
    let now = try FileNumber(query.path)
    guard now != file else { return }
    queue = try Self.open(query.path)
    (file, version) = (now, nil)
  }

  /// Runs the query in a read transaction, and returns at most `limit` rows.
  ///
  /// - Throws: `SourceError`; the errors of GRDB when a row is decoded.
  public func answer(limit: Int) throws -> QueryAnswer<Element> {
    try openAnew()
    return try naming(query.path) {
      try queue.read { database in
        // Read before the rows, so that a commit in between leads to another reading.
        version = try Self.dataVersion(database)
        let prepared = try query.prepare(database)
        var elements: [Element] = []
        var identifiers: [ModelIdentifier] = []
        while let row = try prepared.cursor.next() {
          if elements.count >= limit { return QueryAnswer(elements, identifiers: identifiers, hasMore: true) }
          elements.append(try prepared.element(row))
          let key = try prepared.key(row).map(KeyText.text)
          identifiers.append(ModelIdentifier(query.identifierPrefix + key.joined(separator: ",")))
        }
        return QueryAnswer(elements, identifiers: identifiers, hasMore: false)
      }
    }
  }

  private static func dataVersion(_ database: Database) throws -> Int64? {
    try Int64.fetchOne(database, sql: "PRAGMA data_version")
  }
}

/// Identifies a file, even if another one takes its path.
private struct FileNumber: Equatable {
  let device: UInt64
  let inode: UInt64

  init(_ path: String) throws(SourceError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { throw .unavailable(source: path, reason: "the file does not exist") }
      throw .denied(source: path, reason: String(cString: strerror(errno)))
    }
    (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
  }
}

/// Converts GRDB's errors to errors that name the file.
private func naming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as DatabaseError {
    let message = error.message ?? "\(error.resultCode)"
    let code = "code \(error.extendedResultCode.rawValue)"
    switch error.resultCode {
    case .SQLITE_NOTADB:
      throw SourceError.invalid(source: path, reason: "it is not an SQLite database, or it is encrypted")
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      throw SourceError.unavailable(source: path, reason: "another program has locked the database")
    case .SQLITE_CORRUPT:
      throw SourceError.invalid(
        source: path, reason: "the database is damaged: \(message). Repair it, or restore a backup of it")
    case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM:
      throw SourceError.denied(
        source: path,
        reason: "\(message) (\(code)). If the program that writes the database has crashed, start that program again")
    case .SQLITE_ERROR where message.hasPrefix("no such table: "):
      throw SourceError.unavailable(source: path, reason: message)
    default: throw SourceError.invalid(source: path, reason: "\(message) (\(code))")
    }
  }
}
#endif
