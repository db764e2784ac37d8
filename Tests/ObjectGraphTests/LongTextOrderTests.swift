import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// Texts that agree as far as an index stores them: their order, and every place in it, is that of the whole texts.
final class LongTextOrderTests: XCTestCase {
  private static let stem = "https://example.org/?" + String(repeating: "q=1&", count: 130)

  /// With an index over the text, and a copy without.
  private func context(_ ends: [String]) async throws -> (RootContext, TestStore) {
    let test = try TestStore(Schema(Sale.self, Shop.self))
    let context = RootContext(test.store)
    context.insert(sale("a"))
    for end in ends { context.insert(sale(Self.stem + end)) }
    context.insert(sale("z"))
    try await context.save()
    return (context, test)
  }

  private func sale(_ text: String) -> Sale {
    let sale = Sale(text: text)
    sale.plainText = text
    return sale
  }

  private func ends(_ sales: [Sale]) -> [String] { sales.map { String($0.plainText.dropFirst(Self.stem.count)) } }

  func testLongTextsAreSortedWithAndWithoutIndex() async throws {
    let (context, test) = try await context(["c", "a", "", "b"])
    defer { withExtendedLifetime(test) {} }
    for isIndexed in [true, false] {
      func field(_ fields: Sale.Fields) -> Field<Sale, String> { isIndexed ? fields.text : fields.plainText }
      let up = Fetch<Sale>().sorted { field($0).ascending }
      let down = Fetch<Sale>().sorted { field($0).descending }
      XCTAssertEqual(ends(try context.fetch(up)), ["", "", "a", "b", "c", ""])
      XCTAssertEqual(ends(try context.fetch(down)), ["", "c", "b", "a", "", ""])
      for limit in 1...6 {
        XCTAssertEqual(ends(try context.fetch(up.limit(limit))), Array(["", "", "a", "b", "c", ""].prefix(limit)))
        XCTAssertEqual(ends(try context.fetch(down.limit(1, offset: limit - 1))).count, 1)
      }
      XCTAssertEqual(ends(try context.fetch(up.limit(2, offset: 3))), ["b", "c"])
      XCTAssertEqual(ends(try context.fetch(down.limit(2, offset: 1))), ["c", "b"])
    }
  }

  func testPagingByTheLastRowSkipsNone() async throws {
    let all = (0..<40).map { String(($0 * 7) % 40 + 100) }
    let (context, test) = try await context(all)
    defer { withExtendedLifetime(test) {} }
    for isAscending in [true, false] {
      var found: [String] = []
      var last = isAscending ? "b" : "y"
      while true {
        let fetch = Fetch<Sale> { isAscending ? $0.text > last : $0.text < last }
          .sorted { isAscending ? $0.text.ascending : $0.text.descending }.limit(3)
        let page = try context.fetch(fetch)
        found += ends(page).filter { !$0.isEmpty }
        guard let end = page.last?.text, page.count == 3 else { break }
        last = end
      }
      XCTAssertEqual(found, isAscending ? all.sorted() : all.sorted().reversed())
    }
  }

  func testCountsAndRanksAreOfWholeTexts() async throws {
    let (context, test) = try await context(["c", "a", "b", "a"])
    defer { withExtendedLifetime(test) {} }
    let (a, b) = (Self.stem + "a", Self.stem + "b")
    XCTAssertEqual(try context.count(Fetch<Sale> { $0.text > a }), 3)
    XCTAssertEqual(try context.count(Fetch<Sale> { $0.text <= b }), 4)
    XCTAssertEqual(try context.count(Fetch<Sale> { $0.text == a }), 2)
    XCTAssertEqual(try context.count(Fetch<Sale> { $0.text != b }), 5)
    XCTAssertEqual(try context.count(Fetch<Sale> { $0.text.hasPrefix(b) }), 1)
    XCTAssertEqual(try context.count(Fetch<Sale> { $0.text.isIn([a, b]) }), 3)
    let sorted = Fetch<Sale>().sorted { $0.text.ascending }
    for (place, sale) in try context.fetch(sorted).enumerated() {
      XCTAssertEqual(try context.rank(of: sale.id, in: sorted), place)
    }
  }

