import RepriseCore

extension DataSourceConformance where Source: RefreshableSource {
  /// Checks `refresh()`.
  ///
  /// It must bring external changes, and announce them before it returns. A failure must leave the rows unchanged, and
  /// the next refresh must recover. Concurrent calls must join, and a cancelled call must do no harm.
  ///
  /// - Parameters:
  ///   - changingBehind: Changes the source's data without notifying the source, so that it shows other rows.
  ///   - failing: Makes the source's data unreadable, and readable again. Without it, failures are not checked.
  ///   - isolation: The isolation of the source.
  /// - Throws: ``DataSourceFailure``, and the errors of the closures.
  public func runRefreshing(
    changingBehind: @escaping (Source, inout SeededGenerator) throws -> Void,
    failing: ((Source, _ isFailing: Bool) throws -> Void)? = nil, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let source = try makeSource()
    var numbers = SeededGenerator(seed: seed)
    try await source.refresh()
    let told = ToldRows(source, content, isMain: isolation === MainActor.shared)
    for round in 1...max(1, rounds) {
      try changingBehind(source, &numbers)
      if let failing, Bool.random(using: &numbers) {
        try failing(source, true)
        var isThrown = false
        do { try await source.refresh() } catch { isThrown = true }
        try require(isThrown, "`failing` made the data unreadable, but `refresh()` did not throw.", round)
        try requireTold(told, round)
        try failing(source, false)
      }
      switch Int.random(in: 0..<3, using: &numbers) {
      case 0: try await source.refresh()
      case 1:
        let gone = onIsolation(source, isolation) { try await $0.refresh() }
        for _ in 0..<Int.random(in: 0..<8, using: &numbers) { await Task.yield() }
        gone.cancel()
        try await source.refresh()
        _ = await gone.result
      default:
        let others = (0..<3).map { _ in onIsolation(source, isolation) { try await $0.refresh() } }
        try await source.refresh()
        for other in others { try await other.value }
      }
      try requireTold(told, round)
      try require(source.loadState.isLoaded, "`refresh()` returned, but the load state is not `loaded`.", round)
      // The first refresh read everything, so a second one must bring nothing new.
      let known = told.rows
      try await source.refresh()
      try require(
        told.rows == known, "`refresh()` did not read all changes: a second call changed the rows again.", round)
    }
    if told.batchCount == 0 {
      throw failure(
        .refresh,
        "the data changed \(rounds) times, but `refresh()` caused no batch.", rounds)
    }
  }

  private func require(_ condition: Bool, _ reason: String, _ round: Int) throws {
    if !condition { throw failure(.refresh, reason, round) }
  }

  private func requireTold(_ told: ToldRows<Source>, _ round: Int) throws {
    if let (check, reason) = told.failure { throw failure(check, reason, round) }
    try require(told.isComplete, "`refresh()` returned before a batch announced its changes.", round)
  }
}

extension DataSourceConformance {
  /// Runs work on a source in another task of its isolation. Without an isolation, the task does nothing.
  func onIsolation(
    _ source: Source, _ isolation: (any Actor)?,
    _ body: nonisolated(nonsending) @escaping (Source) async throws -> Void
  ) -> Task<Void, any Error> {
    guard let isolation else { return Task {} }
    let confined = Confined { try await body(source) }
    return Task { try await confined.run(on: isolation) }
  }
}

/// Safe: the value is made in the isolation, and its content is used nowhere else.
private struct Confined: @unchecked Sendable {
  private let body: nonisolated(nonsending) () async throws -> Void

  init(_ body: nonisolated(nonsending) @escaping () async throws -> Void) { self.body = body }

  func run(on isolation: isolated any Actor) async throws {
    // Swift 6.3 does not switch to the actor for a `nonisolated(nonsending)` call alone, only for a synchronous one.
    isolation.preconditionIsolated()
    try await body()
  }
}

/// A source, and its rows according to its batches.
final class ToldRows<Source: DataSource> {
  private let source: Source
  private let witness: BatchWitness<Source>
  private let observation: ListObservation

  init(_ source: Source, _ content: @escaping (Source.Element) -> String, isMain: Bool) {
    let witness = BatchWitness(source, content, isMain: isMain)
    self.source = source
    self.witness = witness
    observation = source.observe { [unowned source] in witness.receive($0, source) }
  }

  var rows: [WitnessedSection] { witness.rows }
  var batchCount: Int { witness.batchCount }
  /// The defect of the batches.
  var failure: (check: DataSourceFailure.Check, reason: String)? { witness.failure }
  /// Whether the batches have announced all rows that the source shows.
  var isComplete: Bool { witness.readRows(source) == witness.rows }
}
