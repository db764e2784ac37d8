import RepriseObjectModel
import RepriseTestSeeds
import XCTest

final class ObjectMapTests: XCTestCase {
  private let names = [EntityName("ObjectMapTests.A"), EntityName("ObjectMapTests.B")]

  /// Few UUIDs, many of which share the beginning of their search, in two entities.
  private func ids() -> [AnyObjectID] {
    let all = (0..<4_000).map { UniqueID(high: 1, low: $0) }
    // In one process of thousands, no such ID has a `spread` of a few given numbers.
    let crowded = all.sorted { ($0.spread & 31, $0.low) < ($1.spread & 31, $1.low) }.prefix(150)
    return names.flatMap { name in crowded.map { AnyObjectID(name, $0) } }
  }

  func testItHoldsWhatADictionaryHoldsThroughRandomChanges() {
    var random = SeededGenerator(seed: testSeed(default: 1))
    let ids = ids()
    XCTAssertGreaterThan(ids.count, 200)
    var map = ObjectMap<Int>()
    var dictionary: [AnyObjectID: Int] = [:]
    for step in 0..<20_000 {
      // Waves: it fills, and empties again.
      let fills = (step / 2_000).isMultiple(of: 2)
      let id = ids[Int.random(in: 0..<ids.count, using: &random)]
      let value = Int.random(in: 0..<4, using: &random) < (fills ? 3 : 1) ? step : nil
      map[id] = value
      dictionary[id] = value
      XCTAssertEqual(map.count, dictionary.count)
      if step % 97 == 0 {
        for id in ids { XCTAssertEqual(map[id], dictionary[id]) }
        XCTAssertEqual(Dictionary(uniqueKeysWithValues: map.map { ($0.key, $0.value) }), dictionary)
        XCTAssertEqual(Set(map.keys), Set(dictionary.keys))
      }
    }
  }

  func testEqualityAsksForContentsAndNotForTheOrderOfTheirComing() {
    let ids = ids()
    var forwards = ObjectMap<Int>()
    var backwards = ObjectMap<Int>()
    for (value, id) in ids.enumerated() { forwards[id] = value }
    for (value, id) in ids.enumerated().reversed() { backwards[id] = value }
    XCTAssertEqual(forwards, backwards)
    var copy = forwards
    XCTAssertEqual(copy, forwards)
    copy[ids[7]] = -1
    XCTAssertNotEqual(copy, forwards)
    XCTAssertEqual(forwards[ids[7]], 7)
    copy[ids[7]] = nil
    XCTAssertNotEqual(copy, forwards)
  }

  func testAnUpdateSeesThePresentValueAndMayTakeItAway() {
    let id = ids()[0]
    var map: ObjectMap<Int> = [id: 1]
    map.update(id) { $0.map { $0 + 1 } }
    XCTAssertEqual(map[id], 2)
    XCTAssertTrue(map.contains(id))
    map.update(id) { _ in nil }
    XCTAssertTrue(map.isEmpty)
    map.update(id) { known in
      XCTAssertNil(known)
      return nil
    }
    XCTAssertFalse(map.contains(id))
  }
}
