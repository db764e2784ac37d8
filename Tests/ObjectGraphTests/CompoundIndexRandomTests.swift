import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// Indexes over several columns: whatever is uncommitted, here and below, and whatever others saved since, a fetch
/// finds what a look at every object finds, in its order.
final class CompoundIndexRandomTests: XCTestCase {
  private typealias Test = (fetch: (Todo.Fields) -> Condition<Todo>, holds: (Todo) -> Bool)
  private typealias Order = (keys: (Todo.Fields) -> [SortKey<Todo>], precedes: [(Todo, Todo) -> Int])

  /// Some are so long that two of them leave a row no room, and some agree as far as a table stores them.
  private let texts =
    ["", "a", "ab", "b", "c\u{0}d", String(repeating: "x", count: 300)]
    + ["", "c", "a", "b"].map { "y" + String(repeating: "z", count: 500) + $0 }
  private let dates: [Double?] = [nil, .nan, 0, -0.0, 1, 2, 3, .infinity]
  private var usedIndexes: [String: Int] = [:]

  private func single(_ folders: [Folder.ID], _ random: inout SeededGenerator) -> Test {
    let text = texts.randomElement(using: &random)!
    let due = Double(Int.random(in: 0..<4, using: &random))
    let rank = Int.random(in: 0..<6, using: &random)
    let folder = folders.randomElement(using: &random)
    switch Int.random(in: 0..<20, using: &random) {
    case 0: return ({ !$0.isDone }, { !$0.isDone })
    case 1: return ({ $0.isDone == true }, { $0.isDone })
    case 2: return ({ $0.due > due }, { $0.due.map { $0 > due || $0.isNaN } ?? false })
    case 3: return ({ $0.due <= due }, { $0.due.map { $0 <= due } ?? false })
    case 4: return ({ $0.due == due }, { $0.due == due })
    case 5: return ({ $0.due == nil }, { $0.due == nil })
    case 6: return ({ $0.due != nil }, { $0.due != nil })
    case 7: return ({ $0.folder == folder }, { $0.folder?.id == folder })
    case 8: return ({ $0.folder != folder }, { $0.folder?.id != folder })
    case 9: return ({ $0.folder == nil }, { $0.folder == nil })
    case 10:
      let some = folders.filter { _ in Bool.random(using: &random) }
      return ({ $0.folder.isIn(some) }, { $0.folder.map { some.contains($0.id) } ?? false })
    case 11: return ({ $0.title == text }, { $0.title == text })
    case 12:
      let prefix = String(text.prefix(Int.random(in: 0...350, using: &random)))
      return ({ $0.title.hasPrefix(prefix) }, { $0.title.hasPrefix(prefix) })
    case 13:
      let some = [text, texts.randomElement(using: &random)!]
      return ({ $0.title.isIn(some) }, { some.contains($0.title) })
    case 14: return ({ $0.note == text }, { $0.note == text })
    case 15: return ({ $0.note > text }, { $0.note.map { $0 > text } ?? false })
    case 16: return ({ $0.rank >= rank }, { $0.rank >= rank })
    case 17: return ({ $0.due.isIn([due, due + 2]) }, { $0.due == due || $0.due == due + 2 })
    case 18: return ({ $0.title != text }, { $0.title != text })
    default: return ({ $0.folder.name == "1" }, { $0.folder?.name == "1" })
    }
  }

