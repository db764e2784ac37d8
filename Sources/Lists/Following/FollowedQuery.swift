import RepriseObjectModel

/// A query of an external source, such as another program's database, whose answer a ``QuerySource`` follows.
///
/// The value describes the query and its source. ``connect()`` makes the connection that runs it.
public protocol FollowedQuery<Element>: Sendable {
  /// The content of a row.
  associatedtype Element: Equatable & Sendable
  /// The type of connection that runs the query.
  associatedtype Connection: QueryConnection where Connection.Element == Element

  /// The prefix of the identifiers of all rows, which no other source uses.
  var identifierPrefix: String { get }

  /// Connects to the source.
  ///
  /// The ``QuerySource`` calls it on a thread that serves only this query, so the call may block. After each failure,
  /// the source calls it again.
  ///
  /// - Throws: The reason why the query cannot run, which becomes the error of `LoadState.failed`.
  func connect() throws -> Connection
}

/// A connection that runs a ``FollowedQuery``.
///
/// The ``QuerySource`` makes, uses and releases a connection on one thread, which the connection may block. After an
/// error, the source releases the connection, and makes a new one.
public protocol QueryConnection {
  /// The content of a row.
  associatedtype Element: Equatable & Sendable

  /// Returns whether the answer may differ from the last one.
  ///
  /// The source calls it at each of its intervals, so it should cost less than an answer.
  ///
  /// - Throws: The reason why the source of the rows cannot be read. The ``QuerySource`` then becomes `failed`, and
  ///   connects again later.
  func mayHaveChanged() throws -> Bool

  /// Runs the query, and returns its rows in order.
  ///
  /// - Parameter limit: The maximum number of rows to return. If there are more, ``QueryAnswer/hasMore`` is true.
  /// - Throws: The reason why the query failed. The ``QuerySource`` then becomes `failed`, and connects again later.
  func answer(limit: Int) throws -> QueryAnswer<Element>
}

/// The rows of a ``FollowedQuery``, in order.
public struct QueryAnswer<Element: Equatable & Sendable>: Sendable {
  /// The rows.
  public let elements: [Element]
  /// The identifier of each row, the same in every run of the program.
  public let identifiers: [ModelIdentifier]
  /// Whether there are rows beyond the limit.
  public let hasMore: Bool

  /// Makes an answer.
  ///
  /// Pass one identifier for each row.
  public init(_ elements: [Element], identifiers: [ModelIdentifier], hasMore: Bool) {
    self.elements = elements
    self.identifiers = identifiers
    self.hasMore = hasMore
  }
}
