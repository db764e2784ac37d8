import RepriseCore
import Workload

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What was, what took it back, and what another process saves.
///
/// The store has so many records, the first with 10,000 versions, the second with 1,000, the third with 10; then 1,000
/// transactions that each give one of the others another date.
@MainActor struct Histories {
  let path: String
  private static let depths = [10_000, 1_000, 10]
  private static let behind = 1_000
  /// So many records are changed in one save that is taken back.
  private static let saved = 100

  func make(objects: Int, batch: Int) async throws {
    let began = Bench.now()
    let store = try await Store.open(path, for: BenchmarkRecord.schema)
    let context = RootContext(store)
    for start in stride(from: 0, to: objects, by: batch) {
      for number in start..<min(start + batch, objects) {
        context.insert(BenchmarkRecord(number: number, name: ItemFacts(number: number).name))
      }
      try await context.save("Load")
    }
    for (number, depth) in Self.depths.enumerated() {
      let record = try record(number, context)
      for version in 1..<depth {
        record.value = version
        try await context.save("Edit")
      }
    }
    let ids = try context.fetchIDs(Fetch<BenchmarkRecord> { $0.number >= 10 }.limit(Self.behind))
    for (number, id) in ids.enumerated() {
      try context.object(id).date = number
      try await context.save("Edit")
    }
    try await store.close()
    Bench.put("objects", objects)
    Bench.put("events", objects + Self.depths.reduce(0) { $0 + $1 - 1 } + ids.count)
    Bench.put("elapsed", Bench.now() - began)
  }

  /// As many transactions as there are to be events besides those that make the records, each with another date for one
  /// of them.
  func makeLong(objects: Int, events: Int, batch: Int) async throws {
    let store = try await Store.open(path, for: BenchmarkRecord.schema)
    let context = RootContext(store)
    for start in stride(from: 0, to: objects, by: batch) {
      for number in start..<min(start + batch, objects) {
        context.insert(BenchmarkRecord(number: number, name: ItemFacts(number: number).name))
      }
      try await context.save("Load")
    }
    let ids = try context.fetchIDs(Fetch<BenchmarkRecord>())
    for number in 0..<(events - objects) {
      // A prime, so that each is changed as often as the others, and none soon again.
      try context.object(ids[number * 7_919 % ids.count]).date = -1 - number
      try await context.save("Edit")
    }
    try await store.close()
    Bench.put("objects", objects)
    Bench.put("events", events)
  }

  func ask(_ question: String, rounds: Int) async throws {
    BenchmarkRecord.keepsHistory = question.hasPrefix("past.first.") && !question.hasSuffix(".log")
    let store = try await Store.open(path, for: BenchmarkRecord.schema)
    switch question {
    case "past.object.10": try past(depth: 2, rounds, store)
    case "past.object.10k": try past(depth: 0, rounds, store)
    case "past.fetch50": try fetch(store.context(at: store.log.head.advanced(by: -Self.behind)), rounds)
    case "past.fetch50.head": try fetch(RootContext(store), rounds)
    case "history.object": try history(rounds, store)
    case "history.fetch": try fetchHistory(rounds, store)
    case "undo.saved": try await undo(rounds, store, reverts: true)
    case "undo.saved.save": try await undo(rounds, store, reverts: false)
    case "merge.1000": try await merge(rounds, store, conflicts: true)
    case "merge.1000.save": try await merge(rounds, store, conflicts: false)
    case "past.fetch50.far": try far(rounds, store)
    case "past.first.head": try first(behind: 0, rounds, store)
    case "past.first.1k", "past.first.1k.log": try first(behind: 1_000, rounds, store)
    case "past.first.100k", "past.first.100k.log": try first(behind: 100_000, rounds, store)
    case "past.first.1M", "past.first.1M.log": try first(behind: 1_000_000, rounds, store)
    case "past.pins": try await pins(rounds, store, pinned: true)
    case "past.pins.none": try await pins(rounds, store, pinned: false)
    case "feed.process": try await feed(rounds, store)
    default: WorkerExit.end(WorkerExit.unsupported)
    }
    Bench.put("check", rounds)
  }

  private func record(_ number: Int, _ context: ObjectContext) throws -> BenchmarkRecord {
    guard let record = try context.first(Fetch<BenchmarkRecord> { $0.number == number }) else {
      throw BenchmarkError("There is no record \(number).")
    }
    return record
  }

