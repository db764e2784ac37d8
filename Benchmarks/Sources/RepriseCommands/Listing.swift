import RepriseCore
import Workload

/// Lists that are open while something changes.
@MainActor struct Listing<Item: BenchmarkItem> {
  let path: String

  private static var byCondition: Fetch<Item> {
    Fetch<Item> { $0.valueInDollars > Questions.half }.sorted { $0.dateCreated.ascending }
  }

  /// Ends the process as without a counterpart if there is no such question.
  func ask(_ question: String, rounds: Int, seed: Int) async throws {
    let store = try await Store.open(path, for: Item.schema)
    let context = RootContext(store)
    let list: FetchedList<Item>
    switch question {
    case "open.condition": list = try open(context, rounds)
    case "change.condition":
      list = try await follow(Self.byCondition, context, rounds, seed) { edits, item, _ in edits.changeValue(item) }
    case "change.twoKeys":
      let fetch = Fetch<Item>().sorted { [$0.name.ascending, $0.dateCreated.descending] }
        .sectioned { $0.name.firstCharacter() }
      list = try await follow(fetch, context, rounds, seed) { $0.changeName($1, $2) }
    case "change.index": list = try await follow(Item.byDate, context, rounds, seed) { $0.changeDate($1, $2) }
    case "change.saved": list = try await followSaves(store, context, rounds, seed)
    default: WorkerExit.end(WorkerExit.unsupported)
    }
    try Self.putCheck(list)
  }

  private func open(_ context: RootContext, _ rounds: Int) throws -> FetchedList<Item> {
    var list: FetchedList<Item>?
    for _ in 0..<rounds {
      let began = Bench.now()
      let opened = try FetchedList(Self.byCondition, in: context)
      let count = opened.count
      Bench.put("sample", Bench.now() - began)
      guard count > 0 else { throw BenchmarkError("The list is empty.") }
      list = opened
    }
    guard let list else { throw BenchmarkError("No list was opened.") }
    return list
  }

  /// From just before an edit to the batch that shows it.
  private func follow(
    _ fetch: Fetch<Item>, _ context: RootContext, _ rounds: Int, _ seed: Int,
    edit: @MainActor (Edits<Item>, Item, _ sample: Int) -> Void
  ) async throws -> FetchedList<Item> {
    let edits = try Edits<Item>(context, seed: seed)
    let items = try (0..<rounds).map(edits.item)
    let list = try FetchedList(fetch, in: context)
    let batches = BatchClock(list)
    for sample in 0..<rounds {
      await batches.forget()
      let began = Bench.now()
      edit(edits, items[sample], sample)
      Bench.put("sample", await batches.next() - began)
    }
    return list
  }

  /// From the context's move to a save of another one to the batch that shows it.
  private func followSaves(
    _ store: Store, _ context: RootContext, _ rounds: Int, _ seed: Int
  ) async throws -> FetchedList<Item> {
    let edits = try Edits<Item>(context, seed: seed)
    let list = try FetchedList(Self.byCondition, in: context)
    let batches = BatchClock(list)
    let background = BackgroundContext(store)
    context.followsHead = false
    for sample in 0..<rounds {
      let first = sample * Questions.saved
      let ids = try (first..<first + Questions.saved).map { try edits.item($0).id }
      try await background.perform { context in
        for id in ids {
          let item = try context.object(id)
          item.valueInDollars = Questions.otherHalf(item.valueInDollars)
        }
        try await context.save("Edit")
      }
      await batches.forget()
      let began = Bench.now()
      try context.refresh()
      Bench.put("sample", await batches.next() - began)
    }
    return list
  }

  func memory() async throws {
    let store = try await Store.open(path, for: Item.schema)
    let context = RootContext(store)
    // What a first list touches is there, then.
    var small: FetchedList<Item>? = try FetchedList(
      Fetch<Item> { $0.valueInDollars > Questions.onePercent }.sorted { $0.dateCreated.ascending }, in: context)
    guard small?.count ?? 0 > 0 else { throw BenchmarkError("The list is empty.") }
    small = nil
    let before = Questions.keptBytes()
    let list = try FetchedList(Self.byCondition, in: context)
    let rows = list.count
    Bench.put("bytes", Questions.keptBytes() - before)
    Bench.put("rows", rows)
    try Self.putCheck(list)
  }

  private static func putCheck(_ list: FetchedList<Item>) throws {
    let rows = list.snapshot
    var numbers: [Int] = []
    numbers.reserveCapacity(rows.count)
    for index in 0..<rows.count {
      guard let path = rows.path(at: index) else { throw BenchmarkError("The list has no row \(index).") }
      numbers.append(ItemFacts.number(ofSerial: list.element(at: path).serial))
    }
    var hash = Hash()
    hash.add(numbers)
    Bench.put("check", hash.value)
  }
}

/// Waits for the batches of a list, and notes when they come.
@MainActor private final class BatchClock<Item: BenchmarkItem> {
  private var observation: ListObservation?
  private var delivered: Int?
  private var waiting: CheckedContinuation<Int, Never>?

  init(_ list: FetchedList<Item>) {
    observation = list.observe { [unowned self] _ in deliver(at: Bench.now()) }
  }

  private func deliver(at time: Int) {
    if let waiting {
      self.waiting = nil
      waiting.resume(returning: time)
    } else {
      delivered = time
    }
  }

  /// Lets what is under way end: a second batch of the sample before is none of the next.
  func forget() async {
    for _ in 0..<3 { await Task.yield() }
    delivered = nil
  }

  /// When the next batch comes, or came since ``forget()``.
  func next() async -> Int {
    if let delivered {
      self.delivered = nil
      return delivered
    }
    return await withCheckedContinuation { waiting = $0 }
  }
}
