import RepriseObjectModel
import RepriseTestSeeds
import XCTest

/// An order that is not ascending would make bytes differ that must be equal.
final class HeapSortTests: XCTestCase {
  func testItSortsLikeTheStandardLibrary() {
    var random = SeededGenerator(seed: testSeed())
    for count in 0..<200 {
      let numbers = (0..<count).map { _ in Int.random(in: 0..<100, using: &random) }
      XCTAssertEqual(numbers.heapSorted(by: <), numbers.sorted())
      XCTAssertEqual(numbers.heapSorted(by: >), numbers.sorted(by: >))
    }
  }
}
