import RepriseCore

extension DataSourceConformance where Source: PrefetchingSource {
  /// Checks `prefetch(_:)`, until it brings no more rows or for at most 200 calls.
  ///
  /// It must ignore paths without a row, remove no row, and announce new rows before it returns. A failure or a
  /// cancellation must do no harm.
  ///
  /// - Parameters:
  ///   - failing: Makes the source's data unreadable, and readable again. Without it, failures are not checked.
  ///   - isolation: The isolation of the source.
  /// - Throws: ``DataSourceFailure``, and the errors of the closures.
  public func runPrefetching(
    failing: ((Source, _ isFailing: Bool) throws -> Void)? = nil, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let source = try makeSource()
    try await settle(source)
    try await source.ready()
    var numbers = SeededGenerator(seed: seed)
    let told = ToldRows(source, content, isMain: isolation === MainActor.shared)
    try await prefetch(
      source, told, [RowPath(section: -1, item: 0), RowPath(item: -1), RowPath(section: .max, item: .max)], 0)
    for round in 1...200 {
      let before = told.rows
      let last = before.indices.last.map { RowPath(section: $0, item: before[$0].rows.count - 1) }
      if let failing, Bool.random(using: &numbers) {
        try failing(source, true)
        try await prefetch(source, told, [last].compactMap(\.self), round)
        try failing(source, false)
      }
      let gone = onIsolation(source, isolation) { await $0.prefetch([last].compactMap(\.self)) }
      for _ in 0..<Int.random(in: 0..<8, using: &numbers) { await Task.yield() }
      gone.cancel()
      _ = await gone.result
      try await prefetch(source, told, [last].compactMap(\.self), round)
      if told.rows == before { return }
    }
    throw failure(
      .prefetching,
      "after 200 calls of `prefetch(_:)` with the last row, the source still brings new rows. Its rows must end.", 200)
  }

  private func prefetch(
    _ source: Source, _ told: ToldRows<Source>, _ rows: [RowPath], _ round: Int,
    isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let before = Set(told.rows.flatMap(\.ids))
    await source.prefetch(rows)
    let shown = told.rows
    if let (check, reason) = told.failure { throw failure(check, reason, round) }
    guard told.isComplete else {
      throw failure(.prefetching, "`prefetch(_:)` returned before a batch announced its rows.", round)
    }
    guard before.isSubset(of: shown.flatMap(\.ids)) else {
      throw failure(.prefetching, "`prefetch(_:)` removed rows.", round)
    }
    for _ in 0..<10 { await Task.yield() }
    guard told.rows == shown else {
      throw failure(.prefetching, "rows changed after `prefetch(_:)` had returned.", round)
    }
  }
}
