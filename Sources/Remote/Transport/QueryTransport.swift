import RepriseLists
import RepriseObjectModel
import RepriseSystem

/// Keeps the rows of a query: a `RemoteSource` over it has them as objects of the store, there at once in the next
/// launch and while the database is away, where a `QuerySource` over the same query would be empty.
///
/// ```swift
/// let transport = QueryTransport(query) { row, id in SongRecord(id: id.rawValue, title: row["title"] ?? "") }
/// ```
///
/// A request asks the query for all its rows, on a thread of its own, and costs what they do; rows that are as they
/// were are not written. A query that cannot be asked is `RemoteError.unavailable`, and tried again. Nothing can be
/// sent: the rows are another program's, and a saved change of theirs is refused.
public struct QueryTransport<Query: FollowedQuery, Record: Codable & Sendable>: RemoteTransport {
  private let query: Query
  private let record: @Sendable (Query.Element, ModelIdentifier) throws -> Record

  /// A transport.
  ///
  /// - Parameters:
  ///   - query: What is asked.
  ///   - record: Makes a record of a row and of its identifier, which is unique among the rows and the same in each
  ///     launch. What it throws makes the reading fail.
  public init(_ query: Query, record: @escaping @Sendable (Query.Element, ModelIdentifier) throws -> Record) {
    self.query = query
    self.record = record
  }

  /// Asks the query.
  ///
  /// - Throws: `RemoteError.unavailable`, with the reason of the query.
  public func read(_ request: RemoteRequest) async throws -> RemoteReading<Record> {
    let (query, record) = (query, record)
    let records = try await SystemThread.run { () throws(RemoteError) in
      do {
        let answer = try query.connect().answer(limit: .max)
        return try zip(answer.elements, answer.identifiers).map { try record($0, $1) }
      } catch {
        throw RemoteError.unavailable(reason: "\(error)", retryAfter: nil)
      }
    }
    return .page(RemotePage(records: records))
  }

  /// Refuses the change.
  public func send(_ change: RemoteChange<Record>) async throws -> RemoteAnswer<Record> {
    .refused(reason: "the rows are those of a query, which another program writes")
  }
}
