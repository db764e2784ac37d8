import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

extension TransactionLog {
  /// Lets this process keep the rows of a projection: from now on its saves write them. Call it once after opening, in
  /// each process that saves or reads them.
  ///
  /// If the store has no rows of it, or those of an earlier version, they are made from the log in short commits, which
  /// go on after this returns, and after a kill; ``waitForProjections()`` waits for that. So are transactions that
  /// programs without the projection have saved.
  ///
  /// They follow from the whole log. Once ``retain(_:progress:)`` has dropped its beginning, rows that are up to date
  /// go on, and those of a new projection, or of a new version, cannot be made: ``waitForProjections()`` and all reads
  /// throw ``ProjectionError/failed(name:at:reason:)``, and saves go on without them.
  ///
  /// - Throws: ``ProjectionError``: the name is none, or the rows are those of a newer version. ``StoreError``: the
  ///   store is closed or cannot be written.
  public nonisolated(nonsending) func install(_ projection: some LogProjection) async throws {
    let name = projection.name
    guard Array(name.utf8).withUnsafeBytes(ProjectionTable.isName) else { throw ProjectionError.invalidName(name) }
    let installed = InstalledProjections.Installed(
      projection: projection, version: UInt64(clamping: projection.version), keepsHistory: projection.keepsHistory)
    try await store.waitUntilOpen()
    let found = try await store.writer.perform(in: store) { () throws(StoreError) in
      if store.isClosed { throw .closed(path: store.path) }
      return try StoreError.converting { () throws(StorageError) in try self.prepare(installed, name) }
    }
    guard found.version <= installed.version else {
      throw ProjectionError.newerVersion(name: name, found: Int(clamping: found.version), own: projection.version)
    }
    store.projections.add(installed, named: name, found.table)
    buildProjections()
  }

  /// Also says which version the rows are of, if that is a newer one.
  private func prepare(
    _ installed: InstalledProjections.Installed, _ name: String
  ) throws(StorageError) -> (table: ProjectionTable, version: UInt64) {
    try store.environment.write { (transaction) throws(StorageError) in
      let table = try ProjectionTable(store.tables, transaction.view)
      guard let known = try table.readableState(of: name, transaction.view) else {
        let number = try table.takenNumbers(transaction.view).max() ?? 0
        let state = ProjectionState(
          number: number + 1, version: installed.version, keepsHistory: installed.keepsHistory)
        try table.put(state, of: name, transaction)
        return (table, installed.version)
      }
      if known.version > installed.version { return (table, known.version) }
      if !known.fits(installed) {
        var state = ProjectionState(
          number: known.number, version: installed.version, keepsHistory: installed.keepsHistory)
        state.isClearing = true
        try table.put(state, of: name, transaction)
      }
      return (table, installed.version)
    }
  }

  /// Returns when the rows of all installed projections are made, or cannot be.
  ///
  /// - Throws: ``ProjectionError/failed(name:at:reason:)``; ``StoreError``.
  public nonisolated(nonsending) func waitForProjections() async throws {
    try await store.waitUntilOpen()
    buildProjections()
    await store.projections.wait()
    if store.isClosed { throw StoreError.closed(path: store.path) }
    for (_, installed) in store.projections.all { if let failure = installed.failure { throw failure } }
  }

  /// Takes up what the rows are behind by, in slices: each a commit of some milliseconds, between which others save.
  private func buildProjections() {
    guard store.projections.beginBuilding() else { return }
    Task.detached { [weak store, projections = store.projections] in
      do {
        repeat {
          while let pause = try await store?.log.buildSlice() { try await Task.sleep(nanoseconds: pause) }
        } while !projections.endBuilding(hasFailed: false)
      } catch {
        // The next one who asks tries again.
        _ = projections.endBuilding(hasFailed: true)
      }
    }
  }

  /// Returns how long to wait before the next one; `nil` if there is nothing left to do.
  private func buildSlice() async throws(StoreError) -> UInt64? {
    try await store.writer.perform(in: store) { () throws(StoreError) in
      if store.isClosed { return nil }
      let begun = WakeUp.now()
      let isDone = try StoreError.converting { () throws(StorageError) in
        try store.environment.write { (transaction) throws(StorageError) in
          let head = try store.files.log.lastPosition(transaction.view)
          return try store.projections.step(
            upTo: head, nanoseconds: 4_000_000, self.reader(_:), transaction)
        }
      }
      return isDone ? nil : min(WakeUp.now() - begun, 500_000_000)
    }
  }

  // MARK: Reading

  /// So many transactions a read takes up by itself. Beyond that, it throws until they are taken up in slices.
  private static let reach = 1_000

  /// Calls `body` with the rows at a position, at the head without one. Exact even where programs without the
  /// projection have saved: what the rows are behind by is applied in memory.
  package func read<Success>(
    _ projection: some LogProjection, at position: Position?,
    _ body: (inout ProjectionRows) throws -> Success
  ) throws -> Success {
    let name = projection.name
    guard let table = store.projections.table, let installed = store.projections.all[name] else {
      throw ProjectionError.notInstalled(name: name)
    }
    var isBehind = false
    let result = try store.read { (view, head) throws(StorageError) -> Result<Success, any Error> in
      guard let state = try table.state(of: name, view) else {
        return .failure(ProjectionError.notInstalled(name: name))
      }
      guard state.fits(installed) else {
        return .failure(
          ProjectionError.newerVersion(
            name: name, found: Int(clamping: state.version), own: Int(clamping: installed.version)))
      }
      let target = min(installed.keepsHistory ? position ?? head : head, head)
      let behind = state.position < target ? state.position.distance(to: target) : 0
      isBehind = behind > Self.reach / 10
      guard state.isReady, behind <= Self.reach else {
        if let failure = installed.failure { return .failure(failure) }
        let done = state.isClearing ? 0 : Double(state.position.number) / Double(max(1, head.number))
        isBehind = true
        return .failure(ProjectionError.unfinished(name: name, done: done))
      }
      let base = min(state.position, target)
      return try view.lent { (lent) throws(StorageError) in
        var rows = ProjectionRows(
          ProjectionRows.Base(
            table: table, number: state.number, position: installed.keepsHistory ? base : nil, view: lent))
        let reader = reader(installed.projection.filter)
        let frames = store.files.log.reader(view)
        for position in base + 1..<target + 1 {
          guard let logged = try reader.transaction(at: position, frames) else { continue }
          do throws(ProjectionError) {
            try installed.projection.take(logged, name, &rows)
          } catch {
            return .failure(error)
          }
        }
        let result = Result { try body(&rows) }
        if case .storage(let error)? = rows.failure { throw error }
        return result
      }
    }
    if isBehind { buildProjections() }
    return try result.get()
  }
}
