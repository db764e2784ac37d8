import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// Random edits in a context, a child of it and a second context, with lists of every kind open in all of them.
/// Applying each batch to what was shown before gives what is shown after, and rows that it does not mention read as
/// before.
///
/// The contexts belong to no isolation, so every edit delivers its batches at once; discarding, undoing and moving to
/// what others saved bring many changes at once.
final class ListChangesRandomTests: XCTestCase {
  func testBatchesLeadFromWhatWasShownToWhatIsShown() async throws {
    for seed in seedsOfRounds(2, changes: 80) {
      var run = try ChangesRun(SeededGenerator(seed: seed))
      for step in 0..<80 {
        let before = run.batchCounts
        let done = try await run.step()
        for shadow in run.shadows { try shadow.check("seed \(seed), step \(step): \(done)") }
        if done == "save alone" {
          XCTAssertEqual(run.batchCounts, before, "seed \(seed), step \(step): a batch for what was on screen")
        }
        if testRun?.totalFailureCount ?? 0 > 0 { return }
      }
    }
  }
}

private struct ChangesRun {
  private let test: TestStore
  private let root: RootContext
  private let other: RootContext
  private let child: ChildContext
  private var contexts: [EditingContext] { [root, child, other] }
  private(set) var shadows: [any Shadow] = []
  private var numbers: SeededGenerator

  var batchCounts: [Int] { shadows.map(\.batchCount) }

  init(_ numbers: SeededGenerator) throws {
    test = try TestStore()
    root = RootContext(test.store)
    other = RootContext(test.store)
    child = root.makeChild()
    self.numbers = numbers
    for context in contexts {
      shadows += try Self.items(context) + Self.related(context) + Self.people(context) + Self.grouped(context)
    }
  }

  private static func items(_ context: EditingContext) throws -> [any Shadow] {
    let all = Fetch<Item>()
    func initial(_ item: Item) -> String { item.name.unicodeScalars.first.map { String($0) } ?? "" }
    func value(_ item: Item) -> String { "\(item.valueInDollars)" }
    let byName = all.sorted { $0.name.ascending }.sectioned { $0.name.firstCharacter() }
    let byValue = all.sorted { $0.valueInDollars.descending }.sectioned { $0.valueInDollars.section }
    let dear = Fetch<Item> { $0.valueInDollars > 30 }
    let insured = Fetch<Item> { $0.isInsured == true }
    let twoKeys = insured.sorted { [$0.name.ascending, $0.valueInDollars.descending] }
      .sectioned { $0.name.firstCharacter() }
    let descending = all.sorted { [$0.valueInDollars.descending, $0.weight.descending] }
      .sectioned { $0.valueInDollars.section }
    return [
      try ShadowList("name", all.sorted { $0.name.ascending }, in: context),
      try ShadowList("initials", byName, in: context, section: initial),
      try ShadowList("values", byValue, in: context, section: value),
      try ShadowList("values, a window", byValue.limit(6, offset: 3), in: context, section: value),
      try ShadowList("a range", dear.sorted { $0.valueInDollars.ascending }.limit(5, offset: 1), in: context),
      try ShadowList("birth", all, in: context),
      try ShadowList("dear by name", dear.sorted { $0.name.descending }, in: context),
      try ShadowList("two keys", twoKeys, in: context, section: initial),
      try ShadowList("two keys, a window", twoKeys.limit(4, offset: 2), in: context, section: initial),
      try ShadowList("two keys descending", descending, in: context, section: value),
      try ShadowList("two keys descending, a window", descending.limit(5, offset: 4), in: context, section: value),
      try ShadowList("weight", all.sorted { $0.weight.ascending }.limit(.max, offset: 2), in: context),
      try ShadowList("none", all.sorted { $0.weight.ascending }.limit(0), in: context),
    ]
  }

  /// Lists whose conditions or orders read other objects.
  private static func related(_ context: EditingContext) throws -> [any Shadow] {
    let all = Fetch<Item>()
    let byOwner = all.sorted { [$0.owner.name.ascending, $0.name.descending] }.sectioned { $0.owner.name.section }
    return [
      try ShadowList("owner's name", Fetch<Item> { $0.owner.name == "a" }.sorted { $0.name.ascending }, in: context),
      try ShadowList("owned", Fetch<Item> { $0.owner != nil }, in: context),
      try ShadowList("by owner", byOwner, in: context, section: owner),
      try ShadowList("by owner, a window", byOwner.limit(6, offset: 1), in: context, section: owner),
      try ShadowList(
        "boss's name", Fetch<Item> { $0.owner.boss.name == "b" }.sorted { $0.weight.ascending }, in: context),
      try ShadowList("owner has others", Fetch<Item> { $0.owner.items.count > 2 }, in: context),
      try ShadowList(
        "owner's reports", Fetch<Item> { $0.owner.reports.any { $0.zip > 1 } }.sorted { $0.name.ascending }, in: context
      ),
    ]
  }

  /// Lists whose sections are not made of the leading sort key.
  private static func grouped(_ context: EditingContext) throws -> [any Shadow] {
    let byName = Fetch<Item>().sorted { $0.name }
    func value(_ item: Item) -> String { "\(item.valueInDollars)" }
    func insured(_ item: Item) -> String { "\(item.isInsured)" }
    let byValue = byName.sectioned { $0.valueInDollars.section }
    let byOwner = Fetch<Item> { $0.valueInDollars > 10 }.sorted { [$0.weight.descending, $0.name] }
      .sectioned { $0.owner.name.section }
    return [
      try ShadowList("grouped by value", byValue, in: context, section: value, isGrouped: true),
      try ShadowList("by value, a window", byValue.limit(7, offset: 2), in: context, section: value, isGrouped: true),
      try ShadowList(
        "by insurance", Fetch<Item>().sectioned { $0.isInsured.section }, in: context, section: insured, isGrouped: true
      ),
      try ShadowList("grouped by owner", byOwner, in: context, section: owner, isGrouped: true),
      try ShadowList("by owner, a window", byOwner.limit(5, offset: 1), in: context, section: owner, isGrouped: true),
      try ShadowList(
        "grouped by the owner itself", byName.sectioned { $0.owner }, in: context,
        section: { $0._storage.toOneID(6, as: Person.self)?.description ?? "" }, isGrouped: true),
      try ShadowList(
        "people by zip", Fetch<Person>().sorted { $0.name.descending }.sectioned { $0.zip.section }.limit(3),
        in: context, section: { "\($0.zip)" }, isGrouped: true),
    ]
  }