  private func test(_ folders: [Folder.ID], _ random: inout SeededGenerator) -> Test {
    let left = single(folders, &random)
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1: return left
    case 2:
      let right = test(folders, &random)
      return ({ left.fetch($0) || right.fetch($0) }, { left.holds($0) || right.holds($0) })
    case 3:
      let right = test(folders, &random)
      return ({ !(left.fetch($0) && right.fetch($0)) }, { !(left.holds($0) && right.holds($0)) })
    case 4:
      // What most lists ask for.
      let folder = folders.randomElement(using: &random)
      return ({ $0.folder == folder && !$0.isDone }, { $0.folder?.id == folder && !$0.isDone })
    case 5:
      let (title, note) = (texts.randomElement(using: &random)!, texts.randomElement(using: &random)!)
      return ({ $0.title == title && $0.note <= note }, { $0.title == title && ($0.note.map { $0 <= note } ?? false) })
    default:
      let right = test(folders, &random)
      return ({ left.fetch($0) && right.fetch($0) }, { left.holds($0) && right.holds($0) })
    }
  }

  private static func compare<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
    left < right ? -1 : left > right ? 1 : 0
  }

  private func order(_ random: inout SeededGenerator) -> Order {
    let byBirth = { (left: Todo, right: Todo) in Self.compare(left.id, right.id) }
    let byTitle = { (left: Todo, right: Todo) in Self.compare(left.title, right.title) }
    let byRank = { (left: Todo, right: Todo) in Self.compare(left.rank, right.rank) }
    let byDone = { (left: Todo, right: Todo) in Self.compare(left.isDone ? 1 : 0, right.isDone ? 1 : 0) }
    let byNote = { (left: Todo, right: Todo) in
      Self.compare(left.note.map { "1" + $0 } ?? "", right.note.map { "1" + $0 } ?? "")
    }
    let byDue = { (left: Todo, right: Todo) in
      let (l, r) = (left.due ?? -1, right.due ?? -1)
      return l.isNaN || r.isNaN ? (l.isNaN ? 1 : 0) - (r.isNaN ? 1 : 0) : Self.compare(l, r)
    }
    // nil behind all values.
    func last<Value>(
      _ field: @escaping (Todo) -> Value?, _ order: @escaping (Todo, Todo) -> Int
    ) -> (Todo, Todo) -> Int {
      { left, right in
        let (isLeftNil, isRightNil) = (field(left) == nil, field(right) == nil)
        return isLeftNil == isRightNil ? order(left, right) : isLeftNil ? 1 : -1
      }
    }
    let byDueOrNever = last({ $0.due }, byDue)
    let byNoteOrNone = last({ $0.note }, byNote)
    func back(_ order: @escaping (Todo, Todo) -> Int) -> (Todo, Todo) -> Int { { order($1, $0) } }
    switch Int.random(in: 0..<19, using: &random) {
    case 13: return ({ [$0.due.ascending(nils: .last)] }, [byDueOrNever, byBirth])
    case 14: return ({ [$0.due.descending(nils: .first)] }, [back(byDueOrNever), back(byBirth)])
    case 15: return ({ [$0.note.ascending(nils: .last), $0.rank.ascending] }, [byNoteOrNone, byRank, byBirth])
    case 16:
      return ({ [$0.isDone.ascending, $0.due.ascending(nils: .last)] }, [byDone, byDueOrNever, byBirth])
    case 17: return ({ [$0.due.descending(nils: .first), $0.rank.ascending] }, [back(byDueOrNever), byRank, byBirth])
    case 0, 1, 2: return ({ [$0.due.ascending] }, [byDue, byBirth])
    case 3: return ({ [$0.due.descending] }, [back(byDue), back(byBirth)])
    case 4: return ({ [$0.title.ascending] }, [byTitle, byBirth])
    case 5: return ({ [$0.title.descending] }, [back(byTitle), back(byBirth)])
    case 6: return ({ [$0.isDone.ascending, $0.due.ascending] }, [byDone, byDue, byBirth])
    case 7: return ({ [$0.isDone.descending, $0.due.descending] }, [back(byDone), back(byDue), back(byBirth)])
    case 8: return ({ [$0.isDone.ascending, $0.due.descending] }, [byDone, back(byDue), back(byBirth)])
    case 9: return ({ [$0.title.ascending, $0.note.ascending] }, [byTitle, byNote, byBirth])
    case 10: return ({ [$0.note.descending] }, [back(byNote), back(byBirth)])
    case 11: return ({ [$0.due.ascending, $0.rank.ascending] }, [byDue, byRank, byBirth])
    case 12: return ({ [$0.due.descending, $0.isDone.ascending] }, [back(byDue), byDone, byBirth])
    default: return ({ _ in [] }, [byBirth])
    }
  }

  private func edit(
    _ context: EditingContext, _ folders: [Folder.ID], _ random: inout SeededGenerator
  ) throws {
    let todos = try context.fetch(Fetch<Todo>())
    guard let todo = todos.randomElement(using: &random), Int.random(in: 0..<4, using: &random) > 0 else {
      let todo = context.insert(Todo(texts.randomElement(using: &random)!, due: dates.randomElement(using: &random)!))
      todo.isDone = Bool.random(using: &random)
      todo.folder = try folders.randomElement(using: &random).map { try context.object($0) }
      return
    }
    switch Int.random(in: 0..<9, using: &random) {
    case 0: todo.title = texts.randomElement(using: &random)!
    case 1: todo.note = Bool.random(using: &random) ? nil : texts.randomElement(using: &random)!
    case 2: todo.due = dates.randomElement(using: &random)!
    case 3: todo.isDone.toggle()
    case 4: todo.folder = nil
    case 5: todo.folder = try folders.randomElement(using: &random).map { try context.object($0) }
    case 6: todo.rank = Int.random(in: 0..<6, using: &random)
    case 7: for _ in 0..<Int.random(in: 0..<3, using: &random) { context.undo() }
    default: context.delete(todo)
    }
  }

  private func expectSame(
    _ context: ObjectContext, _ folders: [Folder.ID], _ seed: UInt64, _ random: inout SeededGenerator
  ) throws {
    let all = try context.fetch(Fetch<Todo>())
    for _ in 0..<16 {
      let (condition, holds) = test(folders, &random)
      let (keys, precedes) = order(&random)
      let offset = Int.random(in: 0..<3, using: &random) > 0 ? 0 : Int.random(in: 0...all.count, using: &random)
      let limit = [1, 3, 10, .max, nil].randomElement(using: &random) ?? nil
      let whole = Fetch<Todo>(condition).sorted(keys)
      let fetch = limit.map { whole.limit($0, offset: offset) } ?? whole
      let matching = all.filter(holds).sorted { left, right in
        for order in precedes {
          let result = order(left, right)
          if result != 0 { return result < 0 }
        }
        return false
      }
      let expected = limit.map { Array(matching.dropFirst(offset).prefix($0)) } ?? matching
      func note(_ what: String) -> String { "seed \(seed): \(what) of \(fetch)" }
      XCTAssertEqual(try context.fetch(fetch).map(\.id), expected.map(\.id), note("objects"))
      XCTAssertEqual(try context.fetchIDs(fetch), expected.map(\.id), note("IDs"))
      XCTAssertEqual(try context.count(fetch), expected.count, note("count"))
      XCTAssertEqual(try context.exists(fetch), !expected.isEmpty, note("existence"))
      let place = Int.random(in: 0...expected.count, using: &random)
      if let object = place < expected.count ? expected[place] : all.randomElement(using: &random) {
        XCTAssertEqual(
          try context.rank(of: object.id, in: fetch), expected.firstIndex { $0 === object }, note("rank"))
      }
      let values = try context.fetchValues(fetch) { ($0.rank, $0.folder.name) }
      XCTAssertEqual(values.map(\.values.0), expected.map(\.rank), note("ranks"))
      XCTAssertEqual(values.map(\.values.1), expected.map { $0.folder?.name }, note("names"))
      try expectSameAggregates(context, Fetch<Todo>(condition), matching, note)
      switch try context.explain(fetch).access {
      case .index(let name): usedIndexes[name, default: 0] += 1
      case .collected(let names): for name in names { usedIndexes[name, default: 0] += 1 }
      default: break
      }
    }
  }

  private func expectSameAggregates(
    _ context: ObjectContext, _ fetch: Fetch<Todo>, _ matching: [Todo], _ note: (String) -> String
  ) throws {
    let dues = matching.compactMap(\.due)
    let (count, most) = try context.aggregate(fetch) { ($0.due.count, $0.title.maximum) }
    XCTAssertEqual(count, dues.count, note("dates"))
    XCTAssertEqual(most, matching.map(\.title).max(), note("the last title"))
    let least = try context.aggregate(fetch) { $0.title.minimum }
    XCTAssertEqual(least, matching.map(\.title).min(), note("the first title"))
    XCTAssertEqual(try context.distinct(fetch) { $0.title }, Array(Set(matching.map(\.title))).sorted(), note("titles"))
    let numbers = try context.distinct(fetch) { $0.due }.filter { !$0.isNaN }
    XCTAssertEqual(numbers, Array(Set(dues.filter { !$0.isNaN })).sorted(), note("different dates"))
  }

  @MainActor
  func testAFetchByColumnsFindsWhatALookAtEveryObjectFinds() async throws {
    for seed in testSeeds(6) {
      var random = SeededGenerator(seed: seed)
      let test = try TestStore(Schema(Todo.self, Folder.self))
      let root = RootContext(test.store)
      let other = RootContext(test.store)
      root.followsHead = false
      let folders = (0..<3).map { root.insert(Folder("\($0)")).id }
      try await root.save()
      for _ in 0..<250 { try edit(root, folders, &random) }
      try await root.save()
      let child = root.makeChild()
      for _ in 0..<4 {
        try other.refresh()
        for _ in 0..<10 { try edit(other, folders, &random) }
        try await other.save(merging: .mine)
        for _ in 0..<6 { try edit(root, folders, &random) }
        for _ in 0..<6 { try edit(child, folders, &random) }
        for context in [root, child, other] { try expectSame(context, folders, seed, &random) }
        if Bool.random(using: &random) { try root.refresh() }
      }
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertEqual(report.problems, [], "seed \(seed)")
    }
    for index in ["[isDone, due]", "[folder, title]", "[folder, isDone, due]", "[title, note]", "rank"] {
      XCTAssertGreaterThan(usedIndexes[index] ?? 0, 5, "\(index) among \(usedIndexes)")
    }
  }
}
