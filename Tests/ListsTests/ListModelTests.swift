import Foundation
import RepriseLMDB
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

@testable import RepriseEventStore

/// Random changes, with lists of every kind open above them. Each batch is applied to the rows of the one before, and
/// must give what plain Swift makes of all objects: filtered, sorted, cut, and divided into sections.
///
/// `REPRISE_CHANGES` sets how many changes there are.
final class ListModelTests: XCTestCase {
  func testEachBatchAppliedToTheRowsBeforeGivesTheRowsAfter() async throws {
    let variables = ProcessInfo.processInfo.environment
    let changes = variables["REPRISE_CHANGES"].flatMap { Int($0) } ?? 1200
    let seed = testSeed()
    var run = try ModelRun(SeededGenerator(seed: seed))
    for number in 0..<changes {
      let done = try await run.step()
      if let failure = try run.failure(everywhere: number % 4 == 0) {
        return XCTFail("seed \(seed), change \(number), \(done): \(failure)")
      }
    }
    if changes < 1000 { return }
    XCTAssertGreaterThan(run.movedSections, 0, "no section moved")
    XCTAssertGreaterThan(run.movedUpdates, 0, "no row moved and changed at once")
  }

  func testMoreRowsThanABatchNamesAreAReset() async throws {
    let cases = ModelCase.all.filter { ["an index", "in memory", "grouped"].contains($0.label) }
    var run = try ModelRun(SeededGenerator(seed: testSeed()), cases)
    if let failure = try await run.passTheLimit() { XCTFail(failure) }
  }
}

/// What a test knows of an item.
private struct ModelItem {
  let id: Item.ID
  let name: String
  let value: Int
  let weight: Double?
  let owner: String?

  init(_ item: Item) {
    id = item.id
    name = item.name
    value = item.valueInDollars
    weight = item.weight
    owner = item.owner.flatMap { $0.state == .deleted ? nil : $0.name }
  }
}

/// A fetch, and the same in plain Swift.
private struct ModelCase {
  let label: String
  let fetch: Fetch<Item>
  var matches: (ModelItem) -> Bool = { _ in true }
  var precedes: (ModelItem, ModelItem) -> Bool? = { _, _ in nil }
  var isDescending = false
  var section: ((ModelItem) -> String)?
  var window = 0..<Int.max

  func sections(of items: [ModelItem]) -> [(name: String?, ids: [Item.ID])] {
    let rows = items.filter(matches).sorted { left, right in
      precedes(left, right) ?? (isDescending ? right.id < left.id : left.id < right.id)
    }
    let shown = rows.dropFirst(window.lowerBound).prefix(window.upperBound - window.lowerBound)
    guard let section else { return [(nil, shown.map(\.id))] }
    var sections: [(name: String?, ids: [Item.ID])] = []
    for row in shown {
      let name = section(row)
      if let index = sections.firstIndex(where: { $0.name == name }) {
        sections[index].ids.append(row.id)
      } else {
        sections.append((name, [row.id]))
      }
    }
    return sections
  }

  private static func byName(_ left: ModelItem, _ right: ModelItem) -> Bool? {
    left.name == right.name ? nil : left.name < right.name
  }
  private static func byValue(_ left: ModelItem, _ right: ModelItem) -> Bool? {
    left.value == right.value ? nil : left.value < right.value
  }
  private static func initial(_ item: ModelItem) -> String { String(item.name.prefix(1)) }
  private static func value(_ item: ModelItem) -> String { "\(item.value)" }
  private static func owner(_ item: ModelItem) -> String { item.owner ?? "" }