  private static func owner(_ item: Item) -> String {
    // A child may refer to what its parent deleted; a fetch reads nil there.
    guard let owner = item.owner, owner.state != .deleted else { return "" }
    return owner.name
  }

  private static func people(_ context: EditingContext) throws -> [any Shadow] {
    let all = Fetch<Person>()
    return [
      try ShadowList("items", all.sorted { [$0.items.count.descending, $0.name.ascending] }, in: context),
      try ShadowList("any insured", Fetch<Person> { $0.items.any { $0.isInsured == true } }, in: context),
      try ShadowList("all insured", Fetch<Person> { $0.items.all { $0.isInsured == true } }, in: context),
      try ShadowList(
        "reports' items", Fetch<Person> { $0.reports.any { $0.items.any { $0.valueInDollars > 40 } } }, in: context),
      try ShadowList(
        "boss's items", Fetch<Person> { $0.boss.items.count > 1 }.sorted { $0.zip.ascending }, in: context),
      try ShadowList("boss", all.sorted { $0.boss.name.descending }.limit(3, offset: 1), in: context),
      try ShadowList("reports", Fetch<Person> { $0.reports.count > 1 || $0.boss == nil }, in: context),
    ]
  }

  mutating func step() async throws -> String {
    let who = Int.random(in: 0..<3, using: &numbers)
    let context = contexts[who]
    let kind = Int.random(in: 0..<24, using: &numbers)
    switch kind {
    case 0..<4: try insertItem(context)
    case 4: context.insert(Person(name: name(), zip: Int.random(in: 0..<4, using: &numbers)))
    case 5..<10: try updateItem(context)
    case 10: try updateSeveral(context)
    case 11, 12: try updatePerson(context)
    case 13: if let item = try anyOne(Item.self, context) { context.delete(item) }
    case 14: if let person = try anyOne(Person.self, context) { context.delete(person) }
    case 15, 16: context.undo()
    case 17: context.redo()
    case 18: if Bool.random(using: &numbers) { context.discard() }
    case 19: try (who == 2 ? other : root).refresh()
    default: return try await save(who)
    }
    return "edit \(kind) in \(who)"
  }

  /// A save that is in conflict with others gives up what it was to save.
  private mutating func save(_ who: Int) async throws -> String {
    if who == 1 {
      do { try child.save() } catch is SaveError { child.discard() }
      return "save of the child"
    }
    let context = who == 2 ? other : root
    // Of the two that save, the one that has seen the latest save. (A save that others made already adds no position.)
    let isAlone = context.position == max(root.position, other.position)
    do {
      try await context.save()
      return isAlone ? "save alone" : "save"
    } catch is SaveError {
      context.discard()
      return "refused save"
    }
  }

  private mutating func insertItem(_ context: EditingContext) throws {
    let item = Item(name: name(), valueInDollars: Int.random(in: 0..<9, using: &numbers) * 10)
    item.weight = Bool.random(using: &numbers) ? nil : [-1, 0, .infinity, .nan].randomElement(using: &numbers)
    item.isInsured = Bool.random(using: &numbers)
    context.insert(item)
    if Bool.random(using: &numbers) { item.owner = try anyOne(Person.self, context) }
  }

  /// Undone and redone, they come in one batch each.
  private mutating func updateSeveral(_ context: EditingContext) throws {
    try context.group("several") {
      for _ in 0..<4 { try updateItem(context) }
      for _ in 0..<2 { try updatePerson(context) }
    }
    guard context.undoName == "several" else { return }
    context.undo()
    if Bool.random(using: &numbers) { context.redo() }
  }

  private mutating func updateItem(_ context: EditingContext) throws {
    guard let item = try anyOne(Item.self, context) else { return }
    switch Int.random(in: 0..<5, using: &numbers) {
    case 0: item.name = name()
    case 1: item.valueInDollars = Int.random(in: 0..<9, using: &numbers) * 10
    case 2: item.weight = item.weight == nil ? 1 : nil
    case 3: item.owner = Int.random(in: 0..<4, using: &numbers) == 0 ? nil : try anyOne(Person.self, context)
    default: item.isInsured.toggle()
    }
  }

  private mutating func updatePerson(_ context: EditingContext) throws {
    guard let person = try anyOne(Person.self, context) else { return }
    switch Int.random(in: 0..<3, using: &numbers) {
    case 0: person.name = name()
    case 1: person.zip = Int.random(in: 0..<4, using: &numbers)
    default: person.boss = Int.random(in: 0..<4, using: &numbers) == 0 ? nil : try anyOne(Person.self, context)
    }
  }

  private mutating func name() -> String {
    ["", "a", "ab", "b", "bat", "École", "A"].randomElement(using: &numbers) ?? ""
  }

  private mutating func anyOne<Model: PersistentModel>(_ model: Model.Type, _ context: EditingContext) throws -> Model?
  {
    try context.fetch(Fetch<Model>()).randomElement(using: &numbers)
  }
}
