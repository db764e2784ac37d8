import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// The projections that this process keeps up to date: in its own commits, and in slices if they are behind.
final class InstalledProjections: Sendable {
  private struct State {
    var table: ProjectionTable?
    /// The projections by name. A projection is a value type of the program, so its name and version are read only
    /// once.
    var all: [String: Installed] = [:]
    var isBuilding = false
    /// Whether there was a request since the running builder last looked for work.
    var isAskedAgain = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  struct Installed: Sendable {
    let projection: any LogProjection
    let version: UInt64
    let keepsHistory: Bool
    /// The reason why the projection is not continued.
    var failure: ProjectionError?
  }

  private let state = Guarded(State())

  var table: ProjectionTable? { state.withLock { $0.table } }
  var all: [String: Installed] { state.withLock { $0.all } }

  func add(_ installed: Installed, named name: String, _ table: ProjectionTable) {
    state.withLock { state in
      state.table = table
      state.all[name] = installed
    }
  }

  private func set(_ failure: ProjectionError?, of name: String) {
    state.withLock { $0.all[name]?.failure = failure }
  }

  // MARK: Following

  /// The most transactions of other contexts that a commit processes. Slices process older ones. A commit that applies
  /// packets of a shared log has up to 511 transactions.
  private static let reach = 511

  /// Brings the rows up to date in the commit that writes these transactions.
  func follow(
    upTo head: Position, _ reader: (TransactionFilter) -> TransactionReader,
    _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let (table, all) = state.withLock { ($0.table, $0.all) }
    guard let table else { return }
    for (name, installed) in all {
      try sparing { () throws(StorageError) in
        guard var state = try table.state(of: name, transaction.view), state.fits(installed), state.isReady,
          state.position < head, state.position.distance(to: head) <= Self.reach
        else { return }
        try advance(installed, name, &state, table, upTo: head, until: .max, reader, transaction)
        try table.put(state, of: name, transaction)
      }
    }
  }

  /// Damage to rows is no reason to refuse a save.
  private func sparing(_ body: () throws(StorageError) -> Void) throws(StorageError) {
    do throws(StorageError) { try body() } catch { if error.damage == nil { throw error } }
  }

  /// The most rows that a step removes.
  private static let removed = 1_000

  /// Takes the next step of a projection that is behind, in one short commit. True if none is behind.
  func step(
    upTo head: Position, nanoseconds: UInt64, _ reader: (TransactionFilter) -> TransactionReader,
    _ transaction: borrowing WriteTransaction
  ) throws(StorageError) -> Bool {
    let (table, all) = state.withLock { ($0.table, $0.all) }
    guard let table else { return true }
    let end = WakeUp.now() + nanoseconds
    for (name, installed) in all {
      var found: ProjectionState?
      // If a state cannot be read, installing the projection makes its rows again.
      try sparing { () throws(StorageError) in found = try table.state(of: name, transaction.view) }
      guard var state = found, state.fits(installed) else { continue }
      let before = state
      if state.isClearing {
        // If more rows are left, the state has not changed, but removing rows was a step.
        state.isClearing = try !table.removeSome(of: state.number, limit: Self.removed, transaction)
        if state.isClearing { return false }
      } else {
        try advance(installed, name, &state, table, upTo: head, until: end, reader, transaction)
        if state.position == head { state.isReady = true }
      }
      guard state != before else { continue }
      try table.put(state, of: name, transaction)
      return false
    }
    return try removeStrangers(table, transaction)
  }

  /// Removes some rows that belong to no state. True if there are none.
  private func removeStrangers(
    _ table: ProjectionTable, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) -> Bool {
    var strangers: Set<UInt32> = []
    try sparing { () throws(StorageError) in
      let known = try table.states(transaction.view).values.map(\.number)
      strangers = try table.numbers(transaction.view).subtracting(known)
    }
    guard let number = strangers.first else { return true }
    _ = try table.removeSome(of: number, limit: Self.removed, transaction)
    return false
  }

