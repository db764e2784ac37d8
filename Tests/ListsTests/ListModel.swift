import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels

/// What a test knows of an item.
struct ModelItem {
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
struct ModelCase {
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
final class FollowedList {
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
