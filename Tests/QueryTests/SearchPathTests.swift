import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// How searches lead to the rows of search indexes.
final class SearchPathTests: XCTestCase {
  private let title = 5
  private let body = 6

  private func compile(_ condition: (Note.Fields) -> Condition<Note>) throws -> CompiledFetch {
    try CompiledFetch(Fetch<Note>(condition), schema: ResolvedSchema(Schema(Note.self, Notebook.self)))
  }

  private func word(_ word: String, isPrefix: Bool = false) -> WordRange {
    WordRange(Array(word.utf8), isPrefix: isPrefix)
  }

  func testEachWordIsARangeThatTheOthersDoNotNarrow() throws {
    let both = try compile { $0.title.contains(words: "Kill, REST") }
    XCTAssertEqual(both.access, .search(slot: title, [word("kill"), word("rest")]))
    XCTAssertTrue(both.accessIsExact)
    XCTAssertNil(both.countedIndex, "an object has many rows")
    let apart = try compile { $0.title.contains(words: "rest") && $0.title.contains(words: "kill") }
    XCTAssertEqual(both.access, apart.access)
    let typed = try compile { $0.body.contains(words: "rest ki", .whileTyping) }
    XCTAssertEqual(typed.access, .search(slot: body, [word("ki", isPrefix: true), word("rest")]))
    let any = try compile { $0.title.contains(words: "kill rest", .anyWord) }
    XCTAssertEqual(
      any.access, .union([.search(slot: title, [word("kill")]), .search(slot: title, [word("rest")])]))
    XCTAssertTrue(any.accessIsExact)
    let fields = try compile { $0.title.contains(words: "rest") && $0.body.contains(words: "rest") }
    XCTAssertEqual(
      fields.access, .intersection([.search(slot: title, [word("rest")]), .search(slot: body, [word("rest")])]))
  }

  func testABeginningOfAWordThatIsThereAnywayIsNotLookedUp() throws {
    XCTAssertEqual(
      try compile { $0.title.contains(words: "r re rest k", .allPrefixes) }.access,
      .search(slot: title, [word("k", isPrefix: true), word("rest", isPrefix: true)]))
    XCTAssertEqual(
      try compile { $0.title.contains(words: "rest re", .whileTyping) }.access, .search(slot: title, [word("rest")]))
    XCTAssertEqual(
      try compile { $0.title.contains(words: "rest restored", .whileTyping) }.access,
      .search(slot: title, [word("rest"), word("restored", isPrefix: true)]))
  }

  func testNeighboursAreTestedOnTheText() throws {
    let one = try compile { $0.title.contains(words: "東") }
    XCTAssertEqual(one.access, .search(slot: title, [word("東")]))
    XCTAssertTrue(one.accessIsExact)
    let two = try compile { $0.title.contains(words: "東京東") }
    XCTAssertEqual(two.access, .search(slot: title, [word("京"), word("東")]))
    XCTAssertFalse(two.accessIsExact)
    XCTAssertFalse(try compile { $0.title.contains(words: "東京 x", .anyWord) }.accessIsExact)
  }

  func testWhatAnIndexDoesNotHaveIsScanned() throws {
    for condition in [
      { !$0.title.contains(words: "a") }, { $0.author.contains(words: "a") },
      { $0.title.contains(words: "a") || $0.author.contains(words: "a") },
      { $0.title.contains("a") },
    ] as [(Note.Fields) -> Condition<Note>] {
      XCTAssertEqual(try compile(condition).access, .scan)
      XCTAssertFalse(try compile(condition).accessIsExact)
    }
    let empty = try compile { $0.title.contains(words: " ") }
    XCTAssertEqual(empty.access, .scan)
    XCTAssertTrue(empty.accessIsExact)
    XCTAssertEqual(try compile { $0.title.contains(words: "", .anyWord) }.access, .nothing)
  }

  /// Whatever is typed: what the condition holds of is on its path, and if the path is exact, nothing else is.
  func testTheRowsOfATextSayWhatTheTextSays() throws {
    let pieces = [
      "a", "ab", "B", "É", "e\u{301}", "ß", "SS", "ſ", "İ", "ﬁ", "1", "½", "\u{301}", "\u{338}", "=", " ", "-", "\u{0}",
      "🙂", "\u{200B}", "\u{AD}", "\u{FE0F}", "东", "東", "京", "𠮷", "か", "\u{3099}", "ไ", "ก", "\u{E48}", "한", "\u{1112}",
      "\u{1161}", String(repeating: "x", count: 127),
    ]
    var random = SeededGenerator(seed: testSeed(default: 1))
    func text(_ limit: Int) -> String {
      (0..<Int.random(in: 0...limit, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
    }
    var found = 0
    for _ in 0..<4000 {
      let note = Note(title: text(8))
      let scalars = Array(note.title.unicodeScalars)
      let start = Int.random(in: 0...scalars.count, using: &random)
      let part = String(String.UnicodeScalarView(scalars[start...].prefix(Int.random(in: 0...4, using: &random))))
      let typed = Bool.random(using: &random) ? part : text(3)
      let match = WordMatch.allCases.randomElement(using: &random) ?? .allWords
      let fetch = Fetch<Note> { $0.title.contains(words: typed, match) }
      let source = try DetachedSource(Note.self, Notebook.self, objects: [note])
      let compiled = try CompiledFetch(fetch, schema: source.schema)
      let rows = SearchWords.keys(of: note.title).map { $0 + [UInt8](repeating: 0xFF, count: 16) }
      func isOn(_ path: AccessPath) -> Bool {
        switch path {
        case .scan: true
        case .search(_, let words): words.allSatisfy { word in rows.contains { word.keys.contains($0) } }
        case .union(let parts): parts.contains { isOn($0) }
        default: false
        }
      }
      let holds = try !source.run(fetch).isEmpty
      let message = "\(typed.debugDescription) \(match) in \(note.title.debugDescription)"
      if holds { XCTAssertTrue(isOn(compiled.access), message) }
      if compiled.accessIsExact { XCTAssertEqual(isOn(compiled.access), holds, message) }
      if holds, compiled.access != .scan { found += 1 }
    }
    XCTAssertGreaterThan(found, 300)
  }

  func testASearchGoesThroughRelationships() throws {
    XCTAssertEqual(
      try compile { $0.notebook.name.contains(words: "a") }.access,
      .through(slot: 4, Notebook.entity, .search(slot: 2, [word("a")])))
    let books = try CompiledFetch(
      Fetch<Notebook> { $0.notes.any { $0.title.contains(words: "a") } },
      schema: ResolvedSchema(Schema(Note.self, Notebook.self)))
    XCTAssertEqual(books.access, .referred(by: Note.entity, slot: 4, .search(slot: title, [word("a")])))
  }
}