  func testARowOfAMissingObjectIsNamed() async throws {
    let (context, test) = try await context(["a", "b"])
    let (a, b) = (Self.stem + "a", Self.stem + "b")
    let gone = try XCTUnwrap(try context.fetch(Fetch<Sale> { $0.plainText == b }).first).id.any.uuid
    let map = try XCTUnwrap(test.store.map.map(Sale.entity.interned))
    try test.store.damageRecords([AnyObjectID(Sale.entity.interned, gone)], map, with: nil)
    let index = try XCTUnwrap(map.indexes[0])
    XCTAssertThrowsError(try RootContext(test.store).count(Fetch<Sale> { $0.text > a })) {
      XCTAssertEqual(
        $0 as? FetchError,
        .notReadable(
          """
          \(test.path) is damaged: index \(index): it has a row for the object \(gone), which the store does not have. \
          Rebuild the store from its log with `StoreMaintenance.rebuild(_:)`. If that fails, restore a backup, or let \
          `StoreMaintenance.salvage(_:to:)` make a new store of the rest.
          """))
    }
  }

  /// A change behind what the table stores moves the row, and writes nothing to the index.
  func testAChangeOfTheEndMovesARow() async throws {
    let (context, test) = try await context(["c", "a", "b"])
    defer { withExtendedLifetime(test) {} }
    let sorted = Fetch<Sale>().sorted { $0.text.ascending }
    let first = try XCTUnwrap(try context.fetch(sorted.limit(1, offset: 1)).first)
    let before = context.position
    first.plainText += "zzz"
    first.text = first.plainText
    XCTAssertEqual(ends(try context.fetch(sorted)), ["", "azzz", "b", "c", ""])
    first.plainText = Self.stem + "bb"
    first.text = first.plainText
    let child = context.makeChild()
    let other = RootContext(test.store)
    other.followsHead = false
    for context in [context, child] { XCTAssertEqual(ends(try context.fetch(sorted)), ["", "b", "bb", "c", ""]) }
    XCTAssertEqual(try context.rank(of: first.id, in: sorted), 2)
    try await context.save()
    XCTAssertEqual(ends(try context.fetch(sorted.limit(1, offset: 2))), ["bb"])
    // Another context at the earlier position, and the past.
    XCTAssertEqual(ends(try other.fetch(sorted)), ["", "a", "b", "c", ""])
    XCTAssertEqual(ends(try test.store.context(at: before).fetch(sorted)), ["", "a", "b", "c", ""])
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertEqual(report.problems, [])
  }

  /// A run of rows that is sorted once, asked by ranks from both ends and from its midst.
  func testALongRunIsReadFromAnywhere() async throws {
    let all = (0..<300).map { String(($0 * 7) % 300 + 1_000) }
    let (context, test) = try await context(all)
    defer { withExtendedLifetime(test) {} }
    let sorted = all.sorted()
    let up = Fetch<Sale> { $0.text > "b" && $0.text < "y" }.sorted { $0.text.ascending }
    let down = Fetch<Sale> { $0.text > "b" && $0.text < "y" }.sorted { $0.text.descending }
    for offset in stride(from: 0, to: 300, by: 37) {
      XCTAssertEqual(ends(try context.fetch(up.limit(5, offset: offset))), Array(sorted[offset...].prefix(5)))
      XCTAssertEqual(
        ends(try context.fetch(down.limit(5, offset: offset))), Array(sorted.reversed()[offset...].prefix(5)))
    }
    XCTAssertEqual(try context.distinct(up) { $0.text }.count, 300)
    XCTAssertEqual(try context.aggregate(up) { $0.text.maximum }, Self.stem + "1299")
    XCTAssertEqual(try context.aggregate(up) { $0.text.minimum }, Self.stem + "1000")
    // What is saved sorts the run again.
    context.insert(sale(Self.stem + "1000a"))
    try await context.save()
    XCTAssertEqual(ends(try context.fetch(up.limit(3))), ["1000", "1000a", "1001"])
  }
}
