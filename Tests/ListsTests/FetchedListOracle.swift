import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// What a test knows of an item, without the library.
struct Row: Equatable {
  var id: Item.ID
  var name: String
  var value: Int
  var weight: Double?
  var isInsured: Bool
}

/// A fetch, and the same in plain Swift.
struct ListCase {
  let label: String
  let fetch: Fetch<Item>
  var isCounted = true
  var matches: (Row) -> Bool = { _ in true }
  /// Whether one row stands before another, ties aside.
  var precedes: (Row, Row) -> Bool = { _, _ in false }
  var isDescending = false
  var section: ((Row) -> String)?
  var limit = Int.max
  var offset = 0

  /// The rows in order.
  func rows(of all: some Sequence<Row>) -> [Row] {
    let found = all.filter(matches).sorted { left, right in
      if precedes(left, right) { return true }
      if precedes(right, left) { return false }
      return isDescending ? right.id < left.id : left.id < right.id
    }
    return Array(found.dropFirst(offset).prefix(limit))
  }

  func snapshot(of rows: [Row]) -> ListSnapshot {
    guard let section else { return ListSnapshot(rowCount: rows.count) }
    var names: [String] = []
    var counts: [Int] = []
    for name in rows.map(section) {
      if names.last == name { counts[counts.count - 1] += 1 } else { names.append(name); counts.append(1) }
    }
    return ListSnapshot(zip(names, counts).map { ListSnapshot.Section(name: $0, rowCount: $1) })
  }

  static func byName(_ left: Row, _ right: Row) -> Bool {
    left.name.unicodeScalars.lexicographicallyPrecedes(right.name.unicodeScalars)
  }
  static func firstScalar(_ row: Row) -> String { row.name.unicodeScalars.first.map { String($0) } ?? "" }

  /// Names in their composed form, so that plain Swift sorts them as the library does.
  static let names = ["", "a", "ab", "ape", "b", "bat", "École", "Été", "zebra", "a\u{0}b", "\u{1F600}", "A"]

  static var all: [ListCase] {
    [
      ListCase(label: "name", fetch: Fetch<Item>().sorted { $0.name.ascending }, precedes: byName),
      ListCase(
        label: "name, by first character",
        fetch: Fetch<Item>().sorted { $0.name.ascending }.sectioned { $0.name.firstCharacter() }, precedes: byName,
        section: firstScalar),
      ListCase(
        label: "name descending, by first character",
        fetch: Fetch<Item>().sorted { $0.name.descending }.sectioned { $0.name.firstCharacter() },
        precedes: { byName($1, $0) }, isDescending: true, section: firstScalar),
      ListCase(
        label: "20 <= value < 60",
        fetch: Fetch<Item> { $0.valueInDollars >= 20 && $0.valueInDollars < 60 }.sorted { $0.valueInDollars.ascending },
        matches: { $0.value >= 20 && $0.value < 60 }, precedes: { $0.value < $1.value }),
      ListCase(
        label: "value > 30 descending, by value",
        fetch: Fetch<Item> { $0.valueInDollars > 30 }.sorted { $0.valueInDollars.descending }
          .sectioned { $0.valueInDollars.section },
        matches: { $0.value > 30 }, precedes: { $0.value > $1.value }, isDescending: true, section: { "\($0.value)" }),
      ListCase(
        label: "name prefix, limit 4 offset 2",
        fetch: Fetch<Item> { $0.name.hasPrefix("a") }.sorted { $0.name.ascending }.limit(4, offset: 2),
        matches: { $0.name.hasPrefix("a") }, precedes: byName, limit: 4, offset: 2),
      ListCase(
        label: "value descending, limit 7 offset 3, by value",
        fetch: Fetch<Item>().sorted { $0.valueInDollars.descending }.sectioned { $0.valueInDollars.section }
          .limit(7, offset: 3),
        precedes: { $0.value > $1.value }, isDescending: true, section: { "\($0.value)" }, limit: 7, offset: 3),
      ListCase(label: "unsorted", fetch: Fetch<Item>(), isCounted: false),
      ListCase(
        label: "insured, by name then value descending",
        fetch: Fetch<Item> { $0.isInsured == true }.sorted { [$0.name.ascending, $0.valueInDollars.descending] }
          .sectioned { $0.name.firstCharacter() },
        isCounted: false, matches: \.isInsured,
        precedes: { byName($0, $1) || $0.name == $1.name && $0.value > $1.value }, isDescending: true,
        section: firstScalar),
      ListCase(
        label: "weight, limit 5",
        fetch: Fetch<Item>().sorted { $0.weight.ascending }.limit(5), isCounted: false,
        precedes: { left, right in
          guard let r = right.weight else { return false }
          return left.weight.map { $0 < r } ?? true
        }, limit: 5),
    ]
  }
}

/// A list under test: what it should show, and the batches that it delivered.
final class CheckedList {
  let testCase: ListCase
  let list: FetchedList<Item>
  private let recorder: Recorder?

  init(_ testCase: ListCase, in context: ObjectContext, isObserved: Bool) throws {
    self.testCase = testCase
    list = try FetchedList(testCase.fetch, in: context)
    recorder = isObserved ? Recorder(list) : nil
  }

  func check(_ all: [Item.ID: Row], _ note: String, _ numbers: inout SeededGenerator) {
    let rows = testCase.rows(of: all.values)
    let note = "\(testCase.label): \(note)"
    XCTAssertEqual(list.snapshot, testCase.snapshot(of: rows), note)
    if let recorder { XCTAssertEqual(recorder.shown, list.snapshot, "changed without a batch; \(note)") }
    XCTAssertEqual(list.count, rows.count, note)
    let found = list.elements.map {
      Row(id: $0.id, name: $0.name, value: $0.valueInDollars, weight: $0.weight, isInsured: $0.isInsured)
    }
    XCTAssertEqual(found, rows, note)
    XCTAssertEqual(list.explain().rows == .inMemory, !testCase.isCounted, note)
    for _ in 0..<4 {
      guard let id = all.keys.sorted().randomElement(using: &numbers) else { break }
      let expected = rows.firstIndex { $0.id == id }.flatMap { list.snapshot.path(at: $0) }.map(RowLookup.row)
      XCTAssertEqual(list.row(for: id), expected ?? .filteredOut, note)
      if let path = expected?.path, let identifier = list.modelIdentifier(at: path) {
        XCTAssertEqual(list.row(for: identifier), .row(path), note)
      }
    }
  }
}