  private func advance(
    _ installed: Installed, _ name: String, _ state: inout ProjectionState, _ table: ProjectionTable,
    upTo last: Position, until end: UInt64, _ reader: (TransactionFilter) -> TransactionReader,
    _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    var failure: ProjectionError?
    do throws(StorageError) {
      let reader = reader(installed.projection.filter)
      failure = try advance(installed, name, &state, upTo: last, until: end, reader, table, transaction)
    } catch {
      var reason = error.damage
      if case .rowsDropped(_, _, let first, _) = error {
        reason =
          "`retain` deleted all transactions before transaction \(first), so the rows of a new projection or version "
          + "can no longer be computed from this log. Keep the former version, or do not install the projection"
      }
      guard let reason else { throw error }
      if case .damagedRow(ProjectionTable.name, _, _, _) = error {
        state.beginAnew()
      } else {
        failure = .failed(name: name, at: state.position + 1, reason: reason)
      }
    }
    if failure != installed.failure { set(failure, of: name) }
  }

  /// Returns the reason why the projection is not continued.

  private func advance(
    _ installed: Installed, _ name: String, _ state: inout ProjectionState, upTo last: Position, until end: UInt64,
    _ reader: TransactionReader, _ table: ProjectionTable, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) -> ProjectionError? {
    let first = state.position
    let frames = reader.frames(transaction.view)
    while state.position < last, state.position == first || WakeUp.now() < end {
      let next = state.position + 1
      if let logged = try reader.transaction(at: next, frames) {
        let changes: [[UInt8]: [PropertyValue]?]
        switch try self.changes(of: logged, installed, name, state, table, transaction) {
        case .success(let found): changes = found
        case .failure(let error): return error
        }
        for (key, value) in changes {
          try table.put(value, for: key, state.number, at: state.keepsHistory ? next : nil, transaction)
        }
      }
      state.position = next
    }
    return nil
  }

  private func changes(
    of logged: LoggedTransaction, _ installed: Installed, _ name: String, _ state: ProjectionState,
    _ table: ProjectionTable, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) -> Result<[[UInt8]: [PropertyValue]?], ProjectionError> {
    try transaction.view.lent { (view) throws(StorageError) in
      var rows = ProjectionRows(
        ProjectionRows.Base(
          table: table, number: state.number, position: state.keepsHistory ? state.position : nil, view: view))
      let result = Result { () throws(ProjectionError) in try installed.projection.take(logged, name, &rows) }
      if case .storage(let error)? = rows.failure { throw error }
      return result.map { rows.changes }
    }
  }

  // MARK: Building

  /// Whether the caller must build, because no other caller does.
  func beginBuilding() -> Bool {
    state.withLock { state in
      defer { state.isBuilding = true }
      state.isAskedAgain = state.isBuilding
      return !state.isBuilding
    }
  }

  /// Ends the building. If there was another request meanwhile, does nothing and returns false, because there may be
  /// more to do.
  ///
  /// - Parameter hasFailed: Whether the building has failed, and ends in any case.
  func endBuilding(hasFailed: Bool) -> Bool {
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
      if state.isAskedAgain, !hasFailed {
        state.isAskedAgain = false
        return nil
      }
      state.isBuilding = false
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting ?? [] { continuation.resume() }
    return waiting != nil
  }

  /// Returns when no caller builds.
  func wait() async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.isBuilding { state.waiting.append(continuation) }
        return !state.isBuilding
      }
      if isOver { continuation.resume() }
    }
  }
}

extension ProjectionState {
  /// Whether the rows belong to the installed version of the projection, so that rows of two versions are not mixed.
  func fits(_ installed: InstalledProjections.Installed) -> Bool {
    version == installed.version && keepsHistory == installed.keepsHistory
  }
}

extension LogProjection {
  /// Applies a transaction. If any of its rows fails, throws, and keeps none of them.
  func take(
    _ transaction: LoggedTransaction, _ name: String, _ rows: inout ProjectionRows
  ) throws(ProjectionError) {
    do {
      try apply(transaction, to: &rows)
      if let failure = rows.failure { throw failure }
    } catch ProjectionRows.Failure.keyTooLong(let count) {
      throw ProjectionError.failed(
        name: name, at: transaction.position,
        reason: "the key of a row has \(count) bytes, and may have at most \(ProjectionTable.longestKey)")
    } catch {
      throw ProjectionError.failed(name: name, at: transaction.position, reason: "\(error)")
    }
  }
}
