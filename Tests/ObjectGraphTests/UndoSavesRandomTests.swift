import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// Edits, saves, undos, redos, discards and relaunches in any order, against stacks of states in memory.
@MainActor
final class UndoSavesRandomTests: XCTestCase {
  func testAnySequenceLeadsToTheStatesOfPlainStacks() async throws {
    for seed in testSeeds(6) { try await run(seed, steps: 120) }
  }

  func testASharedLogLeadsToTheStatesOfPlainStacks() async throws {
    for seed in testSeeds(6) { try await run(seed, steps: 120, isShared: true) }
  }

  private func run(_ seed: UInt64, steps: Int, isShared: Bool = false) async throws {
    var random = SeededGenerator(seed: seed)
    let subject = try await Subject(readsByObject: Bool.random(using: &random), isShared: isShared)
    var oracle = UndoOracle(state: try subject.state())
    for step in 0..<steps {
      let what = Int.random(in: 0..<100, using: &random)
      switch what {
      case 0..<34:
        try subject.edit(&random)
        oracle.edited(try subject.state())
      case 34..<58:
        oracle.undo()
        subject.context.undo()
      case 58..<78:
        oracle.redo()
        subject.context.redo()
      case 78..<90:
        let before = subject.test.store.log.head
        subject.test.server?.mayLoseAnswer(using: &random)
        let hadChanges = subject.context.hasChanges
        let saved = try await subject.context.save("Save \(step)")
        if hadChanges { oracle.saved(transactions: before.distance(to: saved)) }
      case 90..<93: try await subject.saveOfAnother(step)
      case 93..<95:
        subject.context.discard()
        oracle.discarded()
      case 95..<97: try await subject.test.store.journals.checkpoint()
      default: try await subject.kill()
      }
      let message = "seed \(seed), step \(step), \(what)"
      XCTAssertNil(subject.context.undoFailure, message)
      XCTAssertEqual(try subject.state(), oracle.state, message)
      XCTAssertEqual(subject.context.canUndo, oracle.canUndo, message)
      XCTAssertEqual(subject.context.canRedo, oracle.canRedo, message)
      if testRun?.failureCount ?? 0 > 0 { return }
    }
    subject.context.discard()
    try await subject.test.requireAgreement()
  }
}

/// What a context with undo past saves should do, with whole states.
private struct UndoOracle {
  private struct Unit {
    let before: [String]
    let after: [String]
  }

  private enum Undone {
    case step(Unit)
    /// An undo of what was saved: a redo takes it away.
    case undo(Unit)
    /// A redo of what was saved, undone in turn.
    case redo(Unit)
  }

  private(set) var state: [String]
  private var committed: [String]
  private var saved: [Unit] = []
  private var undone: [Unit] = []
  // What is uncommitted
  private var undos: [Unit] = []
  private var redos: [Unit] = []
  private var steps: [Unit] = []
  private var toRedo: [Undone] = []

  init(state: [String]) { (self.state, committed) = (state, state) }

  var canUndo: Bool { !steps.isEmpty || !redos.isEmpty || !saved.isEmpty }
  var canRedo: Bool { !toRedo.isEmpty || steps.isEmpty && undos.isEmpty && !undone.isEmpty }

  mutating func edited(_ new: [String]) {
    steps.append(Unit(before: state, after: new))
    toRedo = []
    state = new
  }

  mutating func undo() {
    if let unit = steps.popLast() {
      toRedo.append(.step(unit))
      state = unit.before
    } else if let unit = redos.popLast() {
      undone.append(unit)
      toRedo.append(.redo(unit))
      state = unit.before
    } else if let unit = saved.popLast() {
      undos.append(unit)
      toRedo.append(.undo(unit))
      state = unit.before
    }
  }

  mutating func redo() {
    switch toRedo.popLast() {
    case .step(let unit):
      steps.append(unit)
      state = unit.after
    case .undo(let unit):
      undos.removeLast()
      saved.append(unit)
      state = unit.after
    case .redo(let unit):
      undone.removeLast()
      redos.append(unit)
      state = unit.after
    case nil:
      guard steps.isEmpty, undos.isEmpty, let unit = undone.popLast() else { return }
      redos.append(unit)
      state = unit.after
    }
  }

