import RepriseCore
import Workload

/// Work whose instructions, page faults, system calls and writes are counted from outside. A run with some rounds, less
/// one with none, leaves the cost of the rounds: whatever else a run does is the same in both.
@MainActor struct Counting<Item: BenchmarkItem> {
  let path: String

  /// Objects that are read one after the other, over and over.
  private static var objects: Int { 1_000 }

  func run(_ work: String, rounds: Int) async throws {
    if work == "open", rounds == 0 { return }
    let store = try await Store.open(path, for: Item.schema)
    switch work {
    case "open": break
    case "settle": try await store.close()
    case "read": try read(store, rounds)
    case "save": try await save(store, rounds)
    case "keystroke": try await type(store, rounds)
    default: WorkerExit.end(WorkerExit.unsupported)
    }
  }

  private func read(_ store: Store, _ rounds: Int) throws {
    let context = RootContext(store)
    let ids = try context.fetchIDs(Item.byDate.limit(Self.objects))
    var sum = 0
    for round in 0..<rounds { sum &+= try context.object(ids[round % ids.count]).facts.value }
    withExtendedLifetime(sum) {}
  }

  private func save(_ store: Store, _ rounds: Int) async throws {
    let context = RootContext(store)
    let item = try first(context)
    // Once in any case, so that what only the first save does is in both runs.
    for _ in 0...rounds {
      item.valueInDollars = Bench.freshValue()
      try await context.save("Edit")
    }
  }

  /// Each keystroke to the journal's file: a frame of its own, however fast the machine is.
  private func type(_ store: Store, _ rounds: Int) async throws {
    let editor = try RootContext(store, draft: "counted")
    let item = try first(editor)
    for _ in 0...rounds {
      item.name.append("x")
      try await store.flush()
    }
  }

  private func first(_ context: EditingContext) throws -> Item {
    guard let item = try context.fetch(Item.byDate.limit(1)).first else { throw BenchmarkError("The store is empty.") }
    return item
  }
}
