import Workload
import XCTest

/// What all peers rest on: that the data is what its description says, and that the check notices a difference.
final class WorkloadTests: XCTestCase {
  func testNoTwoItemsHaveTheSameDateAndDatesAreExactAsNumbers() {
    let ticks = (0..<100_000).map { ItemFacts(number: $0).ticks }
    XCTAssertEqual(Set(ticks).count, ticks.count)
    for tick in ticks.prefix(1_000) { XCTAssertEqual(ItemFacts.ticks(ItemFacts.date(tick)), tick) }
  }

  func testTheVisibleRowsAreThoseAfterTheMiddleInTheOrderOfDates() {
    let ordered = (0..<10_000).sorted { ItemFacts(number: $0).ticks < ItemFacts(number: $1).ticks }
    let middle = (1 << 52) + (1 << 51)
    let expected = ordered.drop { ItemFacts(number: $0).ticks < middle }.prefix(Bench.rows)
    XCTAssertEqual(Bench.visibleRows(of: 10_000), Array(expected))
  }

  func testTextsHaveTheirLengthsAndSerialsTellItemsApart() {
    let items = (0..<50_000).map { ItemFacts(number: $0) }
    for item in items.prefix(100) {
      XCTAssertEqual(item.name.utf8.count, 24)
      XCTAssertEqual(item.serial.utf8.count, 5)
      XCTAssertEqual(item.notes.utf8.count, 120)
    }
    XCTAssertEqual(Set(items.map(\.serial)).count, items.count)
  }

  func testTheDraftChangesFourAttributesOfARowAndNotItsDate() {
    for number in Bench.visibleRows(of: 10_000) {
      let (before, after) = (ItemFacts(number: number), ItemFacts(editedNumber: number))
      XCTAssertNotEqual(before.name, after.name)
      XCTAssertNotEqual(before.serial, after.serial)
      XCTAssertNotEqual(before.notes, after.notes)
      XCTAssertNotEqual(before.value, after.value)
      XCTAssertEqual(before.ticks, after.ticks)
    }
  }

  func testUpdatesReachEveryItemBeforeOneHasASecond() {
    XCTAssertEqual(Set((0..<10_000).map { Bench.update($0, of: 10_000).number }).count, 10_000)
  }

  func testEveryScreenButTheRootHasAScreenAboveItThatCameBefore() {
    XCTAssertNil(ScreenFacts(number: 0).parent)
    for number in 1..<Bench.screens {
      XCTAssertLessThan(ScreenFacts(number: number).parent ?? .max, number)
    }
  }

  func testTheCheckNoticesEveryFact() {
    var facts = RestoredFacts()
    facts.rows = [ItemFacts(number: 1)]
    facts.edited = [ItemFacts(editedNumber: 1)]
    facts.rank = 5
    facts.screens = [("Screen", 2.5)]
    let changes: [(inout RestoredFacts) -> Void] = [
      { $0.rows[0].name += "x" }, { $0.rows[0].serial += "x" }, { $0.rows[0].notes += "x" },
      { $0.rows[0].value += 1 }, { $0.rows[0].ticks += 1 }, { $0.rows[0].hasOwner = true },
      { $0.edited[0].notes += "x" }, { $0.rank += 1 }, { $0.screens[0].title += "x" },
      { $0.screens[0].offset += 1 }, { $0.screens.append(("Screen", 0)) }, { $0.edited = [] },
    ]
    for change in changes {
      var other = facts
      change(&other)
      XCTAssertNotEqual(other.hash, facts.hash)
    }
    XCTAssertEqual(facts.hash, RestoredFacts(facts).hash)
  }

  func testFreshValuesAscend() {
    let first = Bench.freshValue()
    XCTAssertGreaterThan(Bench.freshValue(), first)
  }
}

extension RestoredFacts {
  /// The same facts, put together again.
  fileprivate init(_ other: RestoredFacts) {
    self.init()
    rows = other.rows
    rank = other.rank
    edited = other.edited
    screens = other.screens
  }
}
