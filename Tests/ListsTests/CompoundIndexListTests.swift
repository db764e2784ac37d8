import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

extension Todo: ShownModel {
  var shown: [String: String] {
    [
      "title": title, "isDone": "\(isDone)", "due": "\(due as Double?, default: "nil")", "rank": "\(rank)",
      "note": "\(note as String?, default: "nil")", "folder": "\(folder?.id as Folder.ID?, default: "nil")",
    ]
  }
}

/// Lists over indexes of several columns: they have no rows in memory, and their batches lead from what was shown to
/// what is shown.
final class CompoundIndexListTests: XCTestCase {
  private var path = ""
  private let titles = ["", "a", "ab", "b", "ba", "c"]

  override func setUp() { path = NSTemporaryDirectory() + "reprise-lists-\(UUID().uuidString)" }
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private func openStore() throws -> Store {
    var options = StoreOptions()
    options.isUnflushed = true
    return try Store.openNow(path, for: Schema(Todo.self, Folder.self), options)
  }

  private func lists(_ context: EditingContext, _ folder: Folder.ID) throws -> [any Shadow] {
    let own = Fetch<Todo> { $0.folder == folder }
    let open = Fetch<Todo> { $0.folder == folder && !$0.isDone }
    func initial(_ todo: Todo) -> String { todo.title.first.map { String($0) } ?? "" }
    func due(_ todo: Todo) -> String { todo.due.map { $0.description } ?? "" }
    let byTitle = own.sorted { $0.title.ascending }.sectioned { $0.title.firstCharacter() }
    let byDue = open.sorted { $0.due.descending }.sectioned { $0.due.section }
    let byDone = Fetch<Todo>().sorted { [$0.isDone.ascending, $0.due.ascending] }.sectioned { $0.isDone.section }
    let constant = Fetch<Todo> { $0.isDone == true }.sorted { [$0.isDone.ascending, $0.due.ascending] }
      .sectioned { $0.isDone.section }
    let lists = [
      try ShadowList("titles", byTitle, in: context, section: initial),
      try ShadowList("dates", byDue, in: context, section: due),
      try ShadowList("dates, a window", byDue.limit(5, offset: 2), in: context, section: due),
      try ShadowList("a range", Fetch<Todo> { !$0.isDone && $0.due > 1 }.sorted { $0.due.ascending }, in: context),
      try ShadowList("done", byDone, in: context, section: { "\($0.isDone)" }),
      try ShadowList("one value", constant, in: context, section: { "\($0.isDone)" }),
    ]
    for shadow in lists {
      guard case .countedIndex(let name) = shadow.list.explain().rows else {
        XCTFail("\(shadow.list.fetch) has rows in memory")
        continue
      }
      XCTAssertTrue(name.hasPrefix("["), name)
      XCTAssertEqual(shadow.list.explain().memoryInBytes, 0)
    }
    return lists
  }

  /// A unique index is an index of one column or several.
  func testListsOverUniquePropertiesHaveNoRowsInMemory() async throws {
    var options = StoreOptions()
    options.isUnflushed = true
    let store = try Store.openNow(path, for: Schema(Member.self, Team.self), options)
    let context = RootContext(store)
    let team = context.insert(Team("A"))
    for number in 0..<50 {
      let member = context.insert(Member("\(number % 7) \(number)", handle: "H\(number)", number: number))
      member.team = number % 2 == 0 ? team : nil
    }
    try await context.save()
    let byEmail = try FetchedList(Fetch<Member>().sorted { $0.email.ascending }, in: context)
    let byNumber = try FetchedList(Fetch<Member> { $0.team == team }.sorted { $0.number.descending }, in: context)
    let byHandle = try FetchedList(
      Fetch<Member>().sorted { $0.handle.collated(.ignoringCase).ascending }, in: context)
    for list in [byEmail, byNumber, byHandle] { XCTAssertEqual(list.explain().memoryInBytes, 0) }
    context.insert(Member("0", handle: "a", number: 99)).team = team
    for list in [byEmail, byNumber, byHandle] {
      list.flush()
      XCTAssertEqual(list.rows.first?.email, "0")
    }
    XCTAssertEqual(try context.aggregate(Fetch<Member>()) { $0.email.maximum }, "6 6")
    XCTAssertEqual(try context.count(Fetch<Member> { $0.email.hasPrefix("6 ") }), 7)
  }

