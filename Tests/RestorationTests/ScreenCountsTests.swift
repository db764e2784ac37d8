import RepriseTestSeeds
import XCTest

@testable import RepriseRestoration

final class ScreenCountsTests: XCTestCase {
  private final class Screen {}

  func testEachScreenIsCountedOnItsOwnThroughRandomComingAndGoing() {
    var random = SeededGenerator(seed: testSeed(default: 3))
    let screens = (0..<300).map { _ in Screen() }
    var counts = ScreenCounts()
    var expected = [Int](repeating: 0, count: screens.count)
    for step in 0..<20_000 {
      let number = Int.random(in: screens.indices, using: &random)
      // Waves: most are shown, and gone again.
      let isMore = Int.random(in: 0..<4, using: &random) < ((step / 2_000).isMultiple(of: 2) ? 3 : 1)
      if isMore {
        XCTAssertEqual(counts.contains(screens[number]), expected[number] > 0)
        counts.add(screens[number])
        expected[number] += 1
      } else {
        counts.remove(screens[number])
        expected[number] = max(0, expected[number] - 1)
      }
    }
    for (screen, count) in zip(screens, expected) { XCTAssertEqual(counts.contains(screen), count > 0) }
  }
}
