public import RepriseEventStore
public import RepriseObjectGraph

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension LoggedTransaction {
  /// When it was saved. Strictly increasing along the log, to the microsecond.
  public var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1_000_000) }
}

extension Store {
  /// The position of the last transaction that was saved by a time, 0 if there is none. O(log n).
  ///
  /// - Throws: ``StoreError``: the store is closed, or the log is damaged.
  public func position(at date: Date) throws -> Position {
    let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded(.down)
    return try position(atMicroseconds: Int64(exactly: microseconds) ?? (microseconds > 0 ? .max : .min))
  }

  /// The store as it was at a time: at ``position(at:)``.
  ///
  /// - Throws: As ``position(at:)`` and ``context(at:isolation:)-(Position,_)``.
  public func context(at date: Date, isolation: isolated (any Actor)? = #isolation) throws -> PastContext {
    try context(at: position(at: date), isolation: isolation)
  }
}
