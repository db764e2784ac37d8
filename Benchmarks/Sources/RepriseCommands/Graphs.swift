import RepriseCore
import Workload

/// Relationships, rules, and what leads a store to the next version of its models.
@MainActor struct Graphs {
  let path: String
  private static let schema = schema(TextPrice.self)
  /// So many objects are changed in one save.
  private static let saved = 1_000
  /// So many members have an order.
  private static let ordered = 10_000
  /// So many objects are at the other ends.
  private static let others = 1_000

  private static func schema(_ price: any PersistentModel.Type) -> Schema {
    Schema([Album.self, Track.self, Genre.self, Tag.self, UniqueAccount.self, IndexedAccount.self, price])
  }

  func make(objects: Int, batch: Int) async throws {
    let began = Bench.now()
    let store = try await Store.open(path, for: Self.schema)
    let context = RootContext(store)
    let album = context.insert(Album())
    for _ in 0..<Self.others { context.insert(Genre()) }
    for _ in 0..<Self.others { context.insert(Tag()) }
    for start in stride(from: 0, to: objects, by: batch) {
      let numbers = start..<min(start + batch, objects)
      let tracks = numbers.map { context.insert(Track(number: $0)) }
      album.tracks.append(contentsOf: tracks.prefix(max(0, Self.ordered - start)))
      for number in numbers { context.insert(TextPrice(number: number)) }
      try await context.save("Load")
    }
    try await store.close()
    Bench.put("objects", objects)
    Bench.put("events", objects)
    Bench.put("elapsed", Bench.now() - began)
  }

  func ask(_ question: String, rounds: Int, seed: Int) async throws {
    switch question {
    case "insert.unique": try await insert(rounds) { UniqueAccount($0) }
    case "insert.indexed": try await insert(rounds) { IndexedAccount($0) }
    case "pair": try await relate(rounds, seed, Tag.self) { $0.tags.insert($1) }
    case "toOne": try await relate(rounds, seed, Genre.self) { $0.genre = $1 }
    case "move": _ = try await move(rounds)
    case "arrange": try await arrange(rounds)
    case "rename": try await rename(rounds)
    default: WorkerExit.end(WorkerExit.unsupported)
    }
    Bench.put("check", rounds)
  }

  /// The time of one object.
  private func insert<Model: Account>(_ rounds: Int, _ make: (String) -> Model) async throws {
    let store = try await Store.open(path, for: Self.schema)
    let context = RootContext(store)
    for _ in 0..<rounds {
      let addresses = (0..<Self.saved).map { _ in "\(Bench.freshTicks())@example.org" }
      let began = Bench.now()
      for address in addresses { context.insert(make(address)) }
      try await context.save("Insert")
      Bench.put("sample", (Bench.now() - began) / Self.saved)
    }
  }

  /// The time of one reference. In each round it is to another object, so that no pair is there already.
  private func relate<Other: PlainModel>(
    _ rounds: Int, _ seed: Int, _ other: Other.Type, _ relate: (Track, Other) -> Void
  ) async throws {
    let store = try await Store.open(path, for: Self.schema)
    let context = RootContext(store)
    let tracks = try context.fetch(Fetch<Track>().limit(Self.saved))
    let others = try context.fetch(Fetch<Other>())
    for round in 0..<rounds {
      let began = Bench.now()
      for (number, track) in tracks.enumerated() {
        relate(track, others[(number + seed * rounds + round) % others.count])
      }
      try await context.save("Relate")
      Bench.put("sample", (Bench.now() - began) / Self.saved)
    }
  }

  /// A move, and its save, which is not timed.
  private func move(_ rounds: Int) async throws -> [Int] {
    let store = try await Store.open(path, for: Self.schema)
    let context = RootContext(store)
    guard let tracks = try context.first(Fetch<Album>())?.tracks else { throw BenchmarkError("There is no album.") }
    var random = FreshRandom()
    var bytes: [Int] = []
    for _ in 0..<rounds {
      let places = tracks.indices
      let (from, to) = (Int.random(in: places, using: &random), Int.random(in: places, using: &random))
      let began = Bench.now()
      tracks.move(from: from, to: to)
      Bench.put("sample", Bench.now() - began)
      try await context.save("Move")
      bytes.append(try TableSizes(path: path).lastFrame())
    }
    return bytes
  }