  static var all: [ModelCase] {
    let byName = Fetch<Item>().sorted { $0.name }
    let dear = Fetch<Item> { $0.valueInDollars > 2 }
    return [
      ModelCase(
        label: "an index", fetch: byName.sectioned { $0.name.firstCharacter() }, precedes: Self.byName, section: initial
      ),
      ModelCase(
        label: "an index, a window",
        fetch: dear.sorted { $0.valueInDollars.descending }.sectioned { $0.valueInDollars.section }.limit(6, offset: 2),
        matches: { $0.value > 2 }, precedes: { Self.byValue($1, $0) }, isDescending: true, section: value, window: 2..<8
      ),
      ModelCase(
        label: "in memory",
        fetch: dear.sorted { [$0.name, $0.valueInDollars.descending] }.sectioned { $0.name.firstCharacter() },
        matches: { $0.value > 2 }, precedes: { Self.byName($0, $1) ?? Self.byValue($1, $0) }, isDescending: true,
        section: initial),
      ModelCase(
        label: "in memory, a window", fetch: byName.sorted { [$0.valueInDollars, $0.name] }.limit(7, offset: 3),
        precedes: { Self.byValue($0, $1) ?? Self.byName($0, $1) }, window: 3..<10),
      ModelCase(
        label: "by owner", fetch: Fetch<Item> { $0.owner.name != "a" }.sorted { [$0.owner.name, $0.name] },
        matches: { $0.owner != "a" },
        precedes: { left, right in
          if left.owner != right.owner { return right.owner.map { r in left.owner.map { $0 < r } ?? true } ?? false }
          return Self.byName(left, right)
        }),
      ModelCase(
        label: "grouped", fetch: byName.sectioned { $0.valueInDollars.section }, precedes: Self.byName, section: value),
      ModelCase(
        label: "grouped, a window", fetch: byName.sectioned { $0.valueInDollars.section }.limit(9, offset: 3),
        precedes: Self.byName, section: value, window: 3..<12),
      ModelCase(
        label: "grouped by owner", fetch: dear.sorted { $0.valueInDollars }.sectioned { $0.owner.name.section },
        matches: { $0.value > 2 }, precedes: Self.byValue, section: owner),
    ]
  }
}

/// A list, and its rows as its batches say.
private final class FollowedList {
  let testCase: ModelCase
  private let list: FetchedList<Item>
  private var ids: [[Item.ID]]
  private var shown: ListSnapshot
  private var observation: ListObservation?
  private(set) var failure: String?
  private(set) var resets = 0
  private(set) var movedSections = 0
  private(set) var movedUpdates = 0

  init(_ testCase: ModelCase, _ context: ObjectContext) throws {
    self.testCase = testCase
    list = try FetchedList(testCase.fetch, in: context)
    shown = list.snapshot
    ids = try list.identifiers.sections.map(\.ids)
    observation = list.observe { [unowned self] in receive($0) }
  }

  private func receive(_ batch: ListBatch) {
    if batch.before != shown { failure = "begins with \(batch.before), not \(shown)" }
    if batch.after != list.snapshot { failure = "ends elsewhere" }
    if batch.changes == ListChanges() { failure = "an empty batch" }
    if batch.isReset { resets += 1 }
    movedSections += batch.changes?.movedSections.count ?? 0
    let moved = Set(batch.changes?.movedRows.map(\.to) ?? [])
    movedUpdates += batch.changes?.updatedRows.count { moved.contains($0.after) } ?? 0
    guard let now = try? list.identifiers.sections.map(\.ids) else { return failure = "unreadable" }
    let before = ids
    batch.apply(to: &ids) { now[$0.section][$0.item] }
    if ids != now { failure = "\(before) and \(batch) give \(ids), not \(now)" }
    shown = batch.after
  }

  func check(_ items: [ModelItem]) -> String? {
    if let failure { return "\(testCase.label): \(failure)" }
    let expected = testCase.sections(of: items)
    guard ids == expected.map(\.ids), shown.sections.map(\.name) == expected.map(\.name) else {
      return "\(testCase.label): \(shown.sections.map(\.name)) \(ids), not \(expected)"
    }
    return nil
  }
}

private struct ModelRun {
  private let test: TestStore
  private let root: RootContext
  private let child: ChildContext
  private let other: RootContext
  private let lists: [(context: EditingContext, lists: [FollowedList])]
  private var numbers: SeededGenerator

  /// - Parameter some: The lists of the root alone; otherwise all lists, above it and above its child.
  init(_ numbers: SeededGenerator, _ some: [ModelCase]? = nil) throws {
    test = try TestStore()
    root = RootContext(test.store)
    child = root.makeChild()
    other = RootContext(test.store)
    self.numbers = numbers
    let contexts: [EditingContext] = some == nil ? [root, child] : [root]
    lists = try contexts.map { context in
      (context, try (some ?? ModelCase.all).map { try FollowedList($0, context) })
    }
  }

  var movedSections: Int { lists.reduce(0) { $0 + $1.lists.reduce(0) { $0 + $1.movedSections } } }
  var movedUpdates: Int { lists.reduce(0) { $0 + $1.lists.reduce(0) { $0 + $1.movedUpdates } } }

