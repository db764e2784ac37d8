import RepriseCore

/// Checks that your own data source keeps the promises of `DataSource`, by random changes.
///
/// The answers of the source must be consistent with each other, and its batches with its rows.
///
/// ```swift
/// func testMyNamesAreADataSource() async throws {
///   try await DataSourceConformance(
///     makeSource: { NameSource(["a", "b"]) },
///     change: { source, numbers in source.names.shuffle(using: &numbers) },
///     content: { $0 }
///   ).run()
/// }
/// ```
///
/// It needs no test framework: ``run(isolation:)`` throws a ``DataSourceFailure``. Call it in the source's isolation.
/// For a source of the main actor, make the test class or method one of the main actor.
///
/// Further checks cover optional abilities: ``runRowChanges(_:isolation:)``,
/// ``runRefreshing(changingBehind:failing:isolation:)``, ``runPaging(failing:isolation:)``,
/// ``runPrefetching(failing:isolation:)``, ``runRelaunching(isolation:_:)`` and ``runRestoring(_:)``.
public struct DataSourceConformance<Source: DataSource> {
  let makeSource: () throws -> Source
  let change: (Source, inout SeededGenerator) throws -> Void
  let content: (Source.Element) -> String
  let settle: nonisolated(nonsending) (Source) async throws -> Void
  let seed: UInt64
  let rounds: Int

  /// Makes a check of one kind of data source.
  ///
  /// - Parameters:
  ///   - makeSource: Makes a new source, preferably with some rows. Nothing else may retain the source.
  ///   - change: Changes the source at random: inserts, deletes, moves and updates rows, several at once if it can.
  ///     Observers call it, too.
  ///   - content: Returns the visible content of an element. With it, the check finds rows that change without notice.
  ///   - settle: Waits until a change has been announced. By default, it lets other jobs of the isolation run.
  ///   - seed: The seed of the random numbers. By default, each run has a different seed.
  ///   - rounds: The number of changes.
  public init(
    makeSource: @escaping () throws -> Source, change: @escaping (Source, inout SeededGenerator) throws -> Void,
    content: @escaping (Source.Element) -> String = { _ in "" },
    settle: nonisolated(nonsending) @escaping (Source) async throws -> Void = { _ in
      for _ in 0..<10 { await Task.yield() }
    },
    seed: UInt64 = UInt64(UInt32.random(in: 1 ... .max)), rounds: Int = 100
  ) {
    self.makeSource = makeSource
    self.change = change
    self.content = content
    self.settle = settle
    self.seed = seed
    self.rounds = rounds
  }

  /// Runs all checks that apply to every data source.
  ///
  /// Each round takes time in proportion to the rows of the source.
  ///
  /// - Throws: ``DataSourceFailure``, and the errors of the initializer's closures.
  public func run(isolation: isolated (any Actor)? = #isolation) async throws {
    try await checkChanges(isolation: isolation)
    try await checkCancelling(isolation: isolation)
    try await checkReentrancy(isolation: isolation)
    try await checkRetaining(isolation: isolation)
  }

  /// The place of the first row that differs between the rows of two lists of sections. `nil` if none differs.
  private static func firstDifference<Row: Equatable>(_ shown: [[Row]], _ known: [[Row]]) -> RowPath? {
    for section in 0..<max(shown.count, known.count) {
      let rows = section < shown.count ? shown[section] : []
      let others = section < known.count ? known[section] : []
      if rows != others { return RowPath(section: section, item: zip(rows, others).prefix { $0 == $1 }.count) }
    }
    return shown.count == known.count ? nil : RowPath(section: min(shown.count, known.count), item: 0)
  }

