import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// With an index of the collation, with one that narrows the search, or with none; whatever is uncommitted, here and
/// below, and whatever others saved since: what a fetch under a collation finds is what a look at every object finds.
final class CollationRandomTests: XCTestCase {
  /// By text the key of each collation, written by hand: these few are compared, and nothing else occurs.
  private static let texts: [(text: String, plain: String, number: Int?)] = [
    ("", "", nil), ("item 9", "item ", 9), ("Item 10", "item ", 10), ("ITEM 010", "item ", 10), ("ítem 9", "item ", 9),
    ("item 100", "item ", 100), ("item", "item", nil), ("Zebra", "zebra", nil), ("zébra", "zebra", nil),
    ("ze\u{301}bra", "zebra", nil), ("zebra 2", "zebra ", 2), ("Straße 1", "strasse ", 1),
    ("STRASSE 01", "strasse ", 1),
    (String(repeating: "é", count: 300) + "a", String(repeating: "e", count: 300) + "a", nil),
    (String(repeating: "E", count: 500) + "b", String(repeating: "e", count: 500) + "b", nil),
    (String(repeating: "e", count: 500) + "A", String(repeating: "e", count: 500) + "a", nil),
    (String(repeating: "e", count: 500) + "c 9", String(repeating: "e", count: 500) + "c ", 9),
    (String(repeating: "E", count: 500) + "c 10", String(repeating: "e", count: 500) + "c ", 10),
  ]

  private struct Known: Comparable {
    let stem: String
    let number: Int
    init(_ text: String?) {
      let found = CollationRandomTests.texts.first {
        $0.text.unicodeScalars.elementsEqual((text ?? "").unicodeScalars)
      }
      stem = found?.plain ?? "?"
      number = found?.number ?? -1
    }
    static func < (left: Known, right: Known) -> Bool {
      left.stem != right.stem ? left.stem < right.stem : left.number < right.number
    }
    /// The text without case and diacritics, as it would be written by hand.
    var written: String { stem + (number < 0 ? "" : "\(number)") }
  }

  private static func text(_ random: inout SeededGenerator) -> String? {
    Int.random(in: 0..<12, using: &random) == 0 ? nil : texts.randomElement(using: &random)?.text
  }

  private typealias Test = (fetch: (Field<Track, String>) -> Condition<Track>, holds: (Track) -> Bool)

  private func test(_ random: inout SeededGenerator) -> Test {
    let text = Self.texts.randomElement(using: &random)?.text ?? ""
    let other = Self.texts.randomElement(using: &random)?.text ?? ""
    let (known, otherKnown) = (Known(text), Known(other))
    func has(_ holds: @escaping (Known) -> Bool) -> (Track) -> Bool { { $0.title != nil && holds(Known($0.title)) } }
    let numbered = Track.numbered
    switch Int.random(in: 0..<11, using: &random) {
    case 0: return ({ $0.collated(numbered) == text }, has { $0 == known })
    case 1: return ({ $0.collated(numbered) != text }, { $0.title == nil || Known($0.title) != known })
    case 2: return ({ $0.collated(numbered) < text }, has { $0 < known })
    case 3: return ({ $0.collated(numbered) >= text }, has { $0 >= known })
    case 4:
      return ({ $0.collated(numbered).isIn([text, other]) }, has { $0 == known || $0 == otherKnown })
    case 5:
      // Without numbers, by what is written.
      func written(_ text: String?) -> String {
        Known(text).stem + (text ?? "").filter { $0.isASCII && $0.isNumber }
      }
      return (
        { $0.equals(text, [.ignoringCase, .ignoringDiacritics]) },
        { $0.title != nil && written($0.title) == written(text) }
      )
    case 6:
      let prefix = String(known.stem.prefix(Int.random(in: 0...3, using: &random)))
      return (
        { $0.hasPrefix(prefix.uppercased(), [.ignoringCase, .ignoringDiacritics]) }, has { $0.stem.hasPrefix(prefix) }
      )
    case 7: return ({ $0 == text }, { $0.title == text })
    case 8: return ({ $0.collated(numbered) == nil }, { $0.title == nil })
    case 9:
      return (
        { !($0.collated(numbered) < text) && $0.collated(numbered) != nil }, has { $0 >= known }
      )
    default:
      return (
        { $0.collated(numbered) > text || $0.collated(numbered) == other }, has { $0 > known || $0 == otherKnown }
      )
    }
  }

