import Foundation
import RepriseObjectModel
import RepriseTestSeeds
import XCTest

final class SectionFunctionTests: XCTestCase {
  private struct Row {
    let value: PropertyValue
    let key: [UInt8]
  }

  /// Rows of one index: of one kind, and nil.
  private func rows(
    _ random: inout SeededGenerator, _ collation: Collation = .binary,
    _ make: (inout SeededGenerator) -> PropertyValue
  ) -> [Row] {
    var rows: [Row] = []
    for _ in 0..<300 {
      let value = Int.random(in: 0..<10, using: &random) == 0 ? .null : make(&random)
      let uuid = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
      rows.append(Row(value: value, key: OrderKey.bytes(of: collation.key(of: value)) + uuid))
    }
    return rows.sorted { $0.key.lexicographicallyPrecedes($1.key) }
  }

  private func check(
    _ function: SectionFunction, _ rows: [Row], _ collation: Collation = .binary, at line: UInt = #line
  ) {
    var finished: Set<String> = []
    var start = 0
    while start < rows.count {
      let name = function.name(ofRowKey: rows[start].key, collation)
      let upper = function.upperBound(ofRowKey: rows[start].key, collation)
      let end = rows[start...].firstIndex { !$0.key.lexicographicallyPrecedes(upper) } ?? rows.count
      XCTAssertTrue(finished.insert(name).inserted, "section \(name) is torn", line: line)
      for row in rows[start..<end] {
        XCTAssertEqual(function.name(of: row.value, collation), name, "\(row.value)", line: line)
        XCTAssertEqual(function.name(ofRowKey: row.key, collation), name, "\(row.value)", line: line)
        XCTAssertEqual(function.upperBound(ofRowKey: row.key, collation), upper, "\(row.value)", line: line)
        let lower = function.lowerBound(ofRowKey: row.key, collation)
        XCTAssertFalse(row.key.lexicographicallyPrecedes(lower), "\(row.value)", line: line)
        if start > 0 { XCTAssertTrue(rows[start - 1].key.lexicographicallyPrecedes(lower), "\(row.value)", line: line) }
      }
      XCTAssertGreaterThan(end, start, line: line)
      if end == start { return }
      start = end
    }
  }

  func testDaysFoundBySeekingAreThoseFoundInMemory() {
    var random = SeededGenerator(seed: testSeed(default: 12))
    for offset in [0, 3600, -45_900, 1] {
      check(.day(offset: offset), rows(&random) { .date(RandomValues.number(&$0)) })
      check(.day(offset: offset), rows(&random) { .date(Double.random(in: -3e6...3e6, using: &$0)) })
      check(.day(offset: offset), rows(&random) { .string(RandomValues.text(&$0)) })
      check(
        .day(offset: offset),
        rows(&random) { numbers in
          // Right before midnight, at it, and right after.
          let midnight = Double(Int.random(in: -9...9, using: &numbers) * 86_400 - offset)
          return .date([midnight.nextDown, midnight, midnight.nextUp].randomElement(using: &numbers) ?? 0)
        })
    }
  }

  func testADayIsNamedAsTheCalendarHasIt() {
    func name(_ seconds: Double, _ offset: Int = 0) -> String {
      SectionFunction.day(offset: offset).name(of: .date(seconds))
    }
    XCTAssertEqual(name(0), "2001-01-01")
    XCTAssertEqual(name(-1), "2000-12-31")
    XCTAssertEqual(name(-1, 3600), "2001-01-01")
    for offset in [Int.min, .max] { XCTAssertEqual(name(-1, offset), "-1.0") }
    XCTAssertEqual(name(1_709_208_000 - 978_307_200), "2024-02-29")
    XCTAssertEqual(name(-978_307_200), "1970-01-01")
    XCTAssertEqual(name(-63_113_904_000), "0001-01-01")
    XCTAssertEqual(name(-63_113_904_000 - 366 * 86_400), "0000-01-01")
    XCTAssertEqual(name(-63_113_904_000 - 367 * 86_400), "-0001-12-31")
    XCTAssertEqual(name(252_423_993_600), "10000-01-01")
    XCTAssertEqual(name(.infinity), "inf")
    XCTAssertEqual(SectionFunction.day(offset: 0).name(of: .null), "")
  }

