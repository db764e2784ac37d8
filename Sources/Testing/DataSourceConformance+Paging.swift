import RepriseCore

extension DataSourceConformance where Source: PagedSource {
  /// Checks `loadMore()`.
  ///
  /// A page must bring rows, remove none, and announce them before the call returns. Concurrent calls must load one
  /// page. A failure or a cancellation must lose no row, and the pages must end.
  ///
  /// - Parameters:
  ///   - failing: Makes the source's data unreadable, and readable again. Without it, failures are not checked.
  ///   - isolation: The isolation of the source.
  /// - Throws: ``DataSourceFailure``, and the errors of the closures.
  public func runPaging(
    failing: ((Source, _ isFailing: Bool) throws -> Void)? = nil, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let expected = try await pages(isolation) { try await $0.loadMore() }
    var numbers = SeededGenerator(seed: seed)
    let found = try await pages(isolation) { source in
      if let failing, Bool.random(using: &numbers) {
        try failing(source, true)
        var isThrown = false
        do { try await source.loadMore() } catch { isThrown = true }
        if !isThrown {
          throw failure(.paging, "`failing` made the data unreadable, but `loadMore()` did not throw.", 0)
        }
        if !source.canLoadMore { throw failure(.paging, "`canLoadMore` is false after `loadMore()` failed.", 0) }
        try failing(source, false)
      }
      if Bool.random(using: &numbers) {
        let gone = onIsolation(source, isolation) { try await $0.loadMore() }
        for _ in 0..<Int.random(in: 0..<8, using: &numbers) { await Task.yield() }
        gone.cancel()
        _ = await gone.result
      }
      let others = (0..<2).map { _ in onIsolation(source, isolation) { try await $0.loadMore() } }
      try await source.loadMore()
      for other in others { try await other.value }
    }
    guard found.map(contents) == expected.map(contents) else {
      throw failure(
        .paging,
        "calls of `loadMore()` that fail, are cancelled or are concurrent must lead to the same rows as undisturbed "
          + "calls. After the last page, the source has \(count(found)) rows, and should have \(count(expected)). If "
          + "the numbers are equal, some rows differ.", 0)
    }
  }

  /// The rows after all pages.
  private func pages(
    _ isolation: isolated (any Actor)?, _ load: nonisolated(nonsending) (Source) async throws -> Void
  ) async throws -> [WitnessedSection] {
    let source = try makeSource()
    if !source.canLoadMore { try await source.ready() }
    let told = ToldRows(source, content, isMain: isolation === MainActor.shared)
    var page = 0
    while source.canLoadMore {
      page += 1
      guard page <= 10_000 else {
        throw failure(.paging, "there are still more pages after 10,000 calls of `loadMore()`.", page)
      }
      let before = told.rows.flatMap(\.ids)
      try await load(source)
      if let (check, reason) = told.failure { throw failure(check, reason, page) }
      guard told.isComplete else {
        throw failure(.paging, "`loadMore()` returned before a batch announced its rows.", page)
      }
      let after = told.rows.flatMap(\.ids)
      guard Set(after).isSuperset(of: before), after.count >= before.count else {
        throw failure(.paging, "`loadMore()` removed rows.", page)
      }
      let named = after.compactMap(\.self)
      guard Set(named).count == named.count else {
        throw failure(.paging, "`loadMore()` brought a row that an earlier page already had.", page)
      }
    }
    if page == 0 {
      throw failure(
        .paging, "a new source has no page to load. Let `makeSource` return a source with several pages.", 0)
    }
    let all = told.rows
    try await source.loadMore()
    guard told.isComplete, told.rows == all else {
      throw failure(.paging, "`loadMore()` brought rows though `canLoadMore` is false.", page)
    }
    return all
  }

  /// Separate sources may give rows different identifiers.
  private func contents(_ section: WitnessedSection) -> [String?] { [section.name] + section.rows.map(\.content) }

  private func count(_ sections: [WitnessedSection]) -> Int { sections.reduce(0) { $0 + $1.rows.count } }
}