  mutating func saved(transactions: Int) {
    let hasEdit = transactions > undos.count + redos.count
    undone += undos
    saved += redos
    if hasEdit {
      saved.append(Unit(before: steps[0].before, after: state))
      undone = []
    }
    (undos, redos, steps, toRedo) = ([], [], [], [])
    committed = state
  }

  mutating func discarded() {
    saved += undos.reversed()
    undone += redos.reversed()
    (undos, redos, steps, toRedo) = ([], [], [], [])
    state = committed
  }
}

/// A store with a context that is killed and made again.
@MainActor
private final class Subject {
  let test: TestStore
  private(set) var context: RootContext
  private var number = 0

  /// - Parameter readsByObject: Whether drafts are taken up unread, however few edits they have.
  init(readsByObject: Bool, isShared: Bool) async throws {
    let schema = Schema(Item.self, Person.self, Playlist.self, Song.self, Album.self)
    test = try await TestStore.make(schema, isShared: isShared) { if readsByObject { $0.wholeDraftLimit = 0 } }
    context = try Self.context(test)
  }

  private static func context(_ test: TestStore) throws -> RootContext {
    let context = try RootContext(test.store, author: "Ada", draft: "undo")
    context.undoesSaves = true
    return context
  }

  func kill() async throws {
    context = RootContext(test.store)
    try test.store.journal.flush()
    await test.store.abandon()
    try test.open()
    context = try Self.context(test)
  }

  /// Of what is no part of the state.
  func saveOfAnother(_ step: Int) async throws {
    let other = RootContext(test.storeOfOther, author: "Bob")
    other.insert(Album("\(step)"))
    try await other.save()
    try await test.followAll()
    try context.refresh()
  }

  func edit(_ random: inout SeededGenerator) throws {
    number += 1
    let (name, kind) = ("\(number)", Int.random(in: 0..<12, using: &random))
    let people = try context.fetch(Fetch<Person>())
    let items = try context.fetch(Fetch<Item>())
    let lists = try context.fetch(Fetch<Playlist>())
    let songs = try context.fetch(Fetch<Song>())
    let person = people.randomElement(using: &random)
    let item = items.randomElement(using: &random)
    let list = lists.randomElement(using: &random)
    let song = songs.randomElement(using: &random)
    let place = Int.random(in: 0...3, using: &random)
    // Spliced, and of those some so long that they lie beside their objects.
    let copies = [1, 1, 60, 5_000].randomElement(using: &random) ?? 1
    context.group(name) {
      switch kind {
      case 0: context.insert(Person(name: name))
      case 1: context.insert(Song(name))
      case 2: context.insert(Playlist())
      case 3 where person != nil: person?.name = name
      case 4 where item != nil: item?.name = String(repeating: name, count: copies)
      case 5 where item != nil: item?.valueInDollars += number
      case 6 where person != nil: if let person { context.delete(person) }
      case 7 where song != nil: if let song { context.delete(song) }
      case 8 where item != nil && person != nil && item?.owner?.id != person?.id: item?.owner = person
      case 9 where list != nil && song != nil:
        if let list, let song {
          if list.songs.contains(where: { $0.id == song.id }) {
            list.songs.remove(song)
          } else {
            list.songs.insert(song, at: min(place, list.songs.count))
          }
        }
      case 10 where person != nil && people.count > 1 && person?.boss == nil: person?.boss = people.first
      default:
        let item = context.insert(Item(name: name))
        item.owner = person
      }
    }
  }

  /// Everything, as text.
  func state() throws -> [String] {
    let people = try context.fetch(Fetch<Person>()).map { person in
      "\(person.id) \(person.name) \(person.boss.map { "\($0.id)" } ?? "-") "
        + "\(person.items.map { "\($0.id)" }.sorted()) \(person.reports.map { "\($0.id)" }.sorted())"
    }
    let items = try context.fetch(Fetch<Item>()).map { item in
      "\(item.id) \(item.name) \(item.valueInDollars) \(item.owner.map { "\($0.id)" } ?? "-")"
    }
    let lists = try context.fetch(Fetch<Playlist>()).map { "\($0.id) \($0.songs.map { "\($0.id)" })" }
    let songs = try context.fetch(Fetch<Song>()).map { song in
      "\(song.id) \(song.name) \(song.playlists.map { "\($0.id)" }.sorted())"
    }
    return (people + items + lists + songs).sorted()
  }
}
