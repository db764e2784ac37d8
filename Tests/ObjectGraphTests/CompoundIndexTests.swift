import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

final class CompoundIndexTests: XCTestCase {
  private func context(_ fill: (RootContext) -> Void) async throws -> RootContext {
    let test = try TestStore(Schema(Todo.self, Folder.self))
    addTeardownBlock { withExtendedLifetime(test) {} }
    let context = RootContext(test.store)
    fill(context)
    try await context.save()
    return context
  }

  func testAPageInTheMiddleVisitsItsRowsOnly() async throws {
    let context = try await context { context in
      for number in 0..<4_000 {
        context.insert(Todo("\(number)", due: Double(number * 7 % 4_000), isDone: number % 2 == 0))
      }
    }
    let fetch = Fetch<Todo> { !$0.isDone && $0.due >= 2_000 }.sorted { $0.due.ascending }
    let page = try context.explain(fetch.limit(50))
    XCTAssertEqual(page.access, .index(property: "[isDone, due]"))
    XCTAssertTrue(page.isInOrder)
    XCTAssertEqual(page.visits, 50)
    let later = try context.explain(fetch.limit(50, offset: 500))
    XCTAssertEqual(later.visits, 50)
    XCTAssertEqual(try context.fetch(fetch.limit(2, offset: 500)).map(\.due), [3_001, 3_003])
    XCTAssertEqual(try context.count(fetch), 1_000)
    // A further condition is tested on the way, until there are enough.
    let tested = try context.explain(
      Fetch<Todo> { !$0.isDone && $0.due >= 2_000 && $0.rank == 0 }.sorted { $0.due.ascending }.limit(50))
    XCTAssertTrue(tested.isInOrder)
    XCTAssertEqual(tested.visits, 50)
  }

  func testNilBehindAllValuesComesInTheOrderOfTheIndex() async throws {
    let context = try await context { context in
      for number in 0..<1_000 {
        context.insert(Todo("\(number)", due: number % 2 == 0 ? nil : Double(number), isDone: number % 5 == 0))
      }
    }
    let open = Fetch<Todo> { !$0.isDone }
    for fetch in [
      open.sorted { $0.due.ascending(nils: .last) }, open.sorted { $0.due.descending(nils: .first) },
      open.sorted { [$0.due.ascending(nils: .last), $0.rank.ascending] },
    ] {
      let all = try context.fetch(fetch)
      XCTAssertEqual(all.count, 800)
      for limit in [1, 50, 399, 450, 799] {
        XCTAssertEqual(try context.fetchIDs(fetch.limit(limit)), all.prefix(limit).map(\.id))
      }
      let page = try context.explain(fetch.limit(50))
      XCTAssertEqual(page.access, .index(property: "[isDone, due]"))
    }
    let soon = open.sorted { $0.due.ascending(nils: .last) }
    XCTAssertEqual(try context.fetch(soon.limit(2)).map(\.due), [1, 3])
    XCTAssertEqual(try context.fetch(soon.limit(2, offset: 399)).map(\.due), [999, nil])
    let page = try context.explain(soon.limit(50))
    XCTAssertTrue(page.isInOrder)
    XCTAssertEqual(page.visits, 50)
    // An uncommitted one has its place in either part.
    context.insert(Todo("never"))
    context.insert(Todo("next", due: 2))
    XCTAssertEqual(try context.fetch(soon.limit(3)).map(\.due), [1, 2, 3])
    XCTAssertEqual(try context.fetch(soon).last?.title, "never")
    let latest = open.sorted { $0.due.descending(nils: .first) }
    XCTAssertEqual(try context.fetch(latest.limit(2)).map(\.title), ["never", "998"])
  }

  func testNilBehindAllValuesComesInTheOrderOfAnAttributesIndex() async throws {
    let test = try TestStore(Schema(Sale.self, Shop.self))
    let context = RootContext(test.store)
    for number in 0..<400 { context.insert(Sale(number: number % 2 == 0 ? nil : number)) }
    try await context.save()
    let rising = Fetch<Sale>().sorted { $0.number.ascending(nils: .last) }
    let falling = Fetch<Sale>().sorted { $0.number.descending(nils: .first) }
    for fetch in [rising, falling] {
      let page = try context.explain(fetch.limit(20))
      XCTAssertEqual(page.access, .index(property: "number"))
      XCTAssertTrue(page.isInOrder)
      XCTAssertEqual(page.visits, 20)
    }
    context.insert(Sale(number: 2))
    context.insert(Sale())
    XCTAssertEqual(try context.fetch(rising.limit(3)).map(\.number), [1, 2, 3])
    XCTAssertEqual(try context.fetch(rising.limit(3, offset: 200)).map(\.number), [399, nil, nil])
    XCTAssertEqual(try context.fetch(falling.limit(3, offset: 200)).map(\.number), [nil, 399, 397])
    let values = Fetch<Sale> { $0.number != 7 }
    XCTAssertEqual(
      try context.fetch(values.sorted { $0.number.ascending(nils: .last) }.limit(4)).map(\.number), [1, 2, 3, 5])
  }

