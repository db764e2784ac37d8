import RepriseCore
import Workload

/// Reads of objects by ID, and of places in a list.
@MainActor struct Reading<Item: BenchmarkItem> {
  let path: String

  /// `read`: objects that are not live, all attributes. `one`: the same, one attribute. `hit`: live ones, one
  /// attribute.
  func read(rounds: Int) async throws {
    let store = try await Store.open(path, for: Item.schema)
    let context = RootContext(store)
    let ids = try Sample<Item>(min(rounds * 100, 200_000), in: context).ids
    var sum = 0
    try measure("read", rounds, ids) { sum &+= try context.object($0).facts.value }
    try measure("one", rounds, ids) { sum &+= try context.object($0).valueInDollars }
    let live = try ids.prefix(1_000).map { try context.object($0) }
    for item in live { sum &+= item.valueInDollars }
    try measure("hit", rounds, live.map(\.id)) { sum &+= try context.object($0).valueInDollars }
    withExtendedLifetime((live, sum)) {}
  }

  private func measure(
    _ label: StaticString, _ rounds: Int, _ ids: [Item.ID], _ body: (Item.ID) throws -> Void
  ) rethrows {
    var next = 0
    for _ in 0..<rounds {
      let began = Bench.now()
      for _ in 0..<100 {
        try body(ids[next])
        next = next + 1 == ids.count ? 0 : next + 1
      }
      Bench.put(label, (Bench.now() - began) / 100)
    }
  }

  func rank(rounds: Int) async throws {
    let store = try await Store.open(path, for: Item.schema)
    let context = RootContext(store)
    let ids = try Sample<Item>(rounds, in: context).ids
    let list = try FetchedList(Item.byDate, in: context)
    for round in 0..<rounds {
      let began = Bench.now()
      let row = list.row(for: ids[round % ids.count])
      let ended = Bench.now()
      guard case .row = row else { throw BenchmarkError("An object has no row: \(row)") }
      Bench.put("rank", ended - began)
    }
  }
}
