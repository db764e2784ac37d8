import RepriseLog
import RepriseTestSeeds
import XCTest

final class RecordVersionTests: XCTestCase {
  /// A history of one object: positions by version, and what each version's event keeps.
  private struct History {
    var header: RecordHeader
    var places: [VersionPlace] = []
    var pointers: [Position: VersionPointers] = [:]

    init(versions: Int, _ random: inout SeededGenerator) {
      header = RecordHeader(kind: .object, version: 0, stack: [])
      var position: Position = 0
      for version in 1...UInt64(versions) {
        position = position + Int.random(in: 1...5, using: &random)
        let kept = Array(header.stack.prefix(VersionPointers.kept(before: version)))
        pointers[position] = VersionPointers(previous: header.stack.last ?? 0, skip: kept.last ?? 0)
        header = RecordHeader(kind: .object, version: version, stack: kept + [position])
        places.append(VersionPlace(version: version, position: position))
      }
    }
  }

  func testPointersLeadWhereTheRuleSays() {
    var random = SeededGenerator(seed: testSeed(default: 1))
    let history = History(versions: 70, &random)
    for place in history.places {
      let pointers = history.pointers[place.position]
      let skipped = VersionPointers.skipped(from: place.version)
      XCTAssertEqual(pointers?.previous, place.version == 1 ? 0 : history.places[Int(place.version) - 2].position)
      XCTAssertEqual(pointers?.skip, skipped == 0 ? 0 : history.places[Int(skipped) - 1].position)
    }
    XCTAssertEqual(history.header.version, 70)
    XCTAssertEqual(history.header.stack, [63, 70].map { history.places[$0 - 1].position })
  }

  func testAnyVersionIsFoundWithinTwiceTheLogarithmOfSteps() {
    var random = SeededGenerator(seed: testSeed())
    let count = Int.random(in: 1_000...1_100, using: &random)
    let history = History(versions: count, &random)
    var most = 0
    for wanted in history.places {
      var steps = 0
      func pointers(_ place: VersionPlace) -> VersionPointers? {
        steps += 1
        return history.pointers[place.position]
      }
      let next = wanted.version < count ? history.places[Int(wanted.version)].position : wanted.position + 10
      for limit in wanted.position..<next {
        steps = 0
        XCTAssertEqual(history.header.place(notAfter: limit, pointers: pointers), wanted)
        most = max(most, steps)
      }
    }
    XCTAssertLessThanOrEqual(most, 2 * 10)
    XCTAssertGreaterThan(most, 5, "the walk was not exercised")
    let unborn = history.places[0].position - 1
    XCTAssertNil(history.header.place(notAfter: unborn, pointers: { history.pointers[$0.position] }))
  }

  func testDamagedPointersEndTheSearch() {
    var random = SeededGenerator(seed: testSeed(default: 2))
    let history = History(versions: 100, &random)
    let circle = { (place: VersionPlace) -> VersionPointers? in
      VersionPointers(previous: place.position, skip: place.position)
    }
    XCTAssertNil(history.header.place(notAfter: 3, pointers: circle))
    XCTAssertNil(history.header.place(notAfter: 3, pointers: { _ in VersionPointers?.none }))
    XCTAssertNil(history.header.place(notAfter: 3, pointers: { _ in VersionPointers.none }))
  }
}
