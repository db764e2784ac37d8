import RepriseLog
import RepriseObjectModel

/// The transactions of a store, from its first position to its head.
///
/// ``Store/log`` returns it. Read transactions by position, by object or by the author who could undo them, wait for
/// the next ones, or drop the oldest:
///
/// ```swift
/// for transaction in try store.log.transactions(after: known) { print(transaction) }
/// ```
///
/// A log value is a view of its store. Making one costs nothing, and each call sees the store as it is then.
public struct TransactionLog: Sendable {
  let store: Store

  /// The position of the last transaction, as this process last saw it.
  public var head: Position { store.window.head }
}

extension Store {
  /// The transactions that were saved in the store.
  public var log: TransactionLog { TransactionLog(store: self) }
}
