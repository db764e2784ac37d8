public import RepriseEventStore
public import RepriseObjectGraph

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension LoggedTransaction {
  /// The time of the save by the clock of the saving machine, or the date that an import recorded.
  ///
  /// The date is as wrong as the clock was. If the clock was set back by less than ten seconds before the save, the
  /// date is up to ten seconds too late. Clocks may go back, so use ``LoggedTransaction/position`` for the order of
  /// transactions.
  public var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1_000_000) }
}

extension TransactionLog {
  /// Returns the position of the last transaction saved at or before a time.
  ///
  /// The position is 0 if all transactions are later, and the head if the time is the present or later.
  /// ``position(atMicroseconds:)`` describes the treatment of wrong clocks, and the cost.
  ///
  /// - Throws: ``StoreError`` if the store is closed or the log is damaged; `truncated` if all transactions that are
  ///   still in the log are later.
  public func position(at date: Date) throws -> Position {
    try position(atMicroseconds: date.microsecondsSince1970)
  }
}

extension Store {
  /// Returns the store as it was at a time. The context is at the position from ``TransactionLog/position(at:)``.
  ///
  /// The result includes every transaction that was saved before the time, even if the clock was ahead.
  /// ``TransactionLog/position(atMicroseconds:)`` describes the limits of this rule. `context(at: Date())` has every
  /// transaction.
  ///
  /// - Throws: Like ``TransactionLog/position(at:)`` and ``context(at:isolation:)-(Position,_)``.
  public func context(at date: Date, isolation: isolated (any Actor)? = #isolation) throws -> PastContext {
    try context(at: log.position(at: date), isolation: isolation)
  }
}

extension RootContext {
  /// The date to record with transactions. If it is `nil`, as it is at first, saves record the current time.
  ///
  /// For example, an import can set it to the date of a change in its source. See
  /// ``RootContext/transactionMicroseconds``.
  public var transactionDate: Date? {
    get { transactionMicroseconds.map { Date(timeIntervalSince1970: Double($0) / 1_000_000) } }
    set { transactionMicroseconds = newValue.map(\.microsecondsSince1970) }
  }
}

extension Date {
  /// Dates beyond the countable range become its first or last date.
  fileprivate var microsecondsSince1970: Int64 {
    let microseconds = (timeIntervalSince1970 * 1_000_000).rounded(.down)
    return Int64(exactly: microseconds) ?? (microseconds > 0 ? .max : .min)
  }
}
