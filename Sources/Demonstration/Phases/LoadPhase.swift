#if Macros
import RepriseCore

/// Loads the history into a store, transaction by transaction.
@MainActor struct LoadPhase {
  private let path: String
  private let options: Options
  private let terminal: Terminal

  init(store: String, _ options: Options, _ terminal: Terminal) {
    path = store
    self.options = options
    self.terminal = terminal
  }

  func run() async throws {
    let history = try HistoryReader(options.data + "/history.jsonl.gz")
    let checkpoints = try Checkpoint.read(options.data + "/checkpoints.jsonl")
    let store = try await Store.open(path, for: Congress.schema)
    guard store.log.head <= Position(1) else {
      throw DemoError.usage("There is a store at \(path) already. Name another place, or remove it.")
    }
    let loader = HistoryLoader(store)
    let clock = ContinuousClock()
    let began = clock.now
    var number = 0
    var compared = 0
    while let transaction = try history.next(), number < options.transactions ?? .max {
      number = transaction.number
      try await loader.apply(transaction)
      if let checkpoint = checkpoints[number] {
        try compare(store, with: checkpoint, number, isLast: isLast(number, checkpoints))
        compared += 1
      }
      progress(number, loader, clock.now - began)
    }
    terminal.passed()
    let time = clock.now - began
    let objects = try Congress.count(in: RootContext(store))
    terminal.fact("transactions", "\(number.grouped), each on the disk when its save returned")
    terminal.fact("operations", loader.operationCount.grouped)
    terminal.fact("objects", objects.grouped)
    terminal.fact("references that dangled", "at most \(loader.mostDangling.grouped) at once; now \(loader.dangling)")
    terminal.fact("compared with the data's checkpoints", "\(compared) by their counts, the last by its SHA-256", .good)
    let search = try NameSearch.compare(in: RootContext(store))
    terminal.fact(
      "searched by name", "\(search.searches) searches find \(search.found.grouped), the same as a scan of all objects",
      .good)
    try await store.close()
    terminal.fact("time", "\(time.seconds.tenths) s, \(Int(Double(number) / time.seconds).grouped) transactions/s")
  }

  private func isLast(_ number: Int, _ checkpoints: [Int: Checkpoint]) -> Bool {
    !checkpoints.keys.contains { $0 > number && $0 <= options.transactions ?? .max }
  }

  private func progress(_ number: Int, _ loader: HistoryLoader, _ time: Duration) {
    let text = "  \(number.grouped) transactions, \(loader.operationCount.grouped) operations, \(time.seconds.tenths) s"
    if terminal.isInteractive {
      if number % 5 == 0 { terminal.passing(text) }
    } else if number % 200 == 0 {
      terminal.line(text)
    }
  }

  // MARK: Checkpoints

  /// Compares every object at the last checkpoint, and the counts at the others.
  private func compare(_ store: Store, with checkpoint: Checkpoint, _ number: Int, isLast: Bool) throws {
    let counts = try Congress.counts(in: RootContext(store))
    guard counts == checkpoint.counts else {
      throw DemoError.differs(
        "After transaction \(number) the store has \(counts) instead of \(checkpoint.counts).")
    }
    guard isLast else { return }
    let digest = try CanonicalText.digest(of: RootContext(store))
    guard digest == checkpoint.digest else {
      throw DemoError.differs(
        "After transaction \(number) the objects have the digest \(digest) instead of \(checkpoint.digest).")
    }
  }
}
#endif
