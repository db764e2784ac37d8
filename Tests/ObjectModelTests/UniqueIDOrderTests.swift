import RepriseObjectModel
import XCTest

final class UniqueIDOrderTests: XCTestCase {
  /// Another process made it, by a clock that was an hour ahead and is set back.
  func testNewIDsSortAfterOneOfAFastClock() {
    let now = UniqueID()
    let ahead = UniqueID(high: now.high + 3_600_000 << 16, low: now.low)
    XCTAssertLessThan(UniqueID(), ahead)
    UniqueID.note(ahead)
    var last = ahead
    for _ in 0..<10_000 {
      let next = UniqueID()
      XCTAssertGreaterThan(next, last)
      last = next
    }
  }

  func testDamagedIDsAreNotNoted() {
    let before = UniqueID()
    for id in [UniqueID(high: .max, low: .max), UniqueID(high: 0xFFFF_FFFF_FFFF_7FFF, low: 0), .zero] {
      UniqueID.note(id)
    }
    XCTAssertLessThan(UniqueID().high, before.high + 1_000_000 << 16)
  }
}