  /// A value of one record at some position of its life, with the context that shows it.
  private func past(depth: Int, _ rounds: Int, _ store: Store) throws {
    let id = try record(depth, RootContext(store)).id
    let positions = try store.log.history(of: id.any).map(\.position)
    var random = FreshRandom()
    for _ in 0..<rounds {
      guard let position = positions.randomElement(using: &random) else { continue }
      let began = Bench.now()
      let value = try store.context(at: position).object(id).value
      let ended = Bench.now()
      if value < 0 { throw BenchmarkError("It has no value.") }
      Bench.put("sample", ended - began)
    }
  }

  /// 50 records from somewhere in the order of their dates, once what differs is known.
  private func fetch(_ context: ObjectContext, _ rounds: Int) throws {
    let all = Fetch<BenchmarkRecord>().sorted { $0.date.ascending }
    let count = try context.count(all)
    _ = try context.fetch(all.limit(50))
    var random = FreshRandom()
    for _ in 0..<rounds {
      let from = Int.random(in: 0..<max(1, count - 50), using: &random)
      let began = Bench.now()
      let names = try context.fetch(Fetch<BenchmarkRecord> { $0.date >= from }.sorted { $0.date.ascending }.limit(50))
        .map(\.name)
      let ended = Bench.now()
      if names.count != 50 { throw BenchmarkError("There are \(names.count).") }
      Bench.put("sample", ended - began)
    }
  }

  private func history(_ rounds: Int, _ store: Store) throws {
    let id = try record(1, RootContext(store)).id
    for _ in 0..<rounds {
      let began = Bench.now()
      let versions = try store.log.history(of: id.any)
      let ended = Bench.now()
      if versions.count != Self.depths[1] { throw BenchmarkError("There are \(versions.count).") }
      Bench.put("sample", ended - began)
    }
  }

  /// What the transactions that each changed a date did to the records before a date.
  private func fetchHistory(_ rounds: Int, _ store: Store) throws {
    let context = RootContext(store)
    let start = store.log.head.advanced(by: -Self.behind)
    for _ in 0..<rounds {
      let began = Bench.now()
      let changes = try context.history(of: Fetch<BenchmarkRecord> { $0.date < Self.behind / 2 }, after: start)
      let ended = Bench.now()
      if changes.count != Self.behind / 2 { throw BenchmarkError("There are \(changes.count).") }
      Bench.put("sample", ended - began)
    }
  }

  /// The save of 100 events, or what takes it back.
  private func undo(_ rounds: Int, _ store: Store, reverts: Bool) async throws {
    let context = RootContext(store)
    let records = try context.fetch(Fetch<BenchmarkRecord> { $0.number >= 100 }.limit(Self.saved))
    for _ in 0..<rounds {
      let values = records.map { _ in Bench.freshValue() }
      var began = Bench.now()
      for (record, value) in zip(records, values) { record.value = value }
      let position = try await context.save("Edit")
      if reverts {
        began = Bench.now()
        try context.revert(transactionAt: position)
        try await context.save()
      }
      Bench.put("sample", Bench.now() - began)
    }
  }

  /// A save of 1,000 changes, over as many that somebody else has saved meanwhile of the same attributes.
  private func merge(_ rounds: Int, _ store: Store, conflicts: Bool) async throws {
    let (mine, theirs) = (RootContext(store, author: "Ada"), RootContext(store, author: "Bob"))
    mine.followsHead = false
    let records = try mine.fetch(Fetch<BenchmarkRecord> { $0.number >= 2_000 }.limit(1_000))
    for _ in 0..<rounds {
      // They would follow at the end of the turn.
      try mine.refresh()
      try theirs.refresh()
      for record in records { record.value = Bench.freshValue() }
      if conflicts {
        for record in records { try theirs.object(record.id).value = Bench.freshValue() }
        try await theirs.save("Edit")
      }
      let began = Bench.now()
      try await mine.save("Edit", merging: .mine)
      Bench.put("sample", Bench.now() - began)
    }
  }

  // MARK: Far behind

  /// All records are there, and nearly nothing has changed.
  private static let beginning: Position = 200

  /// 50 records by date, all transactions back; the first context finds out what differs.
  private func far(_ rounds: Int, _ store: Store) throws {
    let began = Bench.now()
    let context = try store.context(at: Self.beginning)
    _ = try context.fetch(Fetch<BenchmarkRecord>().sorted { $0.date.ascending }.limit(50)).count
    Bench.put("first", Bench.now() - began)
    try fetch(context, rounds)
  }

