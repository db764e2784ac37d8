import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

extension TransactionLog {
  /// Adds a projection: from now on the saves of this process write its rows. Call it once after opening, in each
  /// process that saves, or reads the rows.
  ///
  /// If the store has no rows of the projection, or rows of an earlier version, they are made from the log in short
  /// commits. The same happens with transactions saved by programs without the projection. The commits continue after
  /// this call returns, and after a kill. ``waitForProjections()`` waits for them.
  ///
  /// Rows are computed from the whole log. If ``retain(_:progress:)`` has dropped its beginning, saves still update
  /// rows that were up to date. But the rows of a new projection or version cannot be made. ``waitForProjections()``
  /// and all reads of such a projection then throw ``ProjectionError/failed(name:at:reason:)``. Saves succeed, and do
  /// not write its rows.
  ///
  /// - Throws: ``ProjectionError``: the name is invalid, or the rows are from a newer version. ``StoreError``: the
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

  /// Prepares the state of a projection's rows for an installation. Also returns the version of the rows, which may be
  /// newer than the installed one.
  private func prepare(
    _ installed: InstalledProjections.Installed, _ name: String
  ) throws(StorageError) -> (table: ProjectionTable, version: UInt64) {
    try store.environment.write { (transaction) throws(StorageError) in
      let table = try ProjectionTable(store.tables, transaction.view)
      guard let known = try table.readableState(of: name, transaction.view) else {
        // Not the one after the greatest: a damaged key of a row may have the greatest number of all.
        let taken = try table.takenNumbers(transaction.view)
        let number = (1..<StoredEntity.limit).first { !taken.contains($0) } ?? 1
        let state = ProjectionState(number: number, version: installed.version, keepsHistory: installed.keepsHistory)
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

  /// Returns when the rows of all installed projections are made, or cannot be made. The wait grows with the
  /// transactions that the rows lack.
  ///
  /// - Throws: ``ProjectionError/failed(name:at:reason:)`` if the rows cannot be made; ``StoreError`` if the store is
  ///   closed.
  public nonisolated(nonsending) func waitForProjections() async throws {
    try await store.waitUntilOpen()
    buildProjections()
    await store.projections.wait()
    if store.isClosed { throw StoreError.closed(path: store.path) }
    for (_, installed) in store.projections.all { if let failure = installed.failure { throw failure } }
  }

  /// Applies the transactions that the rows lack, in slices. Each is a commit of some milliseconds, and other saves
  /// commit in between.
  private func buildProjections() {
    guard store.projections.beginBuilding() else { return }
    Task.detached { [weak store, projections = store.projections] in
      do {
        repeat {
          while let pause = try await store?.log.buildSlice() { try await Task.sleep(nanoseconds: pause) }
        } while !projections.endBuilding(hasFailed: false)
      } catch {
        // The next call that needs the rows tries again.
        _ = projections.endBuilding(hasFailed: true)
      }
    }
  }

  /// Returns the wait before the next slice in nanoseconds. `nil` if nothing is left to do.
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

  /// The number of transactions that one read applies itself. If more are missing, the read throws until they are
  /// applied in slices.
  private static let reach = 1_000

  /// Calls `body` with the rows at a position, or at the head if it is `nil`. The rows are exact even if programs
  /// without the projection have saved: the read applies missing transactions in memory.
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
