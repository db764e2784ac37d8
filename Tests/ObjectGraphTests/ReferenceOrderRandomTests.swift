import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// Orders through a to-one: whatever is uncommitted on either side of it, here and below, and whatever others saved
/// since, a fetch finds what a plain sort of every object finds.
final class ReferenceOrderRandomTests: XCTestCase {
  private typealias Test = (fetch: (Book.Fields) -> Condition<Book>, holds: (Book) -> Bool)
  /// The keys, the values by which two objects compare, and the directions of those.
  private typealias Order = (keys: [(Book.Fields) -> SortKey<Book>], values: [(Book) -> Text], ascending: [Bool])

  /// How a value sorts, nil before or behind all others.
  private struct Text: Comparable {
    let rank: Int
    let text: String

    init(_ text: String?, isNilGreatest: Bool = false) {
      rank = text == nil ? (isNilGreatest ? 2 : 0) : 1
      self.text = text ?? ""
    }

    static func < (left: Text, right: Text) -> Bool {
      left.rank == right.rank
        ? left.text.unicodeScalars.lexicographicallyPrecedes(right.text.unicodeScalars) : left.rank < right.rank
    }
  }

  private let names: [String?] = [
    nil, nil, "", "a", "ab", "b", "c\u{0}d", String(repeating: "x", count: 420), String(repeating: "x", count: 430),
    String(repeating: "x", count: 600) + "b", String(repeating: "x", count: 600) + "a",
  ]
  private let titles = ["", "a", "ab", "b", "c"] + ["", "b", "a"].map { String(repeating: "y", count: 450) + $0 }
  private var walks = 0
  private var scans = 0

  private func test(_ authors: [Author.ID], _ random: inout SeededGenerator) -> Test {
    let title = titles.randomElement(using: &random) ?? ""
    let name = (names.randomElement(using: &random) ?? nil) ?? "a"
    let year = Int.random(in: 0..<10, using: &random)
    let author = authors.randomElement(using: &random)
    switch Int.random(in: 0..<13, using: &random) {
    case 0: return ({ $0.year > year }, { $0.year > year })
    case 1: return ({ $0.title.hasPrefix(title) }, { $0.title.hasPrefix(title) })
    case 2: return ({ $0.author.name >= name }, { book in Self.name(book.author).map { $0 >= name } ?? false })
    case 3: return ({ $0.author.name != nil }, { Self.name($0.author) != nil })
    case 4:
      return (
        { $0.author.name.hasPrefix("a") && $0.year != year },
        { Self.name($0.author)?.hasPrefix("a") ?? false && $0.year != year }
      )
    case 5: return ({ $0.author == author }, { $0._storage.toOneID(2, as: Author.self) == author })
    case 6: return ({ $0.editor.name < name }, { book in Self.name(book.editor).map { $0 < name } ?? false })
    case 7:
      return (
        { $0.editor.name != nil && $0.title != title }, { Self.name($0.editor) != nil && $0.title != title }
      )
    case 8:
      // Compares the reference, also where a child deleted what its parent refers to since.
      return ({ $0.author.mentor == nil }, { Self.alive($0.author)?.mentor == nil })
    default: return ({ _ in Condition(true) }, { _ in true })
    }
  }

  /// A reference may lead to an object that an overlay deleted, behind which a fetch reads nil.
  private static func alive(_ author: Author?) -> Author? { author.flatMap { $0.state == .deleted ? nil : $0 } }
  private static func name(_ author: Author?) -> String? { alive(author)?.name }
  private static func country(_ author: Author?) -> String? { alive(author)?.country.lowercased() }

