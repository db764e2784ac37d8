import RepriseEventStore
import RepriseObjectModel
import RepriseTestModels
import RepriseTestSeeds
import XCTest

@testable import RepriseObjectGraph

final class RecordedStepsTests: XCTestCase {
  func testStepsComeBackAsTheyWereGrouped() {
    var random = SeededGenerator(seed: testSeed(default: 5))
    var steps = RecordedSteps()
    var expected: [DraftGroup] = []
    for number in 0..<3_000 {
      let name = Bool.random(using: &random) ? "\(number)" : nil
      let edit = DraftEdit(
        object: AnyObjectID(Item.entity.interned, UniqueID(high: 1, low: UInt64(number))), change: .deleted([]))
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        steps.append(edit, startsGroup: true, name: name)
        expected.append(DraftGroup(name: name, edits: [edit]))
      case 2 where !expected.isEmpty:
        steps.append(edit, startsGroup: false, name: name)
        expected[expected.count - 1].edits.append(edit)
      case 3:
        let group = DraftGroup(name: name, edits: Array(repeating: edit, count: number % 3))
        steps.append(group)
        expected.append(group)
      case 4: XCTAssertEqual(steps.popLast(), expected.popLast())
      default:
        XCTAssertEqual(steps.count, expected.count)
        XCTAssertEqual(steps.lastName, expected.last?.name)
      }
      if number % 50 == 0 { XCTAssertEqual(steps.groups, expected) }
    }
    XCTAssertGreaterThan(expected.count, 100)
    while !expected.isEmpty { XCTAssertEqual(steps.popLast(), expected.popLast()) }
    XCTAssertNil(steps.popLast())
  }
}
