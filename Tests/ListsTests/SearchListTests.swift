import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// Lists over searches: kept by their batches, whatever is edited, saved by others or taken back.
final class SearchListTests: XCTestCase {
  /// What a list shows, kept by nothing but its batches.
  private final class Shown {
    let list: FetchedList<Note>
    private var sections: [[Note.ID]]
    private var observation: ListObservation?
    private(set) var resets = 0

    init(_ fetch: Fetch<Note>, in context: ObjectContext) throws {
      list = try FetchedList(fetch, in: context)
      sections = Self.rows(list)
      observation = list.observe { [unowned self] batch in
        if batch.changes == nil { resets += 1 }
        batch.apply(to: &sections) { list.element(at: $0).id }
      }
    }

    private static func rows(_ list: FetchedList<Note>) -> [[Note.ID]] {
      (0..<list.sectionCount).map { section in
        (0..<list.rowCount(inSection: section)).map { list.element(at: RowPath(section: section, item: $0)).id }
      }
    }

    func check(_ note: String) throws {
      XCTAssertEqual(sections, Self.rows(list), note)
      XCTAssertEqual(sections.flatMap { $0 }, try list.context.fetchIDs(list.fetch), note)
      XCTAssertEqual(resets, 0, note)
      guard list.sectionName(0) != nil else { return }
      for (section, rows) in sections.enumerated() {
        for id in rows {
          let author = try list.context.object(id).author
          XCTAssertEqual(author.unicodeScalars.first.map { String($0) } ?? "", list.sectionName(section), note)
        }
      }
    }
  }

  private static let words = ["rest", "restore", "resting", "kill", "killed", "king", "a", "東京"]

  private static func text(_ random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 0...4, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
      .joined(separator: " ")
  }

  private static func fetches() -> [(name: String, fetch: Fetch<Note>)] {
    let typed = Fetch<Note> { $0.title.contains(words: "rest ki", .whileTyping) }
    let either = Fetch<Note> { .any([$0.title.contains(words: "kill"), $0.body.contains(words: "kill")]) }
    return [
      (
        "sections", typed.sorted { [$0.author.ascending, $0.rank.descending] }.sectioned { $0.author.firstCharacter() }
      ),
      ("birth", typed),
      ("window", either.sorted { $0.rank.ascending }.limit(5, offset: 2)),
      ("notebook", Fetch<Note> { $0.notebook.name.contains(words: "re", .allPrefixes) }.sorted { $0.rank.ascending }),
      ("not", Fetch<Note> { !$0.body.contains(words: "rest") }.sorted { $0.title.ascending }),
      ("characters", Fetch<Note> { $0.title.contains(words: "京") }),
    ]
  }

  private func edit(_ context: EditingContext, _ random: inout SeededGenerator) throws {
    let notes = try context.fetch(Fetch<Note>())
    guard let note = notes.randomElement(using: &random), Int.random(in: 0..<5, using: &random) > 0 else {
      let note = context.insert(
        Note(title: Self.text(&random), body: Self.text(&random), rank: Int.random(in: 0..<40, using: &random)))
      note.author = Self.text(&random)
      note.notebook = try context.fetch(Fetch<Notebook>()).randomElement(using: &random)
      return
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1, 2: note.title = Self.text(&random)
    case 3, 4: note.body = Int.random(in: 0..<4, using: &random) == 0 ? nil : Self.text(&random)
    case 5: note.rank = Int.random(in: 0..<40, using: &random)
    case 6: note.author = Self.text(&random)
    case 7: try context.fetch(Fetch<Notebook>()).randomElement(using: &random)?.name = Self.text(&random)
    case 8: context.undo()
    default: context.delete(note)
    }
  }