  func failure(everywhere: Bool = true) throws -> String? {
    for (context, lists) in lists where everywhere || context === root {
      let items = try context.fetch(Fetch<Item>()).map(ModelItem.init)
      for list in lists { if let failure = list.check(items) { return failure } }
    }
    return nil
  }

  mutating func step() async throws -> String {
    let context: EditingContext = Int.random(in: 0..<4, using: &numbers) == 0 ? child : root
    switch Int.random(in: 0..<40, using: &numbers) {
    case 0..<20:
      try edit(context)
      return "an edit"
    case 20..<24:
      let count = Int.random(in: 2...8, using: &numbers)
      try context.group("several") { for _ in 0..<count { try edit(context) } }
      return "\(count) edits"
    case 24..<28:
      context.undo()
      return "undo"
    case 28, 29:
      context.redo()
      return "redo"
    case 30, 31:
      do { try child.save() } catch is ChildSaveError { child.discard() }
      return "a save of the child"
    case 32:
      context.discard()
      return "discard"
    case 33, 34:
      do { _ = try await root.save() } catch is SaveError { root.discard() }
      return "a save"
    case 35, 36:
      try other.refresh()
      for _ in 0..<4 { try edit(other) }
      _ = try await other.save()
      try root.refresh()
      return "a save by another context"
    case 37:
      try saveAsAnotherProcess()
      try root.refresh()
      return "a save by another process"
    default:
      try root.refresh()
      return "refresh"
    }
  }

  private mutating func edit(_ context: EditingContext) throws {
    let items = try context.fetch(Fetch<Item>())
    let people = try context.fetch(Fetch<Person>())
    // About 20 items, so that sections empty and refill.
    let kind = items.count > 24 ? 3 : items.isEmpty ? 0 : Int.random(in: 0..<14, using: &numbers)
    let item = items.randomElement(using: &numbers)
    switch kind {
    case 0...2:
      let new = context.insert(Item(name: name(), valueInDollars: Int.random(in: 0..<7, using: &numbers)))
      if Bool.random(using: &numbers) { new.owner = people.randomElement(using: &numbers) }
    case 3, 4: item.map { context.delete($0) }
    case 5, 6: item?.name = name()
    case 7, 8: item?.valueInDollars = Int.random(in: 0..<7, using: &numbers)
    case 9: item?.owner = Int.random(in: 0..<4, using: &numbers) == 0 ? nil : people.randomElement(using: &numbers)
    case 10: item?.isInsured.toggle()
    case 11: people.randomElement(using: &numbers)?.name = name()
    case 12: context.insert(Person(name: name()))
    default:
      if people.count > 3, let person = people.randomElement(using: &numbers) { context.delete(person) }
    }
  }

  private mutating func name() -> String {
    let initial = ["a", "b", "c", "d"].randomElement(using: &numbers) ?? ""
    return initial + ["", "", "x", "y"][Int.random(in: 0..<4, using: &numbers)]
  }

  /// Appends to the log without this store's being told.
  private mutating func saveAsAnotherProcess() throws {
    let store = test.store
    try other.refresh()
    var changes: [(object: AnyObjectID, change: ObjectChange)] = []
    var new = Item.entity.defaults
    new[0] = .string(name())
    changes.append((AnyObjectID(Item.entity.interned, UniqueID()), .inserted(new)))
    if let item = try other.fetch(Fetch<Item>()).randomElement(using: &numbers) {
      let change = PropertyChange(slot: 0, old: .string(item.name), new: .string(name() + "z"))
      changes.append((item.id.any, .updated([change])))
    }
    let request = SaveRequest(base: other.position, changes: changes)
    try store.environment.write { transaction in
      var appender = try TransactionAppender(store.tables, logID: store.logID, map: store.map, transaction.view)
      let plan = try SavePlan(request, appender.map, store.tables, transaction.view)
      if let refusal = plan.refusal { throw refusal }
      _ = try appender.append(plan, request, transaction)
      try appender.finish(transaction)
    }
  }

  /// More rows come at once than a batch names, and then few change among many.
  mutating func passTheLimit() async throws -> String? {
    for number in 0..<10_001 { other.insert(Item(name: "b\(number % 10)", valueInDollars: number % 7)) }
    _ = try await other.save()
    try root.refresh()
    let resets = lists[0].lists.map(\.resets)
    if resets.contains(0) { return "a batch named more than 10,000 rows: \(resets)" }
    for _ in 0..<4 { try edit(root) }
    if lists[0].lists.map(\.resets) != resets { return "a reset for one change" }
    return try failure()
  }
}
