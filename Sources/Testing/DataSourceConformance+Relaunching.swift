import RepriseCore

extension DataSourceConformance {
  /// Checks that rows keep their identifiers over a relaunch, and are found by them.
  ///
  /// - Parameters:
  ///   - isolation: The isolation of the source.
  ///   - relaunched: Makes the source again, with the same rows, as the next launch of the program does. Use only data
  ///     that the given source has written, on disk or elsewhere.
  /// - Throws: ``DataSourceFailure``, and the errors of the closures.
  public func runRelaunching(
    isolation: isolated (any Actor)? = #isolation,
    _ relaunched: nonisolated(nonsending) (Source) async throws -> Source
  ) async throws {
    var numbers = SeededGenerator(seed: seed)
    let source = try makeSource()
    try change(source, &numbers)
    try await settle(source)
    let next = try await relaunched(source)
    try await next.ready()
    let rows = BatchWitness(source, content, isMain: false).rows
    let later = BatchWitness(next, content, isMain: false).rows
    guard !rows.allSatisfy(\.rows.isEmpty) else {
      throw failure(.identity, "the source has no rows to check. Let `makeSource` return a source with rows.", 1)
    }
    for (row, other) in zip(rows.flatMap(\.rows), later.flatMap(\.rows)) where row != other {
      throw failure(.identity, "after a relaunch, the source has the row \(other) instead of the row \(row).", 1)
    }
    guard rows == later else {
      throw failure(
        .identity,
        "after a relaunch, the source does not have the same rows as before.", 1)
    }
    for case let identifier? in rows.flatMap(\.ids) where next.row(for: identifier).path == nil {
      throw failure(
        .identity, "after a relaunch, `row(for:)` does not find the row with the identifier \(identifier).", 1)
    }
  }
}
