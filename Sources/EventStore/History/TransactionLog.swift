import RepriseLog
import RepriseObjectModel

/// The transactions of a store, from its first position to its head.
///
/// Its calls read transactions by position, by object or by author, and wait for new transactions.
/// ``retain(_:progress:)`` drops the oldest ones.
///
/// ``Store/log`` returns it:
///
/// ```swift
/// for transaction in try store.log.transactions(after: known) { print(transaction) }
/// ```
///
/// A value of this type only refers to its store, so making one costs nothing. Each call sees the current state of the
/// store.
public struct TransactionLog: Sendable {
  let store: Store

  /// The position of the last transaction that this process knows. It includes a save of another process only after the
  /// next read.
  public var head: Position { store.window.head }
}

extension Store {
  /// Reads the transactions of the store.
  public var log: TransactionLog { TransactionLog(store: self) }
}
