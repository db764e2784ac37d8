import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// Runs the pending migrations of a store.
///
/// A migration begins with a schema transaction. In it, a converted attribute becomes a retired property, so that
/// earlier events keep their meaning, and a new property gets its name. Then the objects are converted in slices. Each
/// slice is a transaction of the log, and records where the next one begins. So after a kill the next opening
/// continues, and other processes wait for one slice at most. Only the process that has the claim migrates.
struct Migrator {
  let path: String
  let environment: Environment
  let tables: StoreTables
  let logID: UniqueID
  let models: ResolvedSchema
  let plan: MigrationPlan
  let run: OpeningRun
  private let writerTimeout: Int
  /// Whether the opening would be refused because of properties that no model names.
  let isStrict: Bool
  let checksRenames: Bool
  private let rehearse: () throws(StoreError) -> Void
  /// The number of objects converted in one transaction, and the approximate limit of their bytes.
  var sliceSize = 2_000
  var sliceBytes = 8 << 20

  var meta: MetaTable { MetaTable(tables.meta) }

  /// The interval at which the progress of another process is read, in milliseconds.
  private static let wait = 20
  /// The most rehearsals, if other processes save during each of them. A rehearsal has not tried these saves.
  private static let rehearsals = 3

  init(_ store: MigratedStore, _ plan: MigrationPlan) throws(StoreError) {
    path = store.path
    environment = store.environment
    models = store.models
    self.plan = plan
    run = store.run
    writerTimeout = store.writerTimeout
    isStrict = store.isStrict
    checksRenames = store.checksRenames
    rehearse = store.rehearse
    let (environment, tables) = (environment, StoreTables(environment))
    self.tables = tables
    logID = try StoreError.converting { () throws(StorageError) in
      try environment.read { (transaction) throws(StorageError) in
        try tables.logID(transaction.view)
      }
    }
  }

  func schema() throws(StoreError) -> StoredSchema {
    try read { (view) throws(StorageError) in try meta.schema(view) }
  }

  func count(of entity: StoredEntity) throws(StoreError) -> Int {
    try read { (view) throws(StorageError) in try meta.count(of: entity.number, view) }
  }

  func migrate() throws(StoreError) {
    try plan.check()
    let claim = WorkClaim(.migration, path: path + "/data.mdb")
    defer { claim.close() }
    var isMine = try take(claim)
    let clock = WakeUp()
    var told: MigrationState?
    var claimWait = ClaimWait<OthersProgress>(path: path, milliseconds: writerTimeout)
    while !isMine {
      let holder = claim.holder
      guard plan.waitsForOthers else { throw .migration(.inProgress(path: path, process: holder)) }
      try checkCancellation()
      let progress = try read { (view) throws(StorageError) in
        OthersProgress(revision: try meta.schema(view).revision, state: try meta.migration(view))
      }
      try claimWait.look(progress, of: holder, after: Self.wait)
      try tellOthersProgress(&told)
      clock.wait(until: WakeUp.now() + UInt64(Self.wait) * 1_000_000)
      isMine = try take(claim)
    }
    var hasBegun = false
    while true {
      let (schema, state) = try read { (view) throws(StorageError) in (try meta.schema(view), try meta.migration(view))
      }
      if let state {
        guard let migration = plan.migrations.first(where: { $0.version == state.version }) else {
          throw .migration(.unfinished(version: Int(state.version)))
        }
        try goOn(migration, state)
      } else if let migration = plan.migrations.first(where: { $0.version > schema.version }) {
        let pending = plan.migrations.filter { $0.version > schema.version }
        let outcome = try requireOpening(after: pending, schema, searchesDuplicates: !hasBegun)
        if !hasBegun, needsRehearsal(pending, outcome) { try rehearseAll() }
        let tried = try head()
        var renamed = schema
        renamed.carryOut(migration.renames, in: models)
        for conversion in migration.conversions {
          guard let target = try target(of: conversion, in: migration, renamed) else { continue }
          if let failure = try failures(of: conversion, target, in: migration, limit: 1).first {
            throw .migration(failure)
          }
        }
        if let failure = try failures(in: migration, renamed, limit: 1).first { throw .migration(failure) }
        // If it has not begun, the saves since then are tried in the next round.
        if try begin(migration, of: schema.revision, triedAt: tried) { hasBegun = true }
      } else {
        return
      }
    }
  }

  private func head() throws(StoreError) -> Position {
    try read { (view) throws(StorageError) in try LogTable(tables.log).lastPosition(view) }
  }

  /// Throws the error that a later step, or the opening after it, would throw.
  private func rehearseAll() throws(StoreError) {
    for _ in 0..<Self.rehearsals {
      let tried = try head()
      try rehearse()
      if try head() == tried { return }
    }
  }

  /// The progress of another process.
  private struct OthersProgress: Equatable {
    let revision: UInt32
    let state: MigrationState?
  }

  private func take(_ claim: WorkClaim) throws(StoreError) -> Bool {
    do throws(SystemFailure) {
      return try claim.take()
    } catch {
      throw .system(path: path, operation: "claiming the migration", code: error.errno, message: "\(error)")
    }
  }

  func read<Result>(_ body: (borrowing View) throws(StorageError) -> Result) throws(StoreError) -> Result {
    try StoreError.converting { () throws(StorageError) in
      try environment.read { (transaction) throws(StorageError) in try body(transaction.view) }
    }
  }

  func checkCancellation() throws(StoreError) { try run.checkCancellation(path) }

  func isCancelled(_ waited: Int) -> Bool { run.isCancelled }
}
