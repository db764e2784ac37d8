import RepriseCore
import Workload

/// Queries of a context. What the rows of a screen show is read of every object within the clock, as others decode it
/// within theirs.
@MainActor struct Querying<Item: BenchmarkItem> {
  let path: String

  private typealias Ask = @MainActor (_ sample: Int) throws -> Answer<Item>

  /// Ends the process as without a counterpart if there is no such question.
  func ask(_ question: String, rounds: Int) async throws {
    let store = try await Store.open(path, for: Item.schema)
    let context = RootContext(store)
    guard let ask = try prepare(question, context, rounds) else { WorkerExit.end(WorkerExit.unsupported) }
    // Once without the clock, of a sample beyond the others.
    _ = try ask(rounds)
    var hash = Hash()
    for sample in 0..<rounds {
      let began = Bench.now()
      let answer = try ask(sample)
      Bench.put("sample", Bench.now() - began)
      hash.add(answer, number: { ItemFacts.number(ofSerial: $0.serial) }, value: \.valueInDollars)
    }
    Bench.put("check", hash.value)
    withExtendedLifetime(context) {}
  }

  private func prepare(_ question: String, _ context: RootContext, _ rounds: Int) throws -> Ask? {
    let objects = try context.count(Fetch<Item>())
    switch question {
    case "first50.half": return shown(Self.first(above: Questions.half), context)
    case "first50.onePercent": return shown(Self.first(above: Questions.onePercent), context)
    case "first50.pending":
      let edits = try Edits<Item>(context, seed: 0)
      // All are found before the first is edited: each look-up is a fetch, which pending edits may slow down.
      for item in try (0..<Questions.pending).map(edits.item) { edits.changeValue(item) }
      return shown(Self.first(above: Questions.half), context)
    case "first50.pendingOther":
      for edit in 0..<Questions.pending { Item.insertPerson("Person \(edit)", in: context) }
      return shown(Self.first(above: Questions.half), context)
    case "prefix50":
      return shown(
        Fetch<Item> { $0.name.hasPrefix(Questions.prefix) }.sorted { $0.name.ascending }.limit(Questions.first),
        context)
    case "all.objects": return shown(Item.byDate, context)
    case "top50.unindexed":
      return shown(Fetch<Item>().sorted { $0.valueInDollars.ascending }.limit(Questions.first), context)
    case "in100":
      let names = Questions.names(of: objects)
      return shown(Fetch<Item> { $0.name.isIn(names) }, context)
    case "or":
      let dates = Self.range(Questions.unionDates)
      return shown(
        Fetch<Item> {
          ($0.dateCreated >= dates.lowerBound && $0.dateCreated < dates.upperBound)
            || $0.name.hasPrefix(Questions.unionPrefix)
        }.sorted { $0.dateCreated.ascending }, context)
    case "count.range":
      return { sample in
        let dates = Self.range(Questions.countedDates(sample))
        return .figures(
          [
            try context.count(
              Fetch<Item> { $0.dateCreated >= dates.lowerBound && $0.dateCreated < dates.upperBound })
          ])
      }
    case "first50.half.property": return try property(Self.first(above: Questions.half), context)
    case "first50.onePercent.property": return try property(Self.first(above: Questions.onePercent), context)
    case "all.ids":
      let numbers = try numbers(context)
      return { _ in
        let ids = try context.fetchIDs(Item.byDate)
        return .figuresOf({ ids.map { numbers[$0] ?? -1 } })
      }
    case "sum.grouped":
      return { _ in
        let groups = try context.fetch(
          Fetch<Item>().grouped { $0.valueInDollars }.select { $0.valueInDollars.sum }
            .sorted { $0.valueInDollars.ascending })
        return .figures(groups.flatMap { [$0.key ?? -1, $0.values] })
      }
    case "rank": return try place(context, objects, rounds)
    case "nth":
      let list = try FetchedList(Item.byDate, in: context)
      return { sample in
        guard let path = list.snapshot.path(at: Questions.asked(sample, of: objects)) else { return .items([]) }
        return Self.read([list.element(at: path)])
      }
    default: return nil
    }
  }

  /// The object is at hand, as in a list that shows it.
  private func place(_ context: RootContext, _ objects: Int, _ rounds: Int) throws -> Ask {
    let list = try FetchedList(Item.byDate, in: context)
    let items = try (0...rounds).map { sample in
      try Edits<Item>.item(Questions.asked(sample, of: objects), in: context)
    }
    return { sample in
      .figures([list.row(for: items[sample].id).path.flatMap { list.snapshot.index(of: $0) } ?? -1])
    }
  }

  private func property(_ fetch: Fetch<Item>, _ context: RootContext) throws -> Ask {
    let numbers = try numbers(context)
    return { _ in
      let rows = try context.fetchValues(fetch) { $0.valueInDollars }
      return .figuresOf({ rows.flatMap { [numbers[$0.id] ?? -1, $0.values ?? -1] } })
    }
  }

  /// The numbers of all items by their IDs, which are made anew in each store.
  private func numbers(_ context: RootContext) throws -> [Item.ID: Int] {
    let rows = try context.fetchValues(Fetch<Item>()) { $0.serial }
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.id, ItemFacts.number(ofSerial: $0.values ?? "")) })
  }

  private func shown(_ fetch: Fetch<Item>, _ context: RootContext) -> Ask {
    { _ in Self.read(try context.fetch(fetch)) }
  }

  /// Name and value of each, which may not have been decoded before.
  private static func read(_ items: [Item]) -> Answer<Item> {
    var sum = 0
    for item in items { sum &+= item.name.utf8.count &+ item.valueInDollars }
    withExtendedLifetime(sum) {}
    return .items(items)
  }

  private static func first(above value: Int) -> Fetch<Item> {
    Fetch<Item> { $0.valueInDollars > value }.sorted { $0.dateCreated.ascending }.limit(Questions.first)
  }

  private static func range(_ ticks: Range<Int>) -> Range<Item.Fields.DateValue> {
    Item.date(ticks: ticks.lowerBound)..<Item.date(ticks: ticks.upperBound)
  }
}
