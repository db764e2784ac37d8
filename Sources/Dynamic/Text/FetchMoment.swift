import RepriseEventStore
import RepriseObjectGraph

/// The past state of a store that a text names: `@1234`, or `as of 2026-11-20T12:00:00Z`.
///
/// `as of` is part of SQL:2011, where it follows `FOR SYSTEM_TIME`.
public enum FetchMoment: Hashable, Sendable {
  /// The state after the transaction at a position.
  case position(Position)
  /// The state at a time, in microseconds since 1970-01-01 00:00:00 UTC.
  case microseconds(Int64)
}

extension Store {
  /// Returns the store as it was at the moment of a text.
  ///
  /// ```swift
  /// let text = try FetchText("Item where valueInDollars > 100 as of 2026-11-20")
  /// let context = try text.moment.map { try store.context(at: $0) } ?? RootContext(store)
  /// let items = try context.fetch(text.fetch(Item.self))
  /// ```
  ///
  /// - Throws: ``StoreError``, like ``context(at:isolation:)-(Position,_)`` and
  ///   ``TransactionLog/position(atMicroseconds:)``.
  public func context(at moment: FetchMoment, isolation: isolated (any Actor)? = #isolation) throws -> PastContext {
    let position =
      switch moment {
      case .position(let position): position
      case .microseconds(let microseconds): try log.position(atMicroseconds: microseconds)
      }
    return try context(at: position, isolation: isolation)
  }
}
