import RepriseCore
import Workload

/// Durable saves of one attribute each.
@MainActor struct Saving<Item: BenchmarkItem> {
  let path: String
  /// Whether the attribute of the counted index is changed, the date.
  let changesIndex: Bool

  func save(rounds: Int) async throws {
    let store = try await Store.open(path, for: Item.schema)
    let context = RootContext(store)
    let ids = try Sample<Item>(max(1, rounds), in: context).ids
    try await warmUp(context, ids)
    for round in 0..<rounds {
      let item = try context.object(ids[round % ids.count])
      let value = changesIndex ? Bench.freshTicks() : Bench.freshValue()
      let began = Bench.now()
      if changesIndex { item.setTicks(value) } else { item.valueInDollars = value }
      try await context.save("Edit")
      Bench.put("save", Bench.now() - began)
    }
  }

  /// So many contexts, each on a thread and with objects of its own, saving as fast as they can.
  func saveTogether(rounds: Int, contexts: Int) async throws {
    let store = try await Store.open(path, for: Item.schema)
    let context = RootContext(store)
    let ids = try Sample<Item>(rounds * contexts, in: context).ids
    try await warmUp(context, ids)
    guard ids.count >= contexts else { throw BenchmarkError("There are fewer objects than contexts.") }
    let began = Bench.now()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<contexts {
        let own = stride(from: number, to: ids.count, by: contexts).map { ids[$0] }
        let background = BackgroundContext(store)
        group.addTask {
          try await background.perform { context in
            for round in 0..<rounds {
              try context.object(own[round % own.count]).valueInDollars = Bench.freshValue()
              try await context.save("Edit")
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let ended = Bench.now()
    Bench.put("saves", rounds * contexts)
    Bench.put("elapsed", ended - began)
  }

  /// The longest save of some contexts that save as fast as they can for some seconds.
  func saveWorst(seconds: Int, contexts: Int) async throws {
    let store = try await Store.open(path, for: Item.schema)
    let context = RootContext(store)
    let ids = try Sample<Item>(1_000 * contexts, in: context).ids
    try await warmUp(context, ids)
    let end = Bench.now() + seconds * 1_000_000_000
    let longest = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<contexts {
        let own = stride(from: number, to: ids.count, by: contexts).map { ids[$0] }
        let background = BackgroundContext(store)
        group.addTask {
          try await background.perform { context in
            var (longest, round) = (0, 0)
            while Bench.now() < end {
              try context.object(own[round % own.count]).valueInDollars = Bench.freshValue()
              let began = Bench.now()
              try await context.save("Edit")
              longest = max(longest, Bench.now() - began)
              round += 1
            }
            return longest
          }
        }
      }
      var longest = 0
      while let one = try await group.next() { longest = max(longest, one) }
      return longest
    }
    Bench.put("save", longest)
  }

  /// The first flush writes what making or copying the store left in memory: that is nobody's save.
  private func warmUp(_ context: RootContext, _ ids: [Item.ID]) async throws {
    guard let first = ids.first else { throw BenchmarkError("The store has no objects.") }
    try context.object(first).valueInDollars = Bench.freshValue()
    try await context.save("Edit")
  }
}
