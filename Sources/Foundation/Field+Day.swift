public import RepriseQuery
import RepriseObjectModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Field where Value == Date {
  /// The day of the date, for groups and sections.
  ///
  /// For example, `Fetch<Item>().grouped { $0.createdAt.day() }` or
  /// `Fetch<Item>().sorted { $0.createdAt }.sectioned { $0.createdAt.day() }`. The key of a group is the beginning of
  /// the day.
  ///
  /// - Parameter offset: The number of seconds that local time is ahead of UTC, as from
  ///   `TimeZone.secondsFromGMT(for:)`. The offset is negative west of Greenwich, and the same for all dates. Use
  ///   ``day(in:)`` to follow summer time.
  public func day(offset: Int = 0) -> DayKey<Model, Date> { DayKey(self, offset: offset) }

  /// The calendar day of the date in a time zone, including summer time: `grouped { $0.createdAt.day(in: .current) }`.
  ///
  /// A day may have 23 or 25 hours, and begins at its first moment, which is not always midnight. Each object costs one
  /// calculation with the time zone.
  ///
  /// An archived fetch contains only the name of the time zone. Before you run a decoded fetch, call `sectioned(_:)`
  /// again, as for a ``SectionRule``.
  public func day(in zone: TimeZone) -> DayKey<Model, Date> {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let days = calendar
    return DayKey(
      self, named: "day in \(zone.identifier)",
      start: { value in
        guard let date = Date.from(value) else { return value }
        let start = days.startOfDay(for: date)
        // A calendar has a first and a last year, and takes other dates for days of these.
        if start <= date, date < start + 2 * CalendarDay.length { return start.propertyValue }
        return CalendarDay(of: date, in: zone).map { .date($0.start) } ?? value
      },
      day: { value in
        guard let date = Date.from(value) else { return "" }
        return CalendarDay(of: date, in: zone)?.name ?? value.description
      })
  }
}

extension CalendarDay {
  /// The day on a clock that shows the time of a zone at the date.
  fileprivate init?(of date: Date, in zone: TimeZone) {
    self.init(of: date.timeIntervalSinceReferenceDate, offset: zone.secondsFromGMT(for: date))
  }
}
