import RepriseCore
import Workload

/// A draft in which every object of the store is edited.
@MainActor struct Drafts<Item: BenchmarkItem> {
  let path: String
  private static var draft: String { "item-editor" }

  func make(objects: Int, batch: Int) async throws {
    let began = Bench.now()
    let store = try await Store.open(path, for: Item.schema)
    let context = RootContext(store)
    for start in stride(from: 0, to: objects, by: batch) {
      for number in start..<min(start + batch, objects) { context.insert(Item(ItemFacts(number: number))) }
      try await context.save("Load")
    }
    let editor = try RootContext(store, draft: Self.draft)
    for item in try editor.fetch(Fetch<Item>()) { item.valueInDollars += 1 }
    try await store.close()
    Bench.put("objects", objects)
    Bench.put("events", objects)
    Bench.put("elapsed", Bench.now() - began)
  }

  /// False if it is no question of drafts.
  func ask(_ question: String, rounds: Int) async throws -> Bool {
    guard question == "draft" || question == "draft.visible" else { return false }
    var hash = Hash()
    for _ in 0..<rounds {
      let store = try await Store.open(path, for: Item.schema)
      let visible = try RootContext(store).fetchIDs(Item.byDate.limit(Questions.first))
      var began = Bench.now()
      let editor = try RootContext(store, draft: Self.draft)
      if question == "draft.visible" { began = Bench.now() } else { Bench.put("sample", Bench.now() - began) }
      let values = try visible.map { try editor.object($0).valueInDollars }
      if question == "draft.visible" { Bench.put("sample", Bench.now() - began) }
      for value in values { hash.add(value) }
      withExtendedLifetime(editor) {}
      try await store.close()
    }
    Bench.put("check", hash.value)
    return true
  }
}
