import Foundation
import RepriseFoundation
import RepriseObjectModel
import RepriseQuery
import XCTest

final class DayKeyTests: XCTestCase {
  private final class Entry: PersistentModel {
    static let entity = Entity(Entry.self, name: "Entry", properties: [.attribute("date", Date?.self)])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
    struct Fields: FieldSet {
      typealias Model = Entry
      let date: Field<Entry, Date>
      init(_ path: FieldPath) { date = Field(path.appending("date")) }
    }
    struct Snapshot: Sendable {}
    var snapshot: Snapshot { Snapshot() }
  }

  func testADayBeginsAtMidnightOfTheClockThatIsMeant() throws {
    var calendar = Calendar(identifier: .gregorian)
    let entry = Entry.Fields(.root)
    for offset in [0, 3600, -5 * 3600, 45_900] {
      calendar.timeZone = try XCTUnwrap(TimeZone(secondsFromGMT: offset))
      let term = entry.date.day(offset: offset)._groupTerm
      for seconds in [-1e9, -86_401, -86_400, -1, -0.5, 0, 1, 86_399.5, 86_400, 7e8] {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        let day = term.function(date.propertyValue)
        XCTAssertEqual(day, calendar.startOfDay(for: date).propertyValue, "\(date) at \(offset)")
      }
      XCTAssertEqual(term.function(.null), .null)
    }
  }
}