  /// What a move adds to the log.
  func bytes() async throws {
    let bytes = try await move(21).sorted()
    Bench.put("bytes", bytes[bytes.count / 2])
  }

  /// All members in another order, and back: the time of one of them.
  private func arrange(_ rounds: Int) async throws {
    let store = try await Store.open(path, for: Self.schema)
    let context = RootContext(store)
    guard let album = try context.first(Fetch<Album>()) else { throw BenchmarkError("There is no album.") }
    let tracks = Array(album.tracks)
    var random = FreshRandom()
    for _ in 0..<rounds {
      let shuffled = tracks.shuffled(using: &random)
      let began = Bench.now()
      album.tracks = OrderedToMany(shuffled)
      Bench.put("sample", (Bench.now() - began) / shuffled.count)
      context.discard()
    }
  }

  /// A million objects with relationships into a store of their own, beside contexts that follow, that stay behind, and
  /// that have edits: what the process has in memory at the end.
  func load(_ objects: Int, batch: Int) async throws {
    let store = try await Store.open(path + "/loaded", for: Self.schema)
    let (main, behind, editing) = (store.mainContext, RootContext(store), RootContext(store))
    behind.followsHead = false
    for _ in 0..<100 { editing.insert(Tag()) }
    let context = BackgroundContext(store)
    let began = Bench.now()
    let others = Self.others
    let (genres, tags) = try await context.perform { context in
      let genres = (0..<others).map { _ in context.insert(Genre()).id }
      let tags = (0..<others).map { _ in context.insert(Tag()).id }
      try await context.save("Load")
      return (genres, tags)
    }
    for start in stride(from: 0, to: objects, by: batch) {
      try await context.perform { context in
        for number in start..<min(start + batch, objects) {
          let track = context.insert(Track(number: number))
          track.genre = try context.object(genres[number % genres.count])
          track.tags.insert(try context.object(tags[number % tags.count]))
        }
        try await context.save("Load")
      }
    }
    Bench.put("bytes", Bench.anonymousBytes())
    Bench.put("objects", objects)
    Bench.put("elapsed", Bench.now() - began)
    withExtendedLifetime((main, behind, editing)) {}
    try await store.close()
  }

  /// There and back: the time of an opening.
  private func rename(_ rounds: Int) async throws {
    for round in 0..<2 * rounds {
      let schema = Self.schema(round % 2 == 0 ? TitledPrice.self : TextPrice.self)
      let began = Bench.now()
      let store = try await Store.open(path, for: schema)
      Bench.put("sample", Bench.now() - began)
      try await store.close()
    }
  }

  /// From texts to numbers with odd versions, and back with even ones.
  func convert(to version: Int) async throws {
    let migrations = (1...version).map { number in
      number % 2 == 1
        ? Migration(
          to: number, "Prices are numbers",
          AttributeConversion("amount", of: "Price", from: String.self, to: Int.self) { Int($0) ?? 0 })
        : Migration(
          to: number, "Prices are texts",
          AttributeConversion("amount", of: "Price", from: Int.self, to: String.self) { String($0) })
    }
    let schema = Self.schema(version % 2 == 1 ? NumberPrice.self : TextPrice.self)
    let began = Bench.now()
    let store = try await Store.open(path, for: schema, migrations: MigrationPlan(migrations))
    let elapsed = Bench.now() - began
    let count =
      version % 2 == 1
      ? try RootContext(store).count(Fetch<NumberPrice>()) : try RootContext(store).count(Fetch<TextPrice>())
    Bench.put("objects", count)
    Bench.put("elapsed", elapsed)
    try await store.close()
  }
}
