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
  /// It is called on a thread of the ``QuerySource``, so it may block. It is called again after each failure.
  ///
  /// - Throws: The reason why the query cannot run, which becomes the error of `LoadState.failed`.
  func connect() throws -> Connection
}

/// A connection that runs a ``FollowedQuery``.
///
/// It is made, used and released on one thread, and may block that thread. After an error, it is not used again.
public protocol QueryConnection {
  /// The content of a row.
  associatedtype Element: Equatable & Sendable

  /// Returns whether the answer may differ from the last one.
  ///
  /// It is called at each interval of the source, so it should cost less than an answer.
  func mayHaveChanged() throws -> Bool

  /// Returns the present answer.
  ///
  /// - Parameter limit: The maximum number of rows.
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
