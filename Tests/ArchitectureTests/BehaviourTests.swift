import XCTest

/// The behaviours that restoration has, by number: each is held by a test whose name begins with it.
///
/// 1–8 identity, 9–17 order of a restoration, 18–26 registered objects and factories, 27–34 contexts, 35–40 rows,
/// 41–46 versions, 47–53 damage, 54–56 nested nodes, 57–61 saving, 62–66 scenes and late objects, 67–70 crashes.
final class BehaviourTests: XCTestCase {
  func testEachOfTheSeventyBehavioursHasATestThatBeginsWithItsNumber() throws {
    let tests = QuotedTests.declared(in: try Checkout.files(under: "Tests"))
    XCTAssertEqual(Behaviours.missing(from: tests), [])
  }

  func testAMissingBehaviourIsFound() {
    let all = Set((1...70).map { "test\($0)AThingIsSo" })
    XCTAssertEqual(Behaviours.missing(from: all), [])
    XCTAssertEqual(Behaviours.missing(from: all.subtracting(["test7AThingIsSo"])), [7])
    let shared = all.subtracting(["test7AThingIsSo", "test8AThingIsSo"]).union(["test7And8BothAreSo"])
    XCTAssertEqual(Behaviours.missing(from: shared), [])
    // A number within a name, or of another sort, holds nothing.
    let others: Set = ["testAllOf7AreSo", "test7", "test71AThingIsSo", "test7th"]
    XCTAssertEqual(Behaviours.missing(from: others).count, 70)
  }
}

private enum Behaviours {
  /// The numbers that no test begins with.
  static func missing(from tests: Set<String>) -> [Int] {
    let held = Set(tests.flatMap(numbers))
    return (1...70).filter { !held.contains($0) }
  }

  /// The numbers before the words of a name: of `test7And8BothAreSo` 7 and 8.
  private static func numbers(of test: String) -> [Int] {
    var numbers: [Int] = []
    var rest = test.dropFirst(4)
    while true {
      let digits = rest.prefix { $0.isNumber }
      guard let number = Int(digits) else { return [] }
      numbers.append(number)
      rest = rest.dropFirst(digits.count)
      guard rest.hasPrefix("And"), rest.dropFirst(3).first?.isNumber ?? false else { break }
      rest = rest.dropFirst(3)
    }
    return rest.first?.isUppercase ?? false ? numbers : []
  }
}