  /// 50 records by date, as the first fetch of a context.
  private func first(behind: Int, _ rounds: Int, _ store: Store) throws {
    let position = store.log.head.advanced(by: -behind)
    // Nearly all dates are among as many in a row as there are records.
    guard let least = try store.context(at: position).first(Fetch<BenchmarkRecord>().sorted { $0.date.ascending })?.date
    else { throw BenchmarkError("There are no records.") }
    var random = FreshRandom()
    for _ in 0..<rounds {
      let from = least + Int.random(in: 0..<50_000, using: &random)
      let began = Bench.now()
      let names = try store.context(at: position)
        .fetch(Fetch<BenchmarkRecord> { $0.date >= from }.sorted { $0.date.ascending }.limit(50)).map(\.name)
      let ended = Bench.now()
      if names.count != 50 { throw BenchmarkError("There are \(names.count).") }
      Bench.put("sample", ended - began)
    }
  }

  /// A durable save while 100 contexts are that far behind.
  private func pins(_ rounds: Int, _ store: Store, pinned: Bool) async throws {
    let context = RootContext(store)
    let record = try record(5, context)
    let before = Bench.anonymousBytes()
    var contexts: [PastContext] = []
    if pinned {
      for number in 0..<100 {
        let past = try store.context(at: Self.beginning.advanced(by: number))
        _ = try past.object(record.id).value
        contexts.append(past)
      }
    }
    for _ in 0..<rounds {
      record.value = Bench.freshValue()
      let began = Bench.now()
      try await context.save("Edit")
      Bench.put("sample", Bench.now() - began)
    }
    Bench.put("memory-bytes", max(0, Bench.anonymousBytes() - before))
    var facts = stat()
    stat(path + "/data.mdb", &facts)
    Bench.put("file-bytes", Int(facts.st_size))
    withExtendedLifetime(contexts) {}
  }

  // MARK: Another process

  /// From when a save returned until another process had it from its feed; 0 if it had it before.
  private func feed(_ rounds: Int, _ store: Store) async throws {
    let context = RootContext(store)
    let record = try record(3, context)
    let reader = try FeedReader(path, after: store.log.head)
    for _ in 0..<rounds {
      // Somewhere in the pauses of whoever waits.
      try await Task.sleep(for: .milliseconds(20))
      record.value = Bench.freshValue()
      try await context.save("Edit")
      let saved = Bench.now()
      guard let received = reader.next() else { throw BenchmarkError("The other process has ended.") }
      Bench.put("sample", max(0, received - saved))
    }
    reader.end()
  }

  /// The other process: writes when it received each transaction, for ever.
  func follow(after position: Int) async throws {
    let store = try await Store.open(path, for: BenchmarkRecord.schema)
    FeedReader.tell(0)
    for try await _ in store.log.feed(after: try store.log.token(at: Position(UInt64(position)))) {
      FeedReader.tell(Bench.now())
    }
  }
}

/// A process that follows the feed, and the pipe in which it says when it received what.
private struct FeedReader {
  private let process: pid_t
  private let descriptor: Int32

  init(_ store: String, after position: Position) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw BenchmarkError("There is no pipe.") }
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    #else
    var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addclose(&actions, ends[0])
    defer { posix_spawn_file_actions_destroy(&actions) }
    let words = [CommandLine.arguments[0], "follow", store, "after=\(position)"]
    var arguments = words.map { strdup($0) } + [nil]
    defer { for text in arguments { free(text) } }
    var process = pid_t()
    guard posix_spawnp(&process, words[0], &actions, nil, &arguments, environ) == 0 else {
      throw BenchmarkError("The other process cannot be started.")
    }
    close(ends[1])
    self.process = process
    descriptor = ends[0]
    guard next() == 0 else { throw BenchmarkError("The other process did not begin.") }
    // It has looked at what there is, and waits.
    usleep(200_000)
  }

  func next() -> Int? {
    var time = Int64()
    return read(descriptor, &time, 8) == 8 ? Int(time) : nil
  }

  func end() {
    kill(process, SIGKILL)
    var status: Int32 = 0
    waitpid(process, &status, 0)
    close(descriptor)
  }

  static func tell(_ time: Int) {
    var time = Int64(time)
    _ = write(1, &time, 8)
  }
}
