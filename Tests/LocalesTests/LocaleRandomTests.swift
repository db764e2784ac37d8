import RepriseEventStore
import RepriseLists
import RepriseLocales
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestSeeds
import XCTest

/// Whatever is uncommitted, here and below, and whatever others saved since: fetches and lists in the order of a locale
/// are the same with an index and without, and what plain Swift makes of a table written by hand.
final class LocaleRandomTests: XCTestCase {
  /// In the order of Swedish dictionaries, case aside, with the letter that divides them. What is the same as the name
  /// before says so.
  private static let table: [(name: String, letter: String, isSame: Bool)] = [
    ("", "", false), ("«citat»", "#", false), ("5", "#", false), ("0012", "#", false), ("Émile", "E", false),
    ("item 9", "I", false), ("Item 009", "I", true), ("item 10", "I", false), ("item 100", "I", false),
    ("ITEM 100", "I", true), ("oas", "O", false), ("Wien", "W", false), ("Zebra", "Z", false), ("zebra", "Z", true),
    ("Ål", "Å", false), ("A\u{30A}l", "Å", true), ("äng", "Ä", false), ("Öl", "Ö", false), ("öl", "Ö", true),
    ("öland", "Ö", false), (String(repeating: "ö", count: 500), "Ö", false), ("Ωmega", "…", false),
    ("漢", "…", false),
  ]

  /// By name its letter, and its place in the order.
  private static let known: [String?: (rank: Int, letter: String)] = {
    var known: [String?: (rank: Int, letter: String)] = [nil: (-1, "")]
    for (place, entry) in table.enumerated() {
      let rank = entry.isSame ? known[table[place - 1].name]?.rank ?? place : place
      known[entry.name] = (rank, entry.letter)
    }
    return known
  }()

  private func name(_ random: inout SeededGenerator) -> String? {
    Int.random(in: 0..<12, using: &random) == 0 ? nil : Self.table.randomElement(using: &random)?.name
  }

