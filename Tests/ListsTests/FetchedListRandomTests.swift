import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// Random edits in a context, a child of it and a second context, against arrays sorted by hand.
///
/// The contexts belong to no isolation, so every edit delivers its batches at once. Nobody edits what another changed
/// and did not save yet, so saves never conflict; all else may happen.
final class FetchedListRandomTests: XCTestCase {
  func testListsAreTheSortedArrayAfterRandomEdits() async throws {
    for seed in seedsOfRounds(2, changes: 100) {
      var run = try Run(SeededGenerator(seed: seed), "seed \(seed)")
      try await run.go(steps: 100) { testRun?.totalFailureCount ?? 0 > 0 }
      if testRun?.totalFailureCount ?? 0 > 0 { return }
    }
  }
}

/// One context and what a test knows of it: the rows that it began with, and those that it sees.
private struct Mirror {
  let context: EditingContext
  var base: [Item.ID: Row] = [:]
  var view: [Item.ID: Row] = [:]
  var changed: Set<Item.ID> = []
  var lists: [CheckedList] = []
}

private struct Run {
  let test: TestStore
  let root: RootContext
  let other: RootContext
  let child: ChildContext
  /// Of the root, the child of it, and the second root.
  var mirrors: [Mirror]
  var head: [Item.ID: Row] = [:]
  var numbers: SeededGenerator
  let note: String

  init(_ numbers: SeededGenerator, _ note: String) throws {
    test = try TestStore()
    root = RootContext(test.store)
    other = RootContext(test.store)
    child = root.makeChild()
    mirrors = [Mirror(context: root), Mirror(context: child), Mirror(context: other)]
    self.numbers = numbers
    self.note = note
    for index in mirrors.indices {
      for (number, testCase) in ListCase.all.enumerated() {
        mirrors[index].lists.append(
          try CheckedList(testCase, in: mirrors[index].context, isObserved: (number + index) % 3 != 0))
      }
    }
  }

  mutating func go(steps: Int, until hasFailed: () -> Bool) async throws {
    for step in 0..<steps {
      let done = try await self.step()
      for mirror in mirrors {
        for list in mirror.lists { list.check(mirror.view, "\(note), step \(step): \(done)", &numbers) }
      }
      try checkSometimes()
      if hasFailed() { return }
    }
  }

  /// What a list says does not depend on whether it was there all the time.
  private mutating func checkSometimes() throws {
    guard Int.random(in: 0..<10, using: &numbers) == 0 else { return }
    for mirror in mirrors {
      let testCase = ListCase.all.randomElement(using: &numbers) ?? ListCase.all[0]
      try CheckedList(testCase, in: mirror.context, isObserved: false).check(mirror.view, "\(note), new list", &numbers)
    }
  }

  private mutating func step() async throws -> String {
    let who = Int.random(in: 0..<3, using: &numbers)
    switch Int.random(in: 0..<20, using: &numbers) {
    case 0..<6:
      for _ in 0..<Int.random(in: 1...3, using: &numbers) { insert(who) }
      return "insert in \(who)"
    case 6..<12:
      try update(who)
      return "update in \(who)"
    case 12..<14:
      try delete(who)
      return "delete in \(who)"
    case 14:
      try updateAndUndo(who)
      return "update and undo in \(who)"
    case 15:
      discard(who)
      return "discard in \(who)"
    case 16:
      refresh(who == 2 ? 2 : 0)
      try (who == 2 ? other : root).refresh()
      return "refresh \(who == 2 ? 2 : 0)"
    default:
      if who == 1 {
        try child.save()
        mirrors[0].view = mirrors[1].view
        mirrors[0].changed.formUnion(mirrors[1].changed)
        mirrors[1].changed = []
      } else if mirrors[who].context.hasChanges {
        try await (who == 2 ? other : root).save()
        for id in mirrors[who].changed { head[id] = mirrors[who].view[id] }
        mirrors[who].changed = []
        refresh(who)
      }
      return "save in \(who)"
    }
  }

  /// What nobody else changed, and the head has as this context does.
  private mutating func candidate(_ who: Int) -> Item.ID? {
    let free = mirrors[who].view.keys.filter { id in
      let isBusy = mirrors.indices.contains { $0 != who && mirrors[$0].changed.contains(id) }
      let base = mirrors[who == 1 ? 0 : who].base[id]
      return !isBusy && base == head[id]
    }
    return free.sorted().randomElement(using: &numbers)
  }

  private mutating func insert(_ who: Int) {
    let item = Item(name: ListCase.names.randomElement(using: &numbers) ?? "")
    item.valueInDollars = Int.random(in: 0..<9, using: &numbers) * 10
    item.weight = Bool.random(using: &numbers) ? nil : Double(Int.random(in: -2..<3, using: &numbers))
    item.isInsured = Bool.random(using: &numbers)
    mirrors[who].context.insert(item)
    note(item, who)
  }

  private mutating func update(_ who: Int) throws {
    guard let id = candidate(who) else { return }
    let item = try mirrors[who].context.object(id)
    change(item)
    note(item, who)
  }

  private mutating func change(_ item: Item) {
    switch Int.random(in: 0..<4, using: &numbers) {
    case 0: item.name = ListCase.names.randomElement(using: &numbers) ?? ""
    case 1: item.valueInDollars = Int.random(in: 0..<9, using: &numbers) * 10
    case 2: item.weight = item.weight == nil ? 1 : nil
    default: item.isInsured.toggle()
    }
  }

  private mutating func delete(_ who: Int) throws {
    guard let id = candidate(who) else { return }
    let item = try mirrors[who].context.object(id)
    mirrors[who].context.delete(item)
    see(id, nil, who)
  }

  private mutating func updateAndUndo(_ who: Int) throws {
    guard let id = candidate(who) else { return }
    let context = mirrors[who].context
    let item = try context.object(id)
    context.group("change") { change(item) }
    if context.undoName == "change" { context.undo() }
  }

  private mutating func discard(_ who: Int) {
    if who == 0 { discard(1) }
    mirrors[who].context.discard()
    mirrors[who].view = who == 1 ? mirrors[0].view : mirrors[who].base
    mirrors[who].changed = []
    if who == 0 { mirrors[1].view = mirrors[0].view }
  }

  /// A root goes to the head, its changes and its child's above it.
  private mutating func refresh(_ who: Int) {
    func moved(_ mirror: Mirror) -> [Item.ID: Row] {
      var view = head
      for id in mirror.changed { view[id] = mirror.view[id] }
      return view
    }
    mirrors[who].base = head
    mirrors[who].view = moved(mirrors[who])
    guard who == 0 else { return }
    let changes = mirrors[1].changed.map { ($0, mirrors[1].view[$0]) }
    mirrors[1].view = mirrors[0].view
    for (id, row) in changes { mirrors[1].view[id] = row }
  }

  private mutating func note(_ item: Item, _ who: Int) {
    see(
      item.id,
      Row(
        id: item.id, name: item.name, value: item.valueInDollars, weight: item.weight, isInsured: item.isInsured), who)
  }

  private mutating func see(_ id: Item.ID, _ row: Row?, _ who: Int) {
    mirrors[who].view[id] = row
    mirrors[who].changed.insert(id)
    if who == 0 { mirrors[1].view[id] = row }
  }
}