  func testAnArchiveHasTheNameOfTheFunction() throws {
    for function in [SectionFunction.value, .firstCharacter, .day(offset: 3600), .day(offset: -60)] {
      let bytes = try JSONEncoder().encode([function])
      XCTAssertEqual(try JSONDecoder().decode([SectionFunction].self, from: bytes), [function])
    }
    // As versions wrote it before there were days.
    let earlier = try JSONDecoder().decode([SectionFunction].self, from: Data(#"["value","firstCharacter"]"#.utf8))
    XCTAssertEqual(earlier, [.value, .firstCharacter])
    for name in ["", "day", "days1", "week1"] {
      XCTAssertThrowsError(try JSONDecoder().decode([SectionFunction].self, from: Data(#"["\#(name)"]"#.utf8)), name)
    }
  }

  func testSectionsFoundBySeekingAreThoseFoundInMemory() {
    var random = SeededGenerator(seed: testSeed(default: 11))
    for function in [SectionFunction.value, .firstCharacter] {
      for _ in 0..<3 {
        check(function, rows(&random) { .string(RandomValues.text(&$0)) })
        check(function, rows(&random) { .bytes(RandomValues.bytes(&$0)) })
        check(function, rows(&random) { .double(RandomValues.number(&$0)) })
        check(function, rows(&random) { .int(Int64.random(in: -20...20, using: &$0)) })
        check(function, rows(&random) { .bool(Bool.random(using: &$0)) })
      }
    }
  }

  func testSectionsUnderACollation() {
    for seed in testSeeds(1) {
      var random = SeededGenerator(seed: seed)
      let stem = String(repeating: "m", count: RowKey.storedLimit - 8)
      for collation in CollationOracle.collations {
        for function in [SectionFunction.value, .firstCharacter] {
          check(function, rows(&random, collation) { .string(CollationOracle.text(&$0).text) }, collation)
          check(function, rows(&random, collation) { .string(stem + CollationOracle.text(&$0).text) }, collation)
          check(function, rows(&random, collation) { .string(RandomValues.text(&$0)) }, collation)
        }
      }
    }
    let first = SectionFunction.firstCharacter
    XCTAssertEqual(first.name(of: .string("élan"), [.ignoringCase, .ignoringDiacritics]), "E")
    XCTAssertEqual(first.name(of: .string("élan"), .ignoringCase), "É")
    XCTAssertEqual(first.name(of: .string("ßa"), .ignoringCase), "S")
    XCTAssertEqual(first.name(of: .string("ı"), .ignoringCase), "ı")
    XCTAssertEqual(first.name(of: .string("123 Main Street"), .natural), "0-9")
    XCTAssertEqual(first.name(of: .string("123 Main Street"), .ignoringCase), "1")
    XCTAssertEqual(SectionFunction.value.name(of: .string("Öl 007"), [.ignoringDiacritics, .natural]), "Ol 7")
    XCTAssertEqual(first.name(of: .string(""), .natural), "")
    XCTAssertEqual(first.name(of: .null, .natural), "")
  }

  func testLongTextsAreSectionsOfTheirOwn() {
    var random = SeededGenerator(seed: testSeed(default: 12))
    let ends = ["a", "é", "ê", "€", "₭", "😀", "😁", "🚀", "\u{0}", "b", "\u{10FFFF}", "\u{FFFD}", " …"]
    for room in 0...4 {
      let stem = String(repeating: "m", count: RowKey.storedLimit - room)
      let rows = rows(&random) { random in
        .string(
          stem
            + (0..<Int.random(in: 0...3, using: &random)).map { _ in ends.randomElement(using: &random) ?? "" }.joined()
        )
      }
      check(.value, rows)
      check(.firstCharacter, rows)
    }
  }

  func testNames() {
    let first = SectionFunction.firstCharacter
    XCTAssertEqual(first.name(of: .string("e\u{301}cole")).unicodeScalars.map(\.value), [0xE9])
    XCTAssertEqual(first.name(of: .string("Ada")), "A")
    XCTAssertEqual(first.name(of: .string("")), "")
    XCTAssertEqual(first.name(of: .null), "")
    XCTAssertEqual(SectionFunction.value.name(of: .int(-5)), "-5")
    XCTAssertEqual(SectionFunction.value.name(of: .bool(true)), "true")
    XCTAssertEqual(SectionFunction.value.name(of: .bytes([0, 255])), "0x00ff")
    XCTAssertEqual(SectionFunction.value.name(of: .string("Ada")), "Ada")
  }

  func testAShortTextThatIsMarkedAsCutDoesNotStopASeek() {
    for key in [[1, 0, 1, 2], [1, 0x61, 0, 1, 2]] as [[UInt8]] {
      for function in [SectionFunction.value, .firstCharacter] {
        XCTAssertEqual(function.name(ofRowKey: key), "")
        XCTAssertTrue(key.lexicographicallyPrecedes(function.upperBound(ofRowKey: key)), "\(key)")
      }
    }
  }

  func testDamagedKeysNeitherTrapNorStopASeek() {
    var random = SeededGenerator(seed: testSeed(default: 13))
    for round in 0..<5_000 {
      var key = OrderKey.bytes(of: RandomValues.value(&random)) + [UInt8](repeating: 0, count: 16)
      if round % 2 == 0 {
        key = (0..<Int.random(in: 0...20, using: &random)).map { _ in UInt8.random(in: 0...10, using: &random) }
      }
      key = Array(key.prefix(Int.random(in: 0...max(1, key.count), using: &random)))
      if !key.isEmpty { key[Int.random(in: 0..<key.count, using: &random)] = UInt8.random(in: 0...255, using: &random) }
      for function in [SectionFunction.value, .firstCharacter] {
        _ = function.name(ofRowKey: key)
        XCTAssertTrue(key.lexicographicallyPrecedes(function.upperBound(ofRowKey: key)), "\(key)")
      }
      _ = OrderKey.length(key)
    }
  }
}