  private func edit(_ context: EditingContext, _ random: inout SeededGenerator) throws {
    let places = try context.fetch(Fetch<Place>())
    guard let place = places.randomElement(using: &random), Int.random(in: 0..<4, using: &random) > 0 else {
      context.insert(Place(name(&random), zone: Int.random(in: 0..<3, using: &random)))
      return
    }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: context.delete(place)
    case 1: context.undo()
    case 2: place.zone = Int.random(in: 0..<3, using: &random)
    default:
      let name = name(&random)
      context.group("Rename") {
        place.name = name
        place.copy = name
      }
    }
  }

  /// A list and its rows as its batches say.
  private final class Shown {
    let list: FetchedList<Place>
    private var rows: [[Place.ID]]
    private var observation: ListObservation?

    init(_ fetch: Fetch<Place>, in context: ObjectContext) throws {
      list = try FetchedList(fetch, in: context)
      rows = try list.identifiers.sections.map(\.ids)
      observation = list.observe { [unowned self] batch in
        XCTAssertFalse(batch.isReset)
        batch.apply(to: &rows) { list.element(at: $0).id }
      }
    }

    func check(_ expected: [(name: String?, ids: [Place.ID])], _ note: String) throws {
      XCTAssertEqual(rows, try list.identifiers.sections.map(\.ids), note)
      XCTAssertEqual(rows, expected.map(\.ids), note)
      XCTAssertEqual(list.snapshot.sections.map(\.name), expected.map(\.name), note)
    }
  }

  private struct Kind {
    let isIndexed: Bool
    let isAscending: Bool
    let hasSections: Bool
    let zone: Int?
    let least: String?
    let window: Range<Int>?

    var fetch: Fetch<Place> {
      func name(_ fields: Place.Fields) -> Field<Place, String> {
        (isIndexed ? fields.name : fields.copy).collated(Place.loose)
      }
      var fetch = Fetch<Place> { fields in
        var conditions: [Condition<Place>] = []
        if let zone { conditions.append(fields.zone == zone) }
        if let least { conditions.append(name(fields) >= least) }
        return .all(conditions)
      }
      .sorted { isAscending ? name($0).ascending : name($0).descending }
      if hasSections { fetch = fetch.sectioned { name($0).firstCharacter() } }
      return window.map { fetch.limit($0.count, offset: $0.lowerBound) } ?? fetch
    }

    func sections(of places: [Place]) -> [(name: String?, ids: [Place.ID])] {
      func rank(_ place: Place) -> Int { LocaleRandomTests.known[place.name]?.rank ?? -2 }
      let floor = least.flatMap { LocaleRandomTests.known[$0]?.rank }
      var found = places.filter { place in
        (zone.map { place.zone == $0 } ?? true) && (floor.map { place.name != nil && rank(place) >= $0 } ?? true)
      }
      found.sort { left, right in
        let (l, r) = ((rank(left), left.id), (rank(right), right.id))
        return isAscending ? l < r : r < l
      }
      if let window { found = Array(found.dropFirst(window.lowerBound).prefix(window.count)) }
      guard hasSections else { return [(nil, found.map(\.id))] }
      var sections: [(name: String?, ids: [Place.ID])] = []
      for place in found {
        let letter = LocaleRandomTests.known[place.name]?.letter ?? "?"
        if sections.last?.name != letter { sections.append((letter, [])) }
        sections[sections.count - 1].ids.append(place.id)
      }
      return sections
    }
  }

  private static var kinds: [Kind] {
    [true, false].flatMap { isIndexed in
      [
        Kind(isIndexed: isIndexed, isAscending: true, hasSections: true, zone: nil, least: nil, window: nil),
        Kind(isIndexed: isIndexed, isAscending: false, hasSections: true, zone: nil, least: "oas", window: nil),
        Kind(isIndexed: isIndexed, isAscending: true, hasSections: false, zone: 1, least: nil, window: nil),
        Kind(isIndexed: isIndexed, isAscending: true, hasSections: true, zone: nil, least: nil, window: 3..<9),
        Kind(isIndexed: isIndexed, isAscending: false, hasSections: false, zone: 2, least: "item 10", window: 0..<4),
      ]
    }
  }

  func testFetchesAndListsInTheOrderOfALocaleAreWhatATableByHandMakes() async throws {
    let changes = ProcessInfo.processInfo.environment["REPRISE_CHANGES"].flatMap { Int($0) } ?? 60
    for seed in testSeeds(max(1, changes / 60)) {
      var random = SeededGenerator(seed: seed)
      let test = try LocaleStore()
      let root = RootContext(test.store)
      let other = RootContext(test.store)
      root.followsHead = false
      for _ in 0..<40 { try edit(root, &random) }
      try await root.save()
      let child = root.makeChild()
      let contexts: [EditingContext] = [root, child, other]
      let lists = try contexts.map { context in try Self.kinds.map { try Shown($0.fetch, in: context) } }
      for step in 0..<60 {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: do { try child.save() } catch is SaveError { child.discard() }
        case 1: do { try await root.save(merging: .mine) } catch is SaveError { root.discard() }
        case 2: do { try await other.save(merging: .mine) } catch is SaveError { other.discard() }
        case 3: try root.refresh()
        case 4: try other.refresh()
        default: try edit(contexts[Int.random(in: 0..<3, using: &random)], &random)
        }
        for (context, lists) in zip(contexts, lists) {
          let places = try context.fetch(Fetch<Place>())
          for (kind, list) in zip(Self.kinds, lists) {
            let note = "seed \(seed), step \(step), \(kind)"
            let expected = kind.sections(of: places)
            try list.check(expected, note)
            guard step % 5 == 0 else { continue }
            let ids = expected.flatMap(\.ids)
            XCTAssertEqual(try context.fetchIDs(kind.fetch), ids, note)
            XCTAssertEqual(try context.fetch(kind.fetch).map(\.id), ids, note)
            for id in ids.prefix(3) {
              XCTAssertEqual(try context.rank(of: id, in: kind.fetch), ids.firstIndex(of: id), note)
            }
          }
        }
        if testRun?.totalFailureCount ?? 0 > 0 { return }
      }
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertEqual(report.problems, [], "seed \(seed)")
    }
  }
}
