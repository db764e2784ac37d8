import RepriseObjectModel
import RepriseTestSeeds
import XCTest

/// Held against sets of single keys.
final class KeyRangesTests: XCTestCase {
  private let keys: [[UInt8]] = [[]] + (0..<4).map { [$0] } + (0..<4).flatMap { a in (0..<4).map { [a, $0] } }

  private func keys(in ranges: KeyRanges) -> Set<[UInt8]> { Set(keys.filter { ranges.contains($0) }) }

  private func random(_ generator: inout SeededGenerator) -> KeyRanges {
    KeyRanges(
      (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
        let upper = Int.random(in: 0..<6, using: &generator) == 0 ? nil : keys.randomElement(using: &generator)
        return KeyRange(lower: keys.randomElement(using: &generator) ?? [], upper: upper)
      })
  }

  func testNoKeyIsLostOrAddedWhereRangesAreCombined() {
    for seed in testSeeds(8) {
      var generator = SeededGenerator(seed: seed)
      for _ in 0..<300 {
        let (left, right) = (random(&generator), random(&generator))
        let union = KeyRanges(left.ranges + right.ranges)
        XCTAssertEqual(keys(in: union), keys(in: left).union(keys(in: right)), "seed \(seed)")
        let both = KeyRanges.intersection([left, right])
        XCTAssertEqual(keys(in: both), keys(in: left).intersection(keys(in: right)), "seed \(seed)")
        XCTAssertEqual(keys(in: left.complement), Set(keys).subtracting(keys(in: left)), "seed \(seed)")
        XCTAssertEqual(left.complement.complement, left, "seed \(seed)")
        for (range, next) in zip(left.ranges, left.ranges.dropFirst()) {
          XCTAssertTrue(range.upper?.lexicographicallyPrecedes(next.lower) ?? false, "seed \(seed): they touch")
        }
        XCTAssertFalse(left.ranges.contains(where: \.isEmpty), "seed \(seed)")
      }
    }
  }
}