  private func order(_ random: inout SeededGenerator) -> Order {
    let isAscending = Bool.random(using: &random)
    let nils = [NilOrder.first, .last].randomElement(using: &random) ?? .first
    let isNilGreatest = isAscending == (nils == .last)
    func directed(_ field: Field<Book, String>) -> SortKey<Book> {
      isAscending ? field.ascending(nils: nils) : field.descending(nils: nils)
    }
    func text(_ text: String?) -> Text { Text(text, isNilGreatest: isNilGreatest) }
    var order: Order
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1, 2: order = ([{ directed($0.author.name) }], [{ text(Self.name($0.author)) }], [isAscending])
    case 3: order = ([{ directed($0.editor.name) }], [{ text(Self.name($0.editor)) }], [isAscending])
    case 4:
      order = (
        [{ directed($0.author.country.collated(.ignoringCase)) }], [{ text(Self.country($0.author)) }], [isAscending]
      )
    default:
      order = (
        [{ directed($0.author.mentor.name) }], [{ text(Self.name(Self.alive($0.author)?.mentor)) }], [isAscending]
      )
    }
    let isSecondAscending = Bool.random(using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0, 1:
      order.keys.append { isSecondAscending ? $0.title.ascending : $0.title.descending }
      order.values.append { Text($0.title) }
      order.ascending.append(isSecondAscending)
    case 2:
      order.keys.append { isSecondAscending ? $0.year.ascending : $0.year.descending }
      order.values.append { Text("\($0.year)") }
      order.ascending.append(isSecondAscending)
    default: break
    }
    return order
  }

  private func sorted(_ books: [Book], by order: Order) -> [Book] {
    books.sorted { left, right in
      for (value, isAscending) in zip(order.values, order.ascending) {
        let (l, r) = (value(left), value(right))
        if l != r { return (l < r) == isAscending }
      }
      return (left.id < right.id) == order.ascending.last
    }
  }

  private func edit(
    _ context: EditingContext, _ authors: [Author.ID], _ random: inout SeededGenerator
  ) throws {
    let books = try context.fetch(Fetch<Book>())
    let living = try context.fetch(Fetch<Author>())
    let author = Int.random(in: 0..<6, using: &random) == 0 ? nil : living.randomElement(using: &random)
    guard let book = books.randomElement(using: &random), Int.random(in: 0..<4, using: &random) > 0 else {
      let book = context.insert(
        Book(titles.randomElement(using: &random) ?? "", year: .random(in: 0..<9, using: &random)))
      book.author = author
      if Bool.random(using: &random) { book.editor = living.randomElement(using: &random) }
      return
    }
    switch Int.random(in: 0..<12, using: &random) {
    case 0: book.title = titles.randomElement(using: &random) ?? ""
    case 1: book.year = Int.random(in: 0..<9, using: &random)
    case 2, 3: book.author = author
    case 4: book.editor = author
    case 5: context.delete(book)
    case 6, 7: author?.name = names.randomElement(using: &random) ?? nil
    case 8: author?.country = ["", "Peru", "PERU", "oman"].randomElement(using: &random) ?? ""
    case 9: author?.mentor = living.randomElement(using: &random)
    case 10: _ = context.insert(Author(names.randomElement(using: &random) ?? nil, country: "peru"))
    default: for _ in 0..<Int.random(in: 0..<3, using: &random) { context.undo() }
    }
  }

  private func expectSame(
    _ context: ObjectContext, _ authors: [Author.ID], _ seed: UInt64, _ random: inout SeededGenerator
  ) throws {
    let all = try context.fetch(Fetch<Book>())
    for _ in 0..<14 {
      let (condition, holds) = test(authors, &random)
      let order = order(&random)
      let offset = Int.random(in: 0..<3, using: &random) > 0 ? 0 : Int.random(in: 0...20, using: &random)
      let limit = [1, 3, 10, 10, 25, .max, nil].randomElement(using: &random) ?? nil
      let whole = Fetch<Book>(condition).sorted { field in order.keys.map { $0(field) } }
      let fetch = limit.map { whole.limit($0, offset: offset) } ?? whole
      let matching = sorted(all.filter(holds), by: order)
      let expected = limit.map { Array(matching.dropFirst(offset).prefix($0)) } ?? matching
      func note(_ what: String) -> String { "seed \(seed): \(what) of \(fetch)" }
      XCTAssertEqual(try context.fetch(fetch).map(\.id), expected.map(\.id), note("objects"))
      XCTAssertEqual(try context.fetchIDs(fetch), expected.map(\.id), note("IDs"))
      let values = try context.fetchValues(fetch) { ($0.title, $0.author.name) }
      XCTAssertEqual(values.map(\.values.0), expected.map(\.title), note("titles"))
      XCTAssertEqual(values.map(\.values.1), expected.map { Self.name($0.author) }, note("names"))
      if case .referring = try context.explain(fetch).access { walks += 1 } else { scans += 1 }
      if testRun?.totalFailureCount ?? 0 > 0 { return }
    }
  }

  @MainActor
  func testAnOrderThroughAToOneIsThatOfAPlainSort() async throws {
    for seed in testSeeds(3) {
      var random = SeededGenerator(seed: seed)
      let test = try TestStore(Schema(Book.self, Author.self))
      let root = RootContext(test.store)
      let other = RootContext(test.store)
      root.followsHead = false
      let authors = (0..<8).map { root.insert(Author(names[$0], country: "\($0)")).id }
      try await root.save()
      for _ in 0..<400 { try edit(root, authors, &random) }
      try await root.save()
      let child = root.makeChild()
      for _ in 0..<5 {
        try other.refresh()
        for _ in 0..<10 { try edit(other, authors, &random) }
        try await other.save(merging: .mine)
        for _ in 0..<8 { try edit(root, authors, &random) }
        for _ in 0..<8 { try edit(child, authors, &random) }
        // Its books stay and refer to nothing, which no save would let them do.
        if Bool.random(using: &random), let gone = try child.fetch(Fetch<Author>()).randomElement(using: &random) {
          child.delete(gone)
        }
        for context in [root, child, other] { try expectSame(context, authors, seed, &random) }
        if Bool.random(using: &random) { try root.refresh() }
      }
    }
    XCTAssertGreaterThan(walks, 30, "beside \(scans) others")
    XCTAssertGreaterThan(scans, 30)
  }
}
