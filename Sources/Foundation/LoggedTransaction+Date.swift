public import RepriseEventStore
public import RepriseObjectGraph

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension LoggedTransaction {
  /// When it was saved, by the clock of the machine that saved it, or the date that an import gave it, to the
  /// microsecond. The order of transactions is that of ``LoggedTransaction/position``.
  public var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1_000_000) }
}

extension Store {
  /// The position of the last transaction saved at a time or before, 0 if there is none. A time that is not before the
  /// present gives the head. ``position(atMicroseconds:)`` says how clocks that were wrong count, and what it costs.
  ///
  /// - Throws: ``StoreError``: the store is closed, or the log is damaged; `beforeFloor` if all transactions that the
  ///   log still has are later.
  public func position(at date: Date) throws -> Position {
    try position(atMicroseconds: date.microsecondsSince1970)
  }

  /// The store as it was at a time: at ``position(at:)``. It includes every transaction that was saved before the time,
  /// also if a clock was ahead.
  ///
  /// - Throws: As ``position(at:)`` and ``context(at:isolation:)-(Position,_)``.
  public func context(at date: Date, isolation: isolated (any Actor)? = #isolation) throws -> PastContext {
    try context(at: position(at: date), isolation: isolation)
  }
}

extension RootContext {
  /// The date of the transactions that the context saves; `nil`, as initially, for the time by the clock. An import
  /// sets it to the date that its source gives a change. See ``RootContext/transactionMicroseconds``.
  public var transactionDate: Date? {
    get { transactionMicroseconds.map { Date(timeIntervalSince1970: Double($0) / 1_000_000) } }
    set { transactionMicroseconds = newValue.map(\.microsecondsSince1970) }
  }
}

extension Date {
  /// Those beyond what can be counted are the first or the last that can.
  fileprivate var microsecondsSince1970: Int64 {
    let microseconds = (timeIntervalSince1970 * 1_000_000).rounded(.down)
    return Int64(exactly: microseconds) ?? (microseconds > 0 ? .max : .min)
  }
}