  private func edit(_ context: EditingContext, _ folders: [Folder.ID], _ random: inout SeededGenerator) throws {
    let todos = try context.fetch(Fetch<Todo>())
    let dates: [Double?] = [nil, 0, 1, 2, 3]
    let date = dates.randomElement(using: &random)!
    guard let todo = todos.randomElement(using: &random), Int.random(in: 0..<3, using: &random) > 0 else {
      let todo = Todo(titles.randomElement(using: &random)!, due: date)
      context.insert(todo)
      todo.folder = try folders.randomElement(using: &random).map { try context.object($0) }
      return
    }
    switch Int.random(in: 0..<9, using: &random) {
    case 0: todo.title = titles.randomElement(using: &random)!
    case 1: todo.isDone.toggle()
    case 2: todo.due = date
    case 3: todo.folder = try folders.randomElement(using: &random).map { try context.object($0) }
    case 4: todo.rank += 1
    case 5: context.undo()
    case 6: context.redo()
    case 7: for todo in todos.prefix(4) { todo.isDone.toggle() }
    default: context.delete(todo)
    }
  }

  /// Or gives up what another save made impossible.
  private func save(_ context: RootContext) async throws {
    do {
      try await context.save(merging: .mine)
    } catch SaveError.refused {
      context.discard()
    }
  }

  func testBatchesOfListsOverColumnsLeadFromWhatWasShownToWhatIsShown() async throws {
    for seed in seedsOfRounds(3, changes: 60) {
      var random = SeededGenerator(seed: seed)
      let store = try openStore()
      let root = RootContext(store)
      let folders = (0..<2).map { root.insert(Folder("\($0)")).id }
      for _ in 0..<60 { try edit(root, folders, &random) }
      try await root.save()
      let other = RootContext(store)
      let child = root.makeChild()
      var shadows: [any Shadow] = []
      for context in [root, child, other] { shadows += try lists(context, folders[0]) }
      for step in 0..<60 {
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
          // What the parent changed of an object that the child deleted is a conflict.
          do { try child.save() } catch SaveError.refused { child.discard() }
        case 1: try await save(root)
        case 2: try await save(other)
        case 3: try root.refresh()
        case 4..<6: try edit(child, folders, &random)
        case 6..<8: try edit(other, folders, &random)
        default: try edit(root, folders, &random)
        }
        for shadow in shadows { try shadow.check("seed \(seed), step \(step)") }
        if testRun?.totalFailureCount ?? 0 > 0 { return }
      }
      shadows = []
      try await store.close()
      try FileManager.default.removeItem(atPath: path)
    }
  }

  func testALongListOfAFolderHasNoRowsInMemory() async throws {
    let store = try openStore()
    let context = RootContext(store)
    let folder = context.insert(Folder("long"))
    for number in 0..<3_000 {
      let todo = context.insert(Todo("\(number % 7)", due: Double(number), isDone: number % 3 == 0))
      if number % 2 == 0 { todo.folder = folder }
    }
    try await context.save()
    let fetch = Fetch<Todo> { $0.folder == folder && !$0.isDone }.sorted { $0.due.ascending }
    let list = try FetchedList(fetch, in: context)
    XCTAssertEqual(list.explain().rows, .countedIndex(property: "[folder, isDone, due]"))
    XCTAssertEqual(list.count, 1_000)
    XCTAssertEqual(list.element(at: RowPath(section: 0, item: 500)).due, 1502)
    let page = try context.explain(fetch.limit(50, offset: 500))
    XCTAssertEqual(page.access, .index(property: "[folder, isDone, due]"))
    XCTAssertEqual(page.visits, 50)
    XCTAssertTrue(page.isInOrder)
  }
}
