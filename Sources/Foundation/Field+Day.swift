public import RepriseQuery
import RepriseObjectModel

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
  ///   west of Greenwich. It is the same for all dates; ``day(in:)`` follows a time zone's summer time.
  public func day(offset: Int = 0) -> DayKey<Model, Date> { DayKey(self, offset: offset) }

  /// The calendar day of the date in a time zone, with its summer time: `grouped { $0.createdAt.day(in: .current) }`.
  /// A day may have 23 or 25 hours, and begins at its first moment, which is not always midnight.
  ///
  /// Costs a look at the time zone for each object. An archived fetch has the name of the time zone alone: give it its
  /// sections again before it runs, as with a ``SectionRule``.
  public func day(in zone: TimeZone) -> DayKey<Model, Date> {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let days = calendar
    return DayKey(
      self, named: "day in \(zone.identifier)",
      start: { value in Date.from(value).map { days.startOfDay(for: $0).propertyValue } ?? value },
      day: { value in
        guard let date = Date.from(value) else { return "" }
        let seconds = date.timeIntervalSinceReferenceDate
        return CalendarDay(of: seconds, offset: zone.secondsFromGMT(for: date))?.name ?? value.description
      })
  }
}
