import RepriseCore
import RepriseApp
import Workload

/// Fills a store.
@MainActor struct Making<Item: BenchmarkItem> {
  let path: String

  /// A store with so many objects and events, as a killed process leaves it.
  func make(objects: Int, events: Int, batch: Int) async throws {
    let began = Bench.now()
    let store = try await Store.open(path, for: Item.schema)
    let visible = Bench.visibleRows(of: objects)
    let updates = max(0, events - objects)
    let kept = updates > 0 ? nil : Set(visible)
    let ids = try await insert(objects, batch, into: store, keeping: kept)
    try await update(updates, of: objects, batch, in: store, ids)
    try await leaveBehind(store, visible.compactMap { number in ids[number].map { ($0, number) } })
    Bench.put("objects", objects)
    Bench.put("events", objects + updates)
    Bench.put("elapsed", Bench.now() - began)
  }

  /// A fresh store with so many objects, durable after each batch.
  func load(objects: Int, batch: Int) async throws {
    let store = try await Store.open(path, for: Item.schema)
    let began = Bench.now()
    _ = try await insert(objects, batch, into: store, keeping: [])
    Bench.put("objects", objects)
    Bench.put("elapsed", Bench.now() - began)
  }

  /// Returns the IDs of the objects to keep in mind, all of them for `nil`, by number.
  private func insert(
    _ objects: Int, _ batch: Int, into store: Store, keeping kept: Set<Int>?
  ) async throws -> IDTable<Item> {
    let context = RootContext(store)
    var ids = IDTable<Item>(isWhole: kept == nil)
    for start in stride(from: 0, to: objects, by: batch) {
      for number in start..<min(start + batch, objects) {
        let item = context.insert(Item(ItemFacts(number: number)))
        if kept?.contains(number) ?? true { ids.add(item.id, number) }
      }
      try await context.save("Load")
    }
    return ids
  }

  private func update(
    _ updates: Int, of objects: Int, _ batch: Int, in store: Store, _ ids: IDTable<Item>
  ) async throws {
    let context = RootContext(store)
    for start in stride(from: 0, to: updates, by: batch) {
      for update in start..<min(start + batch, updates) {
        let (number, value) = Bench.update(update, of: objects)
        guard let id = ids[number] else { continue }
        try context.object(id).valueInDollars = value
      }
      try await context.save("Update")
    }
  }

  /// Screens and a draft in the journal, and no more: what a kill leaves.
  private func leaveBehind(_ store: Store, _ visible: [(id: Item.ID, number: Int)]) async throws {
    let app = App<Item>(store)
    try await app.restoreScreens()
    var paths: [NodePath] = []
    for number in 0..<Bench.screens {
      let facts = ScreenFacts(number: number)
      let selection = number < visible.count ? visible[number].id.any : nil
      let screen = try app.restoration.open(
        Screen.kind, id: "\(number)", under: facts.parent.map { paths[$0] },
        state: ScreenState(offset: facts.offset, selection: selection, title: facts.title))
      paths.append(screen.node.path)
    }
    let editor = try app.context.makeChild(draft: App<Item>.draft)
    for (id, number) in visible {
      let item = try editor.object(id)
      let edited = ItemFacts(editedNumber: number)
      item.name = edited.name
      item.serial = edited.serial
      item.valueInDollars = edited.value
      item.notes = edited.notes
    }
    // The journal is written within 250 ms.
    try await Task.sleep(for: .milliseconds(600))
    if let failure = store.drafts.failure { throw failure }
    withExtendedLifetime((app, editor)) {}
  }
}

/// The IDs of objects by their numbers: of all, or of a few.
struct IDTable<Item: BenchmarkItem> {
  let isWhole: Bool
  private var all: ContiguousArray<Item.ID> = []
  private var few: [Int: Item.ID] = [:]

  init(isWhole: Bool) { self.isWhole = isWhole }

  mutating func add(_ id: Item.ID, _ number: Int) {
    if isWhole { all.append(id) } else { few[number] = id }
  }

  subscript(number: Int) -> Item.ID? {
    if isWhole { all.indices.contains(number) ? all[number] : nil } else { few[number] }
  }
}
