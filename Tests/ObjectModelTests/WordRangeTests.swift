import RepriseObjectModel
import RepriseTestSeeds
import XCTest

final class WordRangeTests: XCTestCase {
  /// A search for the words of a pasted text has thousands of them, so what is left out must not be found pair by pair.
  func testNeededAreThoseInWhichNoOtherLies() {
    var random = SeededGenerator(seed: testSeed())
    func contains(_ left: WordRange, _ right: WordRange) -> Bool {
      left.isPrefix ? right.word.starts(with: left.word) : left == right
    }
    for _ in 0..<2_000 {
      let ranges = (0..<Int.random(in: 0...8, using: &random)).map { _ in
        WordRange(
          (0..<Int.random(in: 0...3, using: &random)).map { _ in UInt8.random(in: 97...98, using: &random) },
          isPrefix: .random(using: &random))
      }
      let needed = Set(ranges.filter { range in !ranges.contains { $0 != range && contains(range, $0) } })
      let found = WordRange.needed(ranges)
      XCTAssertEqual(found, needed.sorted { $0.keys.lower.lexicographicallyPrecedes($1.keys.lower) }, "\(ranges)")
    }
  }
}
