import XCTest

@testable import LatencyRunner

final class SummaryTests: XCTestCase {
  func testTheMedianOfAnEvenNumberLiesBetweenTheTwoInTheMiddle() {
    XCTAssertEqual(Summary([4, 1, 3])?.median, 3)
    XCTAssertEqual(Summary([4, 1, 3, 2])?.median, 2.5)
    XCTAssertEqual(Summary([7])?.median, 7)
  }

  func testTheHighPercentileOfFewSamplesIsTheLargest() {
    XCTAssertEqual(Summary([7])?.p99, 7)
    XCTAssertEqual(Summary([1, 9, 5])?.p99, 9)
    XCTAssertEqual(Summary((1...99).map(Double.init))?.p99, 99)
  }

  func testTheHighPercentileOfManySamplesLeavesTheLargestHundredthOut() {
    XCTAssertEqual(Summary((1...100).map(Double.init))?.p99, 99)
    XCTAssertEqual(Summary((1...101).map(Double.init))?.p99, 100)
    XCTAssertEqual(Summary((1...1_000).reversed().map(Double.init))?.p99, 990)
  }

  func testCountAndMinimum() {
    XCTAssertEqual(Summary([3, 2, 8])?.count, 3)
    XCTAssertEqual(Summary([3, 2, 8])?.min, 2)
    XCTAssertNil(Summary([]))
  }
}
