public import RepriseQuery

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Field where Value == Date {
  /// The day of the date, to group by, `Fetch<Item>().grouped { $0.createdAt.day() }`, and to make sections by,
  /// `Fetch<Item>().sorted { $0.createdAt }.sectioned { $0.createdAt.day() }`. The key of a group is the beginning of
  /// the day.
  ///
  /// - Parameter offset: How many seconds the clock is ahead of UTC, as `TimeZone.secondsFromGMT(for:)` says; negative
  ///   west of Greenwich. It is the same for all dates: a time zone's changes between summer and winter are not
  ///   followed.
  public func day(offset: Int = 0) -> DayKey<Model, Date> { DayKey(self, offset: offset) }
}