  private func edit(_ context: EditingContext, _ random: inout SeededGenerator) throws {
    let tracks = try context.fetch(Fetch<Track>())
    guard let track = tracks.randomElement(using: &random), Int.random(in: 0..<4, using: &random) > 0 else {
      context.insert(Track(Self.text(&random), year: Int.random(in: 0..<5, using: &random)))
      return
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: context.delete(track)
    case 1: context.undo()
    case 2: track.year += 1
    default:
      let text = Self.text(&random)
      context.group("Rename") {
        track.title = text
        track.copy = text
      }
    }
  }

  private func expectSame(_ context: ObjectContext, _ seed: UInt64, _ random: inout SeededGenerator) throws {
    let all = try context.fetch(Fetch<Track>()).sorted { $0.id < $1.id }
    for track in all { XCTAssertEqual(track.title, track.copy) }
    func precedes(_ left: Track, _ right: Track, _ isAscending: Bool) -> Bool {
      func key(_ track: Track) -> (Int, Known) { (track.title == nil ? 0 : 1, Known(track.title)) }
      let (l, r) = (key(left), key(right))
      if l.0 == r.0, l.1 == r.1 { return isAscending ? left.id < right.id : right.id < left.id }
      return (l.0 != r.0 ? l.0 < r.0 : l.1 < r.1) == isAscending
    }
    for _ in 0..<12 {
      let (condition, holds) = test(&random)
      let isAscending = Bool.random(using: &random)
      let limit = [1, 3, nil].randomElement(using: &random) ?? nil
      let matching = all.filter(holds)
      var expected = matching.sorted { precedes($0, $1, isAscending) }
      if let limit { expected = Array(expected.prefix(limit)) }
      for isIndexed in [true, false] {
        func field(_ fields: Track.Fields) -> Field<Track, String> { isIndexed ? fields.title : fields.copy }
        var fetch = Fetch<Track> { condition(field($0)) }.sorted {
          let field = field($0).collated(Track.numbered)
          return isAscending ? field.ascending : field.descending
        }
        XCTAssertEqual(try context.count(fetch), matching.count, "seed \(seed): the count of \(fetch)")
        if let limit { fetch = fetch.limit(limit) }
        XCTAssertEqual(try context.fetch(fetch).map(\.id), expected.map(\.id), "seed \(seed): \(fetch)")
        XCTAssertEqual(try context.fetchIDs(fetch), expected.map(\.id), "seed \(seed): the IDs of \(fetch)")
        if let object = all.randomElement(using: &random) {
          XCTAssertEqual(
            try context.rank(of: object.id, in: fetch), expected.firstIndex { $0 === object },
            "seed \(seed): the rank in \(fetch)")
        }
      }
    }
    // Values that count as the same are one, spelled as the oldest object has it.
    var spellings: [String: String] = [:]
    for track in all {
      guard let title = track.title, spellings[Known(title).written] == nil else { continue }
      spellings[Known(title).written] = title
    }
    for isIndexed in [true, false] {
      let groups = try context.fetch(
        Fetch<Track>().grouped { (isIndexed ? $0.title : $0.copy).collated(Track.numbered) })
      let found = groups.compactMap(\.key)
      XCTAssertEqual(Set(found), Set(spellings.values), "seed \(seed)")
      XCTAssertEqual(groups.map(\.count).reduce(0, +), all.count, "seed \(seed)")
    }
  }

  @MainActor
  func testAFetchUnderACollationFindsWhatALookAtEveryObjectFinds() async throws {
    for seed in testSeeds(6) {
      var random = SeededGenerator(seed: seed)
      let test = try TestStore(Schema(Track.self))
      let root = RootContext(test.store)
      let other = RootContext(test.store)
      root.followsHead = false
      for _ in 0..<200 { try edit(root, &random) }
      try await root.save()
      let child = root.makeChild()
      for _ in 0..<4 {
        try other.refresh()
        for _ in 0..<10 { try edit(other, &random) }
        try await other.save(merging: .mine)
        for _ in 0..<6 { try edit(root, &random) }
        for _ in 0..<6 { try edit(child, &random) }
        for context in [root, child, other] { try expectSame(context, seed, &random) }
        if Bool.random(using: &random) { try root.refresh() }
      }
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertEqual(report.problems, [], "seed \(seed)")
    }
  }
}