  func testWhatAnIndexHasIsFetchedThoughNoRecordCanBeRead() async throws {
    let test = try TestStore(Schema(Todo.self, Folder.self))
    let context = RootContext(test.store)
    let todos = (0..<100).map { context.insert(Todo("\($0)", due: Double($0), isDone: $0 < 50)) }
    try await context.save()
    let map = try XCTUnwrap(test.store.map.map(Todo.entity.interned))
    try test.store.damageRecords(todos.map(\.id.any), map)
    let reader = RootContext(test.store)
    let fetch = Fetch<Todo> { !$0.isDone }.sorted { $0.due.descending }
    XCTAssertEqual(try reader.fetchIDs(fetch), todos.suffix(50).reversed().map(\.id))
    XCTAssertEqual(try reader.fetchIDs(fetch.limit(2, offset: 7)), [todos[92], todos[91]].map(\.id))
    XCTAssertEqual(try reader.count(Fetch<Todo> { !$0.isDone && $0.due < 60 }), 10)
    XCTAssertThrowsError(try reader.fetch(fetch))
  }

  /// Texts that agree as far as a table stores them.
  func testOrderPagesAndRanksAreOfWholeTexts() async throws {
    let long = String(repeating: "t", count: 300)
    let notes = ["a", "b", "c"].flatMap { first in
      [3, 1, 2].map { first + String(repeating: "n", count: 250) + "\($0)" }
    }
    let context = try await context { context in
      for note in notes.shuffled() { context.insert(Todo(long)).note = note }
      context.insert(Todo("other")).note = notes[0]
    }
    let covered = Fetch<Todo> { $0.title == long }.sorted { $0.note.ascending }
    let ids = try context.fetchIDs(covered)
    XCTAssertEqual(ids.count, 9)
    let objects = try context.fetch(covered)
    XCTAssertEqual(objects.map(\.id), ids)
    XCTAssertEqual(objects.map(\.note), notes.sorted())
    for start in stride(from: 0, to: 9, by: 2) {
      XCTAssertEqual(try context.fetch(covered.limit(2, offset: start)).map(\.id), Array(ids[start...].prefix(2)))
    }
    for (place, id) in ids.enumerated() { XCTAssertEqual(try context.rank(of: id, in: covered), place) }
    // The index does not cover this one.
    let tested = Fetch<Todo> { $0.title == long && $0.rank >= 0 && $0.isDone == false && $0.note.contains("n") }
      .sorted { $0.note.ascending }
    for limit in [1, 4, 100] {
      XCTAssertEqual(try context.fetch(tested.limit(limit)).map(\.note), Array(notes.sorted().prefix(limit)))
    }
    // Conditions hold for whole texts in any case.
    for note in notes {
      XCTAssertEqual(try context.fetch(Fetch<Todo> { $0.title == long && $0.note == note }).map(\.note), [note])
      let later = Fetch<Todo> { $0.title == long && $0.note > note }
      XCTAssertEqual(try context.count(later), notes.count { $0 > note })
    }
  }

  func testWhatAnotherProcessSavesIsInTheIndex() async throws {
    let test = try TestStore(Schema(Todo.self, Folder.self))
    let context = RootContext(test.store)
    context.followsHead = false
    let folder = context.insert(Folder("shared"))
    context.insert(Todo("own", due: 1)).folder = folder
    try await context.save()
    let fetch = Fetch<Todo> { $0.folder == folder && !$0.isDone }.sorted { $0.due.ascending }
    XCTAssertEqual(try context.fetch(fetch).map(\.title), ["own"])
    var values = Todo.entity.defaults
    values[0] = .string("theirs")
    values[5] = .reference(folder.id.any)
    let id = AnyObjectID(Todo.entity.interned, UniqueID())
    try test.store.appendAsAnotherProcess([(id, .inserted(values))])
    // Behind the head, the position is still what is seen.
    XCTAssertEqual(try context.fetch(fetch).map(\.title), ["own"])
    XCTAssertEqual(try context.count(fetch), 1)
    try context.refresh()
    XCTAssertEqual(try context.fetch(fetch).map(\.title), ["theirs", "own"])
    XCTAssertEqual(try context.count(fetch), 2)
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertEqual(report.problems, [])
  }

  func testEndsOfARangeOfColumnsAreAggregates() async throws {
    let context = try await context { context in
      for number in 0..<300 {
        let todo = context.insert(Todo("\(number % 3)", isDone: number % 2 == 0))
        todo.due = number % 10 == 1 ? nil : Double(number / 30)
      }
    }
    let open = Fetch<Todo> { !$0.isDone }
    let (least, most, count, different) = try context.aggregate(open) {
      ($0.due.minimum, $0.due.maximum, $0.due.count, $0.due.distinctCount)
    }
    XCTAssertEqual(least, 0)
    XCTAssertEqual(most, 9)
    XCTAssertEqual(count, 120)
    XCTAssertEqual(different, 10)
    XCTAssertEqual(try context.distinct(open) { $0.due }, (0..<10).map { Double($0) })
    XCTAssertEqual(try context.distinct(Fetch<Todo>()) { $0.title }, ["0", "1", "2"])
  }
}
