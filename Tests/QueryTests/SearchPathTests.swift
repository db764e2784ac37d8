import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
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
