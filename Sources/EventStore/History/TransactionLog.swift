import RepriseLog
import RepriseObjectModel

/// The transactions of a store, from its first position to its head.
///
/// Reads the transactions of a store by position, by object, or by the author who could undo them. Waits for new ones,
/// and drops the oldest.
///
/// ``Store/log`` returns it:
///
/// ```swift
/// for transaction in try store.log.transactions(after: known) { print(transaction) }
/// ```
///
/// A value of this type only refers to its store, and costs nothing. Each call sees the current state of the store.
public struct TransactionLog: Sendable {
  let store: Store

  /// The position of the last transaction that this process knows. A save of another process counts after the next
  /// read.
  public var head: Position { store.window.head }
}

extension Store {
  /// Reads the transactions of the store.
  public var log: TransactionLog { TransactionLog(store: self) }
}
