import RepriseCore
import Workload

/// The restore of a killed process: cold, with a stamp after each stage, or again and again inside one process.
@MainActor public struct Restoring<Item: RestorableItem> {
  let path: String

  public init(path: String) { self.path = path }

  public func once(main: Int) async throws {
    var stamps = Stamps()
    let (app, facts) = try await restore(&stamps)
    let ready = Bench.now()
    Bench.put("main", main)
    Bench.put("open", stamps.open)
    Bench.put("tree", stamps.tree)
    Bench.put("rows", stamps.rows)
    Bench.put("position", stamps.position)
    Bench.put("draft", stamps.draft)
    Bench.put("ready", ready)
    Bench.put("check", facts.hash)
    Bench.put("anonymous", Bench.anonymousBytes())
    withExtendedLifetime(app) {}
  }

  public func inside(rounds: Int) async throws {
    var check = 0
    for _ in 0..<rounds {
      var stamps = Stamps()
      let began = Bench.now()
      let (app, facts) = try await restore(&stamps)
      let ready = Bench.now()
      try await app.store.close()
      Bench.put("restore", ready - began)
      Bench.put("close", Bench.now() - ready)
      check = facts.hash
    }
    Bench.put("check", check)
  }

  private struct Stamps {
    var open = 0
    var tree = 0
    var rows = 0
    var position = 0
    var draft = 0
  }

  private func restore(_ stamps: inout Stamps) async throws -> (app: App<Item>, facts: RestoredFacts) {
    var facts = RestoredFacts()
    let store = try await Store.open(path, for: Item.schema)
    stamps.open = Bench.now()
    let app = App<Item>(store)
    try await app.restoreScreens()
    stamps.tree = Bench.now()
    facts.rows = try app.visibleRows()
    stamps.rows = Bench.now()
    let visible = app.visibleIDs
    if visible.count > Bench.anchor { facts.rank = try app.rank(of: visible[Bench.anchor]) }
    stamps.position = Bench.now()
    facts.edited = try app.editedRows()
    facts.screens = app.screenFacts()
    stamps.draft = Bench.now()
    return (app, facts)
  }
}
