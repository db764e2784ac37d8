import RepriseCore
import RepriseRemote

extension DataSourceConformance where Source: RefreshableSource {
  /// Checks launches during which the source cannot be read, for example because its server or file is unavailable.
  ///
  /// A screen with the source must be restored, and the source must report why it has no rows. A screen that waits for
  /// the source must be reported with the reason. When the source can be read again, a refresh or a retry must bring
  /// both screens back, at their row.
  ///
  /// - Parameters:
  ///   - away: Makes the source's data unreadable, and readable again with the same rows.
  ///   - relaunched: Makes the source again, as the next launch of the program does, from the data that the source of
  ///     the first launch has written. The check calls it in each launch, whether the data can be read or not.
  /// - Throws: ``DataSourceFailure``, and the errors of the closures.
  @MainActor public func runRestoringAway(
    _ away: @MainActor (_ isAway: Bool) throws -> Void, _ relaunched: @escaping @MainActor (Source) throws -> Source
  ) async throws {
    let (source, path, row) = try await sourceWithRow()
    for isLate in [false, true] {
      let temporary = try await TemporaryStore(for: Schema(RemoteModels.all))
      let first = try await launch(temporary.store, isLate: false) { source }
      _ = try first.open(
        Screen.kind, id: "list", state: ListScreen<Source>.State(row: RowAnchor(path, in: source)))
      try await first.flush()
      first.end()
      try away(true)
      for _ in 0..<3 {
        let run = try await launch(try await temporary.relaunch(), isLate: isLate) { try relaunched(source) }
        if isLate { try expectReason(run) } else { try await expectFailed(run, row) }
        try await run.flush()
        run.end()
      }
      let run = try await launch(try await temporary.relaunch(), isLate: isLate) { try relaunched(source) }
      try away(false)
      if isLate {
        run.retry(Screen.key)
        _ = try await run.waitUntilSettled()
      } else {
        try await screen(run)?.source.refresh()
      }
      try expect(row, run)
      run.end()
    }
  }

  private typealias Screen = ListScreen<Source>

  @MainActor private func launch(
    _ store: Store, isLate: Bool, _ make: @escaping @MainActor () throws -> Source
  ) async throws -> Restoration {
    let run = Restoration(store)
    try run.define(Screen.kind, needs: .registered(Screen.key)) { Screen($0, $1) }
    if isLate {
      try run.register(late: Screen.key) {
        let source = try make()
        try await source.ready()
        return source
      }
    } else {
      try run.register(try make(), as: Screen.key)
    }
    _ = try await run.restore()
    _ = try await run.waitUntilSettled()
    return run
  }

  @MainActor private func screen(_ run: Restoration) throws -> ListScreen<Source>? {
    try run.screen(Screen.kind, at: NodePath(["list"]))
  }

  /// Checks that the screen exists while the source is unavailable, and that the row does not count as deleted.
  @MainActor private func expectFailed(_ run: Restoration, _ row: WitnessedSection.Row) async throws {
    guard let screen = try screen(run) else {
      throw failure(
        .restoration,
        "while the source was unavailable, its screen was not restored. The report of the restoration: "
          + "\(run.report.map { "\($0)" } ?? "none.")", 1)
    }
    var isFailing = false
    do { try await screen.source.ready() } catch { isFailing = true }
    guard isFailing, case .failed = screen.source.loadState else {
      throw failure(
        .restoration,
        "while the source was unavailable, `ready()` \(isFailing ? "threw" : "returned"), and the load state was "
          + "\(screen.source.loadState). `ready()` must throw, and the load state must be `failed`.", 1)
    }
    let place = screen.node.state.row.place(in: screen.source)
    guard place == .notLoaded else {
      throw failure(
        .restoration,
        "while the source was unavailable, the anchor of the row \(row) must report `notLoaded`, but \(place.text).", 1)
    }
  }

  /// Checks that the screen waits, and that the report has the reason.
  @MainActor private func expectReason(_ run: Restoration) throws {
    let outcome = run.report?.outcome(at: try NodePath(["list"]))
    guard try screen(run) == nil, case .failed(let reason)? = outcome, !reason.isEmpty else {
      throw failure(
        .restoration,
        "while the source was unavailable, the outcome of its screen was '\(outcome.map { "\($0)" } ?? "missing")' "
          + "instead of `failed` with a reason.", 1)
    }
    guard case .failed? = run.lateObjects.first?.stage else {
      throw failure(
        .restoration,
        "while the source was unavailable, the stage of the late object must be `failed`, but the late objects are "
          + "\(run.lateObjects).", 1)
    }
  }

  @MainActor private func expect(_ row: WitnessedSection.Row, _ run: Restoration) throws {
    guard let screen = try screen(run) else {
      throw failure(.restoration, "after the source was available again, its screen was not restored.", 1)
    }
    let place = screen.node.state.row.place(in: screen.source)
    guard case .row(let found) = place, screen.source.modelIdentifier(at: found) == row.id,
      content(screen.source.element(at: found)) == row.content
    else {
      throw failure(
        .restoration,
        "after the source was available again, its screen must be at the unchanged row \(row), but \(place.text).", 1)
    }
  }
}