  /// Makes random changes. One of two observers applies each batch to a copy of the rows.
  private func checkChanges(isolation: isolated (any Actor)?) async throws {
    let source = try makeSource()
    var numbers = SeededGenerator(seed: seed)
    let witness = BatchWitness(source, content, isMain: isolation === MainActor.shared)
    let orders = Orders()
    let first = source.observe { [unowned source] batch in
      orders.first.append(batch)
      witness.receive(batch, source)
    }
    let second = source.observe { batch in
      orders.second.append(batch)
      orders.isOrdered = orders.isOrdered && orders.first.count == orders.second.count
    }
    defer {
      first.cancel()
      second.cancel()
    }
    try check(source, nil, round: 0)
    for round in 1...max(1, rounds) {
      let known = witness.rows
      let batchCount = orders.first.count
      witness.beginTurn()
      try change(source, &numbers)
      witness.endTurn()
      if let (check, reason) = witness.failure { throw failure(check, reason, round) }
      if witness.batchCount == batchCount {
        let place = Self.firstDifference(witness.readRows(source).map(\.ids), known.map(\.ids))
        if let place {
          throw failure(.stability, "\(place.inWords) changed before a batch announced the change.", round)
        }
      }
      try await settle(source)
      if let (check, reason) = witness.failure { throw failure(check, reason, round) }
      guard orders.isOrdered, orders.first == orders.second, orders.first.count == witness.batchCount else {
        throw failure(
          .delivery,
          "two observers must receive the same batches in the order of their registration. They received "
            + "\(orders.first.count) and \(orders.second.count) batches. If the numbers are equal, the order or the "
            + "batches differ.", round)
      }
      let shown = witness.readRows(source)
      if orders.first.count == batchCount, shown != known {
        let place = Self.firstDifference(shown.map(\.rows), known.map(\.rows))
        throw failure(.stability, "\(place.map(\.inWords) ?? "a section's name") changed without a batch.", round)
      }
      try check(source, known, round: round)
    }
    if orders.first.isEmpty {
      throw failure(.change, "the source was changed \(rounds) times, but sent no batch.", rounds)
    }
  }

  /// Checks the answers of the source at one moment.
  ///
  /// - Parameter earlier: Earlier rows. Some may be deleted.
  private func check(_ source: Source, _ earlier: [WitnessedSection]?, round: Int) throws {
    if let reason = SourceExamination(source).disagreement { throw failure(.counts, reason, round) }
    if let reason = SourceExamination(source).answerOutOfRange { throw failure(.outOfRange, reason, round) }
    let gone = earlier.map { $0.flatMap(\.ids).compactMap(\.self) } ?? []
    if let reason = SourceExamination(source).wrongLookup(of: gone) { throw failure(.lookup, reason, round) }
  }

  private func checkCancelling(isolation: isolated (any Actor)?) async throws {
    let source = try makeSource()
    var numbers = SeededGenerator(seed: seed)
    let counts = Counts()
    let cancelled = source.observe { _ in counts.cancelled += 1 }
    var released: ListObservation? = source.observe { _ in counts.released += 1 }
    let ending = EndingObservation()
    ending.observation = source.observe { _ in
      counts.ending += 1
      ending.observation?.cancel()
    }
    let kept = source.observe { _ in counts.kept += 1 }
    for round in 1...max(1, rounds) where counts.kept == 0 {
      try change(source, &numbers)
      try await settle(source)
      if round == rounds, counts.kept == 0 {
        throw failure(
          .change,
          "the source was changed \(rounds) times, but sent no batch.", round)
      }
    }
    let before = (counts.cancelled, counts.released, counts.ending)
    cancelled.cancel()
    cancelled.cancel()
    withExtendedLifetime(released) {}
    released = nil
    let batchCount = counts.kept
    for round in 1...max(1, rounds) where counts.kept == batchCount {
      try change(source, &numbers)
      try await settle(source)
      guard before == (counts.cancelled, counts.released, counts.ending), counts.ending == 1 else {
        throw failure(.cancelling, "the source called an observer after its observation had ended.", round)
      }
    }
    kept.cancel()
  }

  private func checkReentrancy(isolation: isolated (any Actor)?) async throws {
    let source = try makeSource()
    var numbers = SeededGenerator(seed: seed)
    let orders = Orders()
    let meddling = Meddling()
    let first = source.observe { orders.first.append($0) }
    let meddler = source.observe { [unowned source] _ in
      guard !meddling.isDone else { return }
      meddling.isDone = true
      do { try change(source, &numbers) } catch { meddling.error = error }
    }
    let last = source.observe { [unowned source] batch in
      orders.second.append(batch)
      if source.snapshot != batch.after { orders.isOrdered = false }
    }
    defer { for observation in [first, meddler, last] { observation.cancel() } }
    for round in 1...max(1, rounds) where orders.first.count < 2 {
      var others = SeededGenerator(seed: seed &+ UInt64(round))
      try change(source, &others)
      try await settle(source)
      if let error = meddling.error { throw error }
      guard orders.isOrdered, orders.first == orders.second,
        zip(orders.first, orders.first.dropFirst()).allSatisfy({ $0.after == $1.before })
      else {
        throw failure(
          .reentrancy,
          "an observer changed the source, and the source announced this change before all observers had received the "
            + "current batch.", round
        )
      }
    }
  }

  private func checkRetaining(isolation: isolated (any Actor)?) async throws {
    weak var gone: Source?
    var observation: ListObservation?
    do {
      let source = try makeSource()
      gone = source
      observation = source.observe { _ in }
    }
    if gone != nil { throw failure(.retaining, "an observation retains the source.", 0) }
    observation?.cancel()
  }

  func failure(_ check: DataSourceFailure.Check, _ reason: String, _ round: Int) -> DataSourceFailure {
    DataSourceFailure(check: check, reason: reason, seed: seed, round: round)
  }
}

/// Records the order of the batches of two observers.
private final class Orders {
  var first: [ListBatch] = []
  var second: [ListBatch] = []
  var isOrdered = true
}

private final class Counts {
  var cancelled = 0
  var released = 0
  var ending = 0
  var kept = 0
}

/// An observation that its own observer ends.
private final class EndingObservation {
  var observation: ListObservation?
}

private final class Meddling {
  var isDone = false
  var error: (any Error)?
}
