import RepriseEventStore
import XCTest

final class WriteTurnsTests: XCTestCase {
  func testAWriteWithinTheTurnNeedNotWait() {
    var turns = WriteTurns()
    let outer = WriteTurns.Write(id: 1, enclosing: [])
    XCTAssertEqual(turns.enter(.turn, outer), .passed)
    XCTAssertEqual(turns.enter(.turn, WriteTurns.Write(id: 2, enclosing: [1])), .withoutTurn)
    XCTAssertEqual(turns.enter(.turn, WriteTurns.Write(id: 3, enclosing: [1, 2])), .withoutTurn)
    XCTAssertNil(turns.enter(.turn, WriteTurns.Write(id: 4, enclosing: [])))
    XCTAssertNil(turns.enter(.turn, WriteTurns.Write(id: 5, enclosing: [4])))
  }
}
