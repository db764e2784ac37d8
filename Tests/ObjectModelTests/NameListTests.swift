import RepriseObjectModel
import XCTest

final class NameListTests: XCTestCase {
  /// Few are searched for, many are looked up.
  func testEachHasThePlaceInWhichItFirstCame() {
    var list = NameList()
    XCTAssertNil(list.place(of: "0"))
    for number in 0..<200 {
      XCTAssertNil(list.place(of: "\(number)"))
      XCTAssertEqual(list.add("\(number)"), number)
      XCTAssertEqual(list.add("\(number)"), number)
      XCTAssertEqual(list.add("\(number / 2)"), number / 2)
      for other in stride(from: 0, through: number, by: 13) { XCTAssertEqual(list.place(of: "\(other)"), other) }
      XCTAssertEqual(list.count, number + 1)
    }
    XCTAssertEqual(list[150], "150")
    list.removeAll()
    XCTAssertEqual(list.count, 0)
    XCTAssertNil(list.place(of: "0"))
    XCTAssertEqual(list.add("7"), 0)
    XCTAssertNil(list.place(of: "150"))
  }
}
