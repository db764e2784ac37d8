import RepriseLists
import RepriseObjectModel
import RepriseSystem

/// A transport whose rows come from a query, so that a `RemoteSource` stores them as objects.
///
/// The rows are available at once in the next launch, and while the database cannot be reached. A `QuerySource` over
/// the same query would be empty then.
///
/// ```swift
/// let transport = QueryTransport(query) { row, id in SongRecord(id: id.rawValue, title: row["title"] ?? "") }
/// ```
///
/// Each request runs the query for all its rows, on a new thread. The source does not write unchanged rows. If the
/// query fails, the request throws `RemoteError.unavailable`, and the source retries it. The transport cannot send
/// changes, because the rows belong to another program. If you save a change of a row, it becomes a conflict of the
/// kind `refused`.
public struct QueryTransport<Query: FollowedQuery, Record: Codable & Sendable>: RemoteTransport {
  private let query: Query
  private let record: @Sendable (Query.Element, ModelIdentifier) throws -> Record

  /// Makes a transport.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - record: Makes a record from a row and its identifier, which is unique among the rows and the same in every
  ///     launch. If it throws, the request throws `RemoteError.unavailable`.
  public init(_ query: Query, record: @escaping @Sendable (Query.Element, ModelIdentifier) throws -> Record) {
    self.query = query
    self.record = record
  }

  /// Runs the query, and returns all rows as one page.
  ///
  /// - Throws: `RemoteError.unavailable`, with the reason of the query. If the query throws a `SourceError`, the
  ///   error also has the source.
  public func read(_ request: RemoteRequest) async throws -> RemoteReading<Record> {
    let (query, record) = (query, record)
    let records = try await SystemThread.run { () throws(RemoteError) in
      do {
        let answer = try query.connect().answer(limit: .max)
        return try zip(answer.elements, answer.identifiers).map { try record($0, $1) }
      } catch let error as SourceError {
        let (source, reason) = error.failure
        throw RemoteError.unavailable(reason: reason, retryAfter: nil, source: source)
      } catch {
        throw RemoteError.unavailable(reason: "\(error)", retryAfter: nil)
      }
    }
    return .page(RemotePage(records: records))
  }

  /// Refuses the change.
  public func send(_ change: RemoteChange<Record>) async throws -> RemoteAnswer<Record> {
    .refused(reason: "the rows of a query are read-only, because another program writes them")
  }
}
