import RepriseObjectModel
import RepriseTestSeeds
import XCTest

final class SlotSetTests: XCTestCase {
  func testSlotSetsAgreeWithSetsOfNumbers() {
    var random = SeededGenerator(seed: testSeed(default: 61))
    for _ in 0..<500 {
      let limit = [3, 64, 65, 200].randomElement(using: &random) ?? 3
      func some() -> [Int] {
        (0..<Int.random(in: 0...8, using: &random)).map { _ in Int.random(in: 0..<limit, using: &random) }
      }
      let (left, right) = (some(), some())
      let (set, other) = (SlotSet(left), SlotSet(right))
      XCTAssertEqual(set.sorted, Set(left).sorted())
      XCTAssertEqual(set.isEmpty, left.isEmpty)
      XCTAssertEqual(set == other, Set(left) == Set(right))
      XCTAssertEqual(set.union(other).sorted, Set(left).union(right).sorted())
      XCTAssertEqual(set.isSubset(of: other), Set(left).isSubset(of: right))
      XCTAssertEqual(set.isDisjoint(with: right), Set(left).isDisjoint(with: right))
      for slot in -1...limit { XCTAssertEqual(set.contains(slot), left.contains(slot)) }
    }
  }
}
