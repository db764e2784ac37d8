import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// A fetch behind the head without an index that keeps history: one walk over the log tells what differs, and how it
/// was.
final class LoggedPastTests: XCTestCase {
  // MARK: Values

  /// Each kind of change leads back to the values before it, whether the change is a value, a splice or a deletion.
  func testEachKindOfChangeReadsAsBefore() async throws {
    let opened = try TestStore(Schema(Note.self, Notebook.self), windowBudget: 0)
    let context = RootContext(opened.store)
    let long = String(repeating: "Somewhere, something incredible is waiting. ", count: 60)
    let notes = ["set", "spliced", "large", "deleted", "restored", "twice"].map { name in
      context.insert(Note(title: name, body: long + name, rank: 1))
    }
    let then = try await context.save()
    let expected = notes.map(\.snapshot)
    notes[0].rank = 2
    notes[1].body = long + "spliced once more"
    notes[2].body = String(repeating: "Another long text. ", count: 200)
    notes[5].title = "then"
    notes[5].body = nil
    try await context.save()
    context.delete(notes[3])
    context.delete(notes[4])
    try await context.save()
    try context.undo()
    notes[5].title = "now"
    let later = context.insert(Note(title: "later"))
    try await context.save()
    later.title = "later still"
    try await context.save()

    try await opened.kill()
    let past = try opened.store.context(at: then)
    let found = try past.fetch(Fetch<Note>().sorted { $0.rank.ascending })
    XCTAssertEqual(Set(found.map(\.snapshot)), Set(expected))
    XCTAssertEqual(try past.count(Fetch<Note>()), notes.count)
    XCTAssertEqual(try past.count(Fetch<Note> { $0.rank == 1 }), notes.count)
    XCTAssertEqual(try past.fetch(Fetch<Note> { $0.title == "twice" }).map(\.id), [notes[5].id])
    XCTAssertEqual(try past.fetch(Fetch<Note> { $0.title == "now" || $0.title == "later" }), [])
    for note in expected { XCTAssertEqual(try past.object(note.id).snapshot, note) }
  }

  /// Random histories, read at each position with an empty window, so that every read goes through the walk.
  func testEveryPositionReadsAsItWasByTheWalk() async throws {
    for seed in testSeeds(3) {
      var random = SeededGenerator(seed: seed)
      let opened = try TestStore(windowBudget: 0)
      let context = RootContext(opened.store, isolation: nil)
      var history: [Position: Set<Item.Snapshot>] = [opened.store.log.head: []]
      for _ in 0..<40 {
        var items = try context.fetch(Fetch<Item>())
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          guard let place = items.indices.randomElement(using: &random), Bool.random(using: &random) else {
            context.insert(Item(name: "\(Int.random(in: 0..<9, using: &random))"))
            continue
          }
          switch Int.random(in: 0..<4, using: &random) {
          case 0: context.delete(items.remove(at: place))
          case 1: items[place].photo = [UInt8](repeating: 7, count: Int.random(in: 0..<3_000, using: &random))
          default: items[place].valueInDollars += Int.random(in: 1...5, using: &random)
          }
        }
        let position = try await context.save()
        history[position] = Set(try context.fetch(Fetch<Item>()).map(\.snapshot))
      }
      try await opened.kill()
      for (position, items) in history {
        let past = try opened.store.context(at: position)
        XCTAssertEqual(Set(try past.fetch(Fetch<Item>()).map(\.snapshot)), items, "seed \(seed), at \(position)")
        XCTAssertEqual(try past.count(Fetch<Item>()), items.count, "seed \(seed), at \(position)")
        let sorted = try past.fetch(Fetch<Item>().sorted { $0.valueInDollars.ascending })
        XCTAssertEqual(sorted.map(\.valueInDollars), items.map(\.valueInDollars).sorted(), "seed \(seed)")
      }
    }
  }

  // MARK: The cost

  func testTheLogIsReadOnceForEachModel() async throws {
    let opened = try TestStore(windowBudget: 0)
    let context = RootContext(opened.store)
    let item = context.insert(Item(name: "Chair"))
    let then = try await context.save()
    for value in 1...20 {
      item.valueInDollars = value
      try await context.save()
    }
    try await opened.kill()
    let past = try opened.store.context(at: then)
    let fetch = Fetch<Item> { $0.valueInDollars == 0 }
    XCTAssertEqual(try past.explain(fetch).transactionsRead, 20)
    XCTAssertFalse(try past.explain(fetch).readsHistory)
    XCTAssertEqual(try past.explain(fetch).transactionsRead, 0)
    XCTAssertEqual(try past.explain(Fetch<Item>()).transactionsRead, 0)
    XCTAssertEqual(try past.explain(Fetch<Person>()).transactionsRead, 20)
    XCTAssertEqual(try RootContext(opened.store).explain(fetch).transactionsRead, 0)
  }

  /// The walk of a context in the past goes on where it ended. It does not begin again.
  func testTheWalkGoesOnWithTheHead() async throws {
    let opened = try TestStore(windowBudget: 0)
    let context = RootContext(opened.store)
    let chair = context.insert(Item(name: "Chair", valueInDollars: 3))
    let desk = context.insert(Item(name: "Desk", valueInDollars: 4))
    let then = try await context.save()
    chair.valueInDollars = 5
    try await context.save()
    try await opened.kill()

    let past = try opened.store.context(at: then)
    let fetch = Fetch<Item>().sorted { $0.valueInDollars.ascending }
    XCTAssertEqual(try past.fetch(fetch).map(\.valueInDollars), [3, 4])
    let next = RootContext(opened.store)
    try next.object(desk.id).valueInDollars = 1
    next.delete(try next.object(chair.id))
    next.insert(Item(name: "Lamp"))
    try await next.save()
    XCTAssertEqual(try past.explain(fetch).transactionsRead, 1)
    XCTAssertEqual(try past.fetch(fetch).map(\.valueInDollars), [3, 4])
    XCTAssertEqual(try past.count(Fetch<Item>()), 2)
  }

  // MARK: Cancellation

  func testACancelledTaskReadsNoLog() async throws {
    let opened = try TestStore(windowBudget: 0)
    let context = RootContext(opened.store, isolation: nil)
    let item = context.insert(Item(name: "Chair"))
    let then = try await context.save()
    item.valueInDollars = 1
    try await context.save()
    let (id, store) = (item.id, opened.store)
    await store.abandon()
    try opened.open()
    let again = opened.store
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      let past = try again.context(at: then, isolation: nil)
      do {
        _ = try past.fetch(Fetch<Item>())
        XCTFail("It was not cancelled.")
      } catch {
        XCTAssertEqual(error as? FetchError, .cancelled)
      }
      // Without the log, and without an error: an object by its ID.
      XCTAssertEqual(try past.object(id).valueInDollars, 0)
    }
    try await task.value
    XCTAssertEqual(try opened.store.context(at: then).fetch(Fetch<Item>()).map(\.valueInDollars), [0])
  }
}
