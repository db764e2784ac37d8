import RepriseObjectModel

/// A query of something outside, such as a database of another program, whose answer a ``QuerySource`` follows.
///
/// A value that says what is asked, and where; ``connect()`` does the asking.
public protocol FollowedQuery<Element>: Sendable {
  /// What a row shows.
  associatedtype Element: Equatable & Sendable
  /// Asks.
  associatedtype Connection: QueryConnection where Connection.Element == Element

  /// What the identifiers of all rows begin with, and those of no other source.
  var identifierPrefix: String { get }

  /// Makes what asks. Called on a thread of the source's own, which may wait; again after each failure.
  ///
  /// - Throws: Why nothing can be asked, as `Readiness.failed` tells it.
  func connect() throws -> Connection
}

/// Asks a ``FollowedQuery``. Made, used and released on one thread, which may wait. It is not used after an error.
public protocol QueryConnection {
  /// What a row shows.
  associatedtype Element: Equatable & Sendable

  /// Whether there may be another answer than the last one. Called at each interval of the source, so it should cost
  /// less than an answer.
  func mayHaveChanged() throws -> Bool

  /// The answer as it is now.
  ///
  /// - Parameter limit: How many rows, at most.
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

  /// An answer with as many identifiers as rows.
  public init(_ elements: [Element], identifiers: [ModelIdentifier], hasMore: Bool) {
    self.elements = elements
    self.identifiers = identifiers
    self.hasMore = hasMore
  }
}
