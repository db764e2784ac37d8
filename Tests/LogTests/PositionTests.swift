import Foundation
import RepriseLog
import XCTest

final class PositionTests: XCTestCase {
  func testPositionsAreCountedInTransactions() {
    let position: Position = 7
    XCTAssertEqual(position.distance(to: 12), 5)
    XCTAssertEqual(position.distance(to: 4), -3)
    XCTAssertEqual(position.advanced(by: -7), 0)
    XCTAssertEqual(position.advanced(by: 3), 10)
    XCTAssertEqual(Array(position...9), [7, 8, 9])
    XCTAssertEqual(position.advanced(by: -1_000), 0, "more than there are")
    XCTAssertEqual(position.advanced(by: .min), 0)
    XCTAssertEqual(Position(.max - 1).advanced(by: .max), Position(.max))
    XCTAssertEqual(Position(.max).advanced(by: -1), Position(.max - 1))
  }

  func testAPositionIsArchivedAsItsNumber() throws {
    let bytes = try JSONEncoder().encode([Position(0), Position(.max)])
    XCTAssertEqual(String(decoding: bytes, as: UTF8.self), "[0,18446744073709551615]")
    XCTAssertEqual(try JSONDecoder().decode([Position].self, from: bytes), [0, Position(.max)])
  }
}