  func testListsOverSearchesShowWhatAFetchFinds() async throws {
    for seed in seedsOfRounds(2, changes: 60) {
      var random = SeededGenerator(seed: seed)
      let test = try TestStore(Schema(Note.self, Notebook.self))
      let root = RootContext(test.store)
      let other = RootContext(test.store)
      for _ in 0..<3 { root.insert(Notebook(name: Self.text(&random))) }
      for _ in 0..<60 { try edit(root, &random) }
      try await root.save()
      try other.refresh()
      let child = root.makeChild()
      let lists = try [root, child, other].flatMap { context in
        try Self.fetches().map { ($0.name, try Shown($0.fetch, in: context)) }
      }
      for step in 0..<60 {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: try await root.save(merging: .mine)
        case 1: try await other.save(merging: .mine)
        case 2: try root.refresh()
        case 3: try other.refresh()
        case 4: child.discard()
        case 5: try edit(other, &random)
        case 6: try edit(child, &random)
        default: try edit(root, &random)
        }
        for (name, list) in lists { try list.check("seed \(seed), step \(step), \(name)") }
        if testRun?.totalFailureCount ?? 0 > 0 { return }
      }
    }
  }

  /// Rows and names of the sections of each list.
  private func shown(in context: ObjectContext) throws -> [String: [[String]]] {
    var shown: [String: [[String]]] = [:]
    for (name, fetch) in Self.fetches() {
      let list = try FetchedList(fetch, in: context)
      shown[name] = (0..<list.sectionCount).map { section in
        let paths = (0..<list.rowCount(inSection: section)).map { RowPath(section: section, item: $0) }
        return [list.sectionName(section) ?? ""] + paths.map { "\(list.element(at: $0).id)" }
      }
    }
    return shown
  }

  func testAListOfThePastShowsWhatItShowedThenAndStaysSo() async throws {
    for seed in seedsOfRounds(2, changes: 60) {
      var random = SeededGenerator(seed: seed)
      let test = try TestStore(Schema(Note.self, Notebook.self))
      let root = RootContext(test.store)
      for _ in 0..<3 { root.insert(Notebook(name: Self.text(&random))) }
      for _ in 0..<40 { try edit(root, &random) }
      var moments: [(position: Position, shown: [String: [[String]]])] = []
      for _ in 0..<20 {
        for _ in 0..<3 { try edit(root, &random) }
        let position = try await root.save()
        if position != moments.last?.position { moments.append((position, try shown(in: root))) }
      }
      let early = try XCTUnwrap(moments.first)
      let past = try test.store.context(at: early.position)
      let standing = try Self.fetches().map { ($0.name, try Shown($0.fetch, in: past)) }
      for moment in moments.shuffled(using: &random) {
        XCTAssertEqual(
          try shown(in: test.store.context(at: moment.position)), moment.shown, "seed \(seed), at \(moment.position)")
        try edit(root, &random)
        try await root.save()
      }
      for (name, list) in standing { try list.check("seed \(seed), \(name), later") }
      XCTAssertEqual(try shown(in: past), early.shown, "seed \(seed), later")
    }
  }

  /// A letter more narrows what is found, and a letter less brings back what was there.
  func testAListFollowsWhatIsTyped() async throws {
    let test = try TestStore(Schema(Note.self, Notebook.self))
    let context = RootContext(test.store)
    for title in ["Restore after a kill", "Rest", "Kings at rest", "Nothing", "REST, and be killed"] {
      context.insert(Note(title: title))
    }
    try await context.save()
    func fetch(_ text: String) -> Fetch<Note> {
      Fetch<Note> { $0.title.contains(words: text, .whileTyping) }.sorted { $0.title.ascending }
        .sectioned { $0.title.firstCharacter() }
    }
    let list = try FetchedList(fetch(""), in: context)
    XCTAssertEqual(list.count, 5, "below an empty search field is everything")
    let recorder = Recorder(list)
    var typed = ""
    var found: [[String]] = []
    for letter in "rest ki" {
      typed.append(letter)
      try list.setFetch(fetch(typed))
      XCTAssertEqual(recorder.shown, list.snapshot)
      XCTAssertNotNil(recorder.batches.last?.changes, "rows that both have stay on the screen")
      found.append(list.elements.map(\.title))
      context.insert(Note(title: "Rest of \(typed)"))
      XCTAssertEqual(list.count, found[found.count - 1].count + 1, "the list lives on while it is shown")
      context.undo()
      XCTAssertEqual(list.elements.map(\.title), found[found.count - 1])
    }
    let all = ["Kings at rest", "REST, and be killed", "Rest", "Restore after a kill"]
    XCTAssertEqual(found[0], all)
    XCTAssertEqual(found[3], all)
    XCTAssertEqual(found[4], all)
    XCTAssertEqual(found[6], ["Kings at rest", "REST, and be killed"])
    try list.setFetch(fetch("rest"))
    XCTAssertEqual(list.elements.map(\.title), all)
  }
}
