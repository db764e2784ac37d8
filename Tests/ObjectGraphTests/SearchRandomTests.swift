import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// Whatever is uncommitted, here and below, and whatever others saved since: a search finds what a look at the words of
/// every text finds, with an index and without.
final class SearchRandomTests: XCTestCase {
  private typealias Search = (field: (Note.Fields) -> Condition<Note>, holds: (Note) -> Bool)

  private let common = ["a", "ab", "abc", "b", "ba", "東京", "京都", "京"]
  /// Nothing has several of them, as a rule.
  private let rare = (0..<12).map { "rare\($0)" }

  private func word(_ random: inout SeededGenerator) -> String {
    let words = Int.random(in: 0..<3, using: &random) == 0 ? rare : common
    return words.randomElement(using: &random) ?? ""
  }

  private func text(_ random: inout SeededGenerator) -> String {
    let words = (0..<Int.random(in: 0...5, using: &random)).map { _ in word(&random) }
    return words.joined(separator: [" ", ", ", "-"].randomElement(using: &random) ?? " ")
  }

  /// Whether a text has what a search asks for, by words split in another way.
  private func has(_ text: String?, _ search: [String], _ match: WordMatch) -> Bool {
    if search.isEmpty { return match != .anyWord }
    guard let text else { return false }
    let words = text.split { " ,-".contains($0) }
    func isThere(_ word: String, isBeginning: Bool) -> Bool {
      if !word.utf8.allSatisfy({ $0 < 0x80 }) { return text.contains(word) }
      return words.contains { isBeginning ? $0.hasPrefix(word) : $0 == word }
    }
    switch match {
    case .allWords: return search.allSatisfy { isThere($0, isBeginning: false) }
    case .anyWord: return search.contains { isThere($0, isBeginning: false) }
    case .allPrefixes: return search.allSatisfy { isThere($0, isBeginning: true) }
    case .whileTyping:
      return search.dropLast().allSatisfy { isThere($0, isBeginning: false) }
        && isThere(search[search.count - 1], isBeginning: true)
    }
  }

