public import RepriseEventStore

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
}
