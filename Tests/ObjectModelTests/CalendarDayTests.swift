import RepriseObjectModel
import XCTest

final class CalendarDayTests: XCTestCase {
  func testADateIsWrittenAsPeopleReadIt() {
    func text(_ seconds: Double) -> String { PropertyValue.date(seconds).description }
    XCTAssertEqual(text(0), "2001-01-01T00:00:00Z")
    XCTAssertEqual(text(817_812_000), "2026-12-01T10:00:00Z")
    XCTAssertEqual(text(817_812_061.25), "2026-12-01T10:01:01.25Z")
    XCTAssertEqual(text(-0.5), "2000-12-31T23:59:59.5Z")
    XCTAssertEqual(text(-978_307_200), "1970-01-01T00:00:00Z")
    XCTAssertEqual(text(0.000_000_1), "2001-01-01T00:00:00Z")
    XCTAssertEqual(text(0.999_999_9), "2001-01-01T00:00:00.999999Z")
    XCTAssertEqual(text(.infinity), "date(inf)")
    XCTAssertEqual(text(.nan), "date(nan)")
    XCTAssertEqual(text(1e300), "date(1e+300)")
  }
}
