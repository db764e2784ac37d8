import RepriseEventStore
import RepriseObjectModel

/// A store as it was after a transaction of the past: objects, fetches, counts, searches, and relationships in both
/// directions, exactly as they were. It never moves, and is read only; what was deleted since is there.
///
/// ```swift
/// let before = try store.context(at: transaction.base)
/// let old = try before.object(item.id).name
/// ```
///
/// It has the models of today. What the store did not know then reads as its default. An attribute that a migration
/// converted since is converted as it is read, if the store was opened with that migration in its plan, for one more
/// reading of the object; without it, or where the conversion throws, it reads as its default, and what it was is in
/// `Store.history(of:property:upTo:limit:)`.
///
/// Its objects are instances of their own, beside those of other contexts. To bring something back, assign its values
/// to the object in a context that edits.
///
/// An object costs a look-up at the head, and one transaction of the log for each change that is taken back. The first
/// fetch of a model costs the log from the position to the head, to find the objects that differ; those are read one by
/// one, all others through the indexes.
public final class PastContext: ObjectContext {
  fileprivate init(_ store: Store, at position: Position, isolation: isolated (any Actor)?) {
    super.init(store: store, turn: ContextTurn(isolation: isolation), pinned: store.pin(at: position))
  }
}

extension Store {
  /// The store as it was after the transaction at a position; at 0, before the first.
  ///
  /// - Throws: ``HistoryError/beyondHead(_:head:)``; ``StoreError`` if the store cannot be read, `beforeFloor` if a
  ///   transaction after the position was dropped by `Store.retain(_:progress:)`.
  public func context(at position: Position, isolation: isolated (any Actor)? = #isolation) throws -> PastContext {
    let head = try refreshedHead()
    guard position <= head else { throw HistoryError.beyondHead(position, head: head) }
    let context = PastContext(self, at: position, isolation: isolation)
    // Now that it is pinned, nobody drops it any more.
    try requireReadable(position)
    return context
  }
}
