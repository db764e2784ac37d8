import RepriseEventStore
import RepriseObjectModel

/// A read-only view of the store as it was after a past transaction.
///
/// A past context never moves. Objects, fetches, counts, searches and relationships in both directions return the state
/// of that moment. Objects deleted since then are included.
///
/// ```swift
/// let before = try store.context(at: transaction.base)
/// let old = try before.object(item.id).name
/// ```
///
/// The context uses today's models. A property that did not exist then reads as its default.
///
/// If a migration has since converted an attribute, the stored value is converted on reading, which costs one more read
/// of the object. The store must have been opened with that migration in its plan. Without the migration, or if the
/// conversion throws, the attribute reads as its default. `TransactionLog.history(of:property:upTo:limit:)` returns the
/// original value.
///
/// The context's objects are separate instances from the objects of other contexts. To restore something, assign its
/// values to the object in an editing context.
///
/// Reading an object costs one lookup at the head, plus one transaction of the log for each change since then. The
/// first fetch of a model reads the log from the position to the head, to find the objects that differ. That takes less
/// than a microsecond for each transaction in between. If the task is cancelled meanwhile, the fetch throws
/// `FetchError.cancelled`. Later fetches read the differing objects one by one at the head, and find all other objects
/// through the indexes. ``FetchExplanation/transactionsRead`` is the number of transactions that a fetch read.
public final class PastContext: ObjectContext {
  fileprivate init(_ store: Store, at position: Position, isolation: isolated (any Actor)?) {
    super.init(store: store, turn: ContextTurn(isolation: isolation), pinned: store.pin(at: position))
  }
}

extension Store {
  /// Returns the store as it was after the transaction at a position, or before the first one for position 0.
  ///
  /// - Parameters:
  ///   - position: A position from 0 to the head.
  ///   - isolation: The isolation that the context and its objects belong to.
  /// - Throws: ``StoreError`` if the store cannot be read; `otherLog` if the position is beyond the head; `truncated`
  ///   if `TransactionLog.retain(_:progress:)` deleted a transaction after the position.
  public func context(at position: Position, isolation: isolated (any Actor)? = #isolation) throws -> PastContext {
    try log.requireReached(position)
    let context = PastContext(self, at: position, isolation: isolation)
    // From now on, the pin keeps the position readable.
    try log.requireReadable(position)
    return context
  }

  /// Returns the store as it was after the transaction that a token names.
  ///
  /// - Throws: Also ``StoreError/otherLog(path:token:head:)`` if the log does not have that transaction; otherwise like
  ///   ``context(at:isolation:)-(Position,_)``.
  public func context(at token: LogToken, isolation: isolated (any Actor)? = #isolation) throws -> PastContext {
    try log.require(token)
    return try context(at: token.position, isolation: isolation)
  }
}
