import RepriseObjectModel
import RepriseTestArchives
import RepriseTestSeeds
import XCTest

final class UniqueIDTests: XCTestCase {
  func testLaterValuesAreGreaterEvenWhenTheClockStepsBack() {
    let now: UInt64 = 1_900_000_000_000
    var last = UniqueID.next(milliseconds: now, random: .max)
    for milliseconds in [now, now, now - 1, now - 86_400_000, 0, now, now + 1, now] {
      for random in [UInt64.max, 0, 12345] {
        let next = UniqueID.next(milliseconds: milliseconds, random: random)
        XCTAssertLessThan(last, next)
        last = next
      }
    }
  }

  func testMoreValuesThanTheCounterHoldsInOneMillisecond() {
    let now: UInt64 = 1_910_000_000_000
    var last = UniqueID.next(milliseconds: now, random: 0)
    for _ in 0..<10_000 {
      let next = UniqueID.next(milliseconds: now, random: 0)
      XCTAssertLessThan(last, next)
      last = next
    }
    XCTAssertEqual(last.high >> 12 & 0xF, 7)
  }

  func testThreadsNeverGetTheSameValue() async {
    let values = await withTaskGroup(of: [UniqueID].self) { group in
      for _ in 0..<8 {
        group.addTask {
          var values: [UniqueID] = []
          for _ in 0..<1_000 {
            let next = UniqueID()
            if let last = values.last { XCTAssertLessThan(last, next) }
            values.append(next)
          }
          return values
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    // The random bits alone would tell them apart; the stamps must.
    XCTAssertEqual(Set(values.map(\.high)).count, 8_000)
  }

  func testVersionAndVariantAreThoseOfTheStandard() {
    for random in [UInt64.min, .max, 0x1234_5678_9ABC_DEF0] {
      let id = UniqueID.next(milliseconds: 1_000, random: random)
      XCTAssertEqual(id.high >> 12 & 0xF, 7)
      XCTAssertEqual(id.low >> 62, 0b10)
    }
    XCTAssertNotEqual(UniqueID(), .zero)
  }

  func testTextIsTheOneOfTheStandardAndReadsBack() throws {
    let id = UniqueID(high: 0x0189_0A5D_AC96_774B, low: 0xBCCE_B302_099A_8057)
    XCTAssertEqual(id.description, "01890a5d-ac96-774b-bcce-b302099a8057")
    XCTAssertEqual(UniqueID("01890A5D-AC96-774B-BCCE-B302099A8057"), id)
    var random = SeededGenerator(seed: testSeed(default: 21))
    for _ in 0..<1_000 {
      let id = UniqueID(high: random.next(), low: random.next())
      XCTAssertEqual(UniqueID(id.description), id)
      XCTAssertEqual(try ArchivedForm.roundTrip(id), id)
    }
  }

  func testTextsThatAreNoUUIDAreRefused() {
    let good = "01890a5d-ac96-774b-bcce-b302099a8057"
    for text in [
      "", "-", String(good.dropLast()), good + "0", good + "\u{0}", " " + good.dropFirst(), "{\(good)}",
      good.filter { $0 != "-" }, good.replacing("-", with: "_"), good.replacing("a", with: "g"),
      good.replacing("0", with: "٠"), "01890a5dac-96-774b-bcce-b302099a8057", String(repeating: "-", count: 36),
      String(repeating: "é", count: 18),
    ] {
      XCTAssertNil(UniqueID(text), text)
    }
    XCTAssertThrowsError(try ArchivedForm.read(#""x""#, as: UniqueID.self)) { XCTAssertTrue($0 is DecodingError) }
  }

  func testTheOrderIsThatOfTheText() {
    var random = SeededGenerator(seed: testSeed(default: 22))
    for _ in 0..<1_000 {
      let (left, right) = (
        UniqueID(high: random.next() & 1, low: random.next()), UniqueID(high: random.next() & 1, low: random.next())
      )
      XCTAssertEqual(left < right, left.description < right.description)
    }
  }
}

extension String {
  fileprivate func replacing(_ character: Character, with other: Character) -> String {
    String(map { $0 == character ? other : $0 })
  }
}
