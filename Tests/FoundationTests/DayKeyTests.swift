import Foundation
import RepriseFoundation
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

final class DayKeyTests: XCTestCase {
  private let date = Field<Meeting, Date>(FieldPath.root.appending("start"))

  func testADayBeginsAtMidnightOfTheClockThatIsMeant() throws {
    var calendar = Calendar(identifier: .gregorian)
    for offset in [0, 3600, -5 * 3600, 45_900] {
      calendar.timeZone = try XCTUnwrap(TimeZone(secondsFromGMT: offset))
      let term = self.date.day(offset: offset)._groupTerm
      for seconds in [-1e9, -86_401, -86_400, -1, -0.5, 0, 1, 86_399.5, 86_400, 7e8] {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        let day = term.function(date.propertyValue)
        XCTAssertEqual(day, calendar.startOfDay(for: date).propertyValue, "\(date) at \(offset)")
      }
      XCTAssertEqual(term.function(.null), .null)
    }
  }

  func testADayOfATimeZoneFollowsItsSummerTime() throws {
    let zone = try XCTUnwrap(TimeZone(identifier: "Europe/Berlin"))
    let key = date.day(in: zone)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    // The last Sundays of March and October 2026, with 23 and 25 hours.
    for (month, day) in [(3, 29), (10, 25), (7, 1), (1, 1)] {
      let start = try XCTUnwrap(calendar.date(from: DateComponents(year: 2026, month: month, day: day)))
      let next = try XCTUnwrap(calendar.date(byAdding: .day, value: 1, to: start))
      for date in [start, start + 3 * 3600, next - 1] {
        XCTAssertEqual(key._groupTerm.function(date.propertyValue), start.propertyValue, "\(date)")
        let name = "2026-" + (month < 10 ? "0" : "") + "\(month)-" + (day < 10 ? "0" : "") + "\(day)"
        XCTAssertEqual(key.section.rule?.section?(date.propertyValue), name)
      }
      XCTAssertEqual(key._groupTerm.function(next.propertyValue), next.propertyValue)
    }
    XCTAssertEqual(key._groupTerm.function(.null), .null)
    XCTAssertEqual(key.section.rule?.section?(.null), "")
    XCTAssertEqual(key._groupTerm, date.day(in: zone)._groupTerm)
  }

  /// Foundation's calendars have a first and a last year.
  func testDatesOutsideTheCalendarKeepTheirDays() throws {
    let zone = try XCTUnwrap(TimeZone(identifier: "Europe/Berlin"))
    let function = date.day(in: zone)._groupTerm.function
    for seconds in [-1e13, -1e12, 2e13, 9e13] {
      guard case .date(let start) = function(.date(seconds)) else { return XCTFail("no date") }
      XCTAssertLessThanOrEqual(start, seconds)
      XCTAssertLessThan(seconds, start + 86_400)
      XCTAssertNotEqual(function(.date(seconds + 90_000)), .date(start))
    }
    for seconds in [Double.nan, .infinity, -.infinity, 1e300, -1e300] {
      XCTAssertEqual(function(.date(seconds)), .date(seconds))
    }
  }
}