  private func search(_ random: inout SeededGenerator) -> Search {
    var words = (0..<Int.random(in: 0...3, using: &random)).map { _ in word(&random) }
    let match = WordMatch.allCases.randomElement(using: &random) ?? .allWords
    if match == .allPrefixes || match == .whileTyping, let last = words.popLast() {
      let isWhole = !last.utf8.allSatisfy { $0 < 0x80 }
      words.append(isWhole ? last : String(last.prefix(Int.random(in: 1...5, using: &random))))
    }
    let typed = words.joined(separator: " ").uppercased()
    let number = Int.random(in: 0..<40, using: &random)
    let asked = words
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1: return ({ $0.title.contains(words: typed, match) }, { self.has($0.title, asked, match) })
    case 2, 3: return ({ $0.body.contains(words: typed, match) }, { self.has($0.body, asked, match) })
    case 4: return ({ $0.author.contains(words: typed, match) }, { self.has($0.author, asked, match) })
    case 5: return ({ !$0.body.contains(words: typed, match) }, { !self.has($0.body, asked, match) })
    case 6:
      return (
        { $0.body.contains(words: typed, match) && $0.rank < number },
        { self.has($0.body, asked, match) && $0.rank < number }
      )
    case 7:
      return (
        { $0.notebook.name.contains(words: typed, match) },
        { note in
          asked.isEmpty ? match != .anyWord : note.notebook.map { self.has($0.name, asked, match) } ?? false
        }
      )
    case 8:
      return (
        { $0.title.contains(words: typed, match) && $0.title.hasPrefix("a") },
        { self.has($0.title, asked, match) && $0.title.hasPrefix("a") }
      )
    default:
      let (left, right) = (search(&random), search(&random))
      return Bool.random(using: &random)
        ? ({ left.field($0) || right.field($0) }, { left.holds($0) || right.holds($0) })
        : ({ left.field($0) && right.field($0) }, { left.holds($0) && right.holds($0) })
    }
  }

  private typealias Order = (keys: (Note.Fields) -> [SortKey<Note>], precedes: (Note, Note) -> Bool)

  private func order(_ random: inout SeededGenerator) -> Order {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return ({ [$0.rank.ascending] }, { ($0.rank, $0.id) < ($1.rank, $1.id) })
    case 1: return ({ [$0.rank.descending] }, { ($1.rank, $1.id) < ($0.rank, $0.id) })
    case 2:
      return (
        { [$0.author.ascending, $0.rank.ascending] },
        { left, right in
          let order = ComposedText.order(left.author, right.author)
          return order == .same ? (left.rank, left.id) < (right.rank, right.id) : order == .before
        }
      )
    default: return ({ _ in [] }, { $0.id < $1.id })
    }
  }

  private func edit(_ context: EditingContext, _ random: inout SeededGenerator) throws {
    let notes = try context.fetch(Fetch<Note>())
    guard let note = notes.randomElement(using: &random), Int.random(in: 0..<4, using: &random) > 0 else {
      let note = context.insert(
        Note(title: text(&random), body: text(&random), rank: Int.random(in: 0..<40, using: &random)))
      note.author = text(&random)
      note.notebook = try context.fetch(Fetch<Notebook>()).randomElement(using: &random)
      return
    }
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1: note.title = text(&random)
    case 2, 3: note.body = Int.random(in: 0..<4, using: &random) == 0 ? nil : text(&random)
    case 4: note.rank = Int.random(in: 0..<40, using: &random)
    case 5: note.author = text(&random)
    case 6: try context.fetch(Fetch<Notebook>()).randomElement(using: &random)?.name = text(&random)
    case 7: for _ in 0..<Int.random(in: 0..<3, using: &random) { context.undo() }
    default: context.delete(note)
    }
  }

  /// What was chosen, so that the test knows that it tests something.
  private var ways: [FetchExplanation.Access: Int] = [:]

  private func expectSame(_ context: ObjectContext, _ note: String, _ random: inout SeededGenerator) throws {
    let all = try context.fetch(Fetch<Note>())
    for _ in 0..<15 {
      let (condition, holds) = search(&random)
      let (keys, precedes) = order(&random)
      var fetch = Fetch<Note>(condition).sorted(keys)
      var expected = all.filter(holds).sorted(by: precedes)
      if let limit = [1, 3, 20, nil].randomElement(using: &random) ?? nil {
        let offset = Int.random(in: 0..<3, using: &random) > 0 ? 0 : Int.random(in: 0...5, using: &random)
        fetch = fetch.limit(limit, offset: offset)
        expected = Array(expected.dropFirst(offset).prefix(limit))
      }
      let explanation = try context.explain(fetch)
      ways[explanation.access, default: 0] += 1
      let message = "\(note): \(fetch); \(explanation)"
      XCTAssertEqual(try context.fetch(fetch).map(\.id), expected.map(\.id), message)
      XCTAssertEqual(try context.fetchIDs(fetch), expected.map(\.id), message)
      XCTAssertEqual(try context.count(fetch), expected.count, message)
      XCTAssertEqual(try context.exists(fetch), !expected.isEmpty, message)
      let tested = condition(Note.Fields(.root))
      for note in all.suffix(5) { XCTAssertEqual(try tested.holds(for: note), holds(note), message) }
    }
    let (condition, holds) = search(&random)
    let books = try context.fetch(Fetch<Notebook> { $0.notes.any(condition) })
    XCTAssertEqual(
      Set(books.map(\.id)), Set(all.filter(holds).compactMap { $0.snapshot.notebook }),
      "\(note): \(condition(Note.Fields(.root)))")
  }

  @MainActor
  func testASearchFindsWhatALookAtEveryTextFinds() async throws {
    for seed in testSeeds(2) {
      var random = SeededGenerator(seed: seed)
      let test = try TestStore(Schema(Note.self, Notebook.self))
      let root = RootContext(test.store)
      let other = RootContext(test.store)
      root.followsHead = false
      for _ in 0..<4 { root.insert(Notebook(name: text(&random))) }
      try await root.save()
      for _ in 0..<300 { try edit(root, &random) }
      try await root.save()
      let child = root.makeChild()
      for round in 0..<5 {
        try other.refresh()
        for _ in 0..<10 { try edit(other, &random) }
        try await other.save(merging: .mine)
        for _ in 0..<6 { try edit(root, &random) }
        for _ in 0..<6 { try edit(child, &random) }
        for (name, context) in [("root", root), ("child", child), ("other", other)] as [(String, ObjectContext)] {
          try expectSame(context, "seed \(seed), round \(round), \(name)", &random)
        }
        if testRun?.totalFailureCount ?? 0 > 0 { return }
        if Bool.random(using: &random) { try root.refresh() }
      }
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertTrue(report.isSound, report.description)
    }
    for property in ["title", "body"] { XCTAssertGreaterThan(ways[.search(property: property)] ?? 0, 5, "\(ways)") }
    XCTAssertGreaterThan(ways.count, 8, "\(ways)")
  }
}
