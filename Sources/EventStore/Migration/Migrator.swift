import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// Leads a store through the migrations that it has not had.
///
/// A migration begins with a schema transaction, in which what is converted becomes a retired property, so that earlier
/// events keep their meaning, and a new one has its name. Then its objects are converted in slices: each is a
/// transaction of the log, together with the place where the next one begins. So a kill leaves a store from which the
/// next opening goes on, and others wait for a slice at most. Only the process that has the claim migrates.
struct Migrator {
  let path: String
  let environment: Environment
  let tables: StoreTables
  let logID: UniqueID
  let models: ResolvedSchema
  let plan: MigrationPlan
  let run: OpeningRun
  private let writerTimeout: Int
  /// Whether the opening would be refused for what no model names.
  let isStrict: Bool
  let checksRenames: Bool
  private let rehearse: () throws(StoreError) -> Void
  /// How many objects are converted in a transaction, and about how many bytes they have at most.
  var sliceSize = 2_000
  var sliceBytes = 8 << 20

  var meta: MetaTable { MetaTable(tables.meta) }

  /// Topics of scenes are texts that programs choose; none begins like this.
  static let claim = JournalTopic.scene("\u{0}migration")
  /// How often to look how far another process is, in milliseconds.
  private static let wait = 20
  /// How often the plan is rehearsed while others save meanwhile, which the rehearsal then has not tried.
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
        try MetaTable(tables.meta).logID(transaction.view)
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
    let claims = Claims(path: path + "/data.mdb")
    defer { claims.close() }
    var isMine = try take(claims)
    let clock = WakeUp()
    var told: MigrationState?
    var vigil = ClaimVigil<OthersProgress>(path: path, milliseconds: writerTimeout)
    while !isMine {
      let holder = claims.holder(of: .migration)
      guard plan.waitsForOthers else { throw .migration(.inProgress(path: path, process: holder)) }
      try checkCancellation()
      let progress = try read { (view) throws(StorageError) in
        OthersProgress(revision: try meta.schema(view).revision, state: try meta.migration(view))
      }
      try vigil.look(progress, of: holder, after: Self.wait)
      try tellOthersProgress(&told)
      clock.wait(until: WakeUp.now() + UInt64(Self.wait) * 1_000_000)
      isMine = try take(claims)
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
        // What others saved since is looked at again unless it has.
        if try begin(migration, of: schema.revision, triedAt: tried) { hasBegun = true }
      } else {
        return
      }
    }
  }

  private func head() throws(StoreError) -> Position {
    try read { (view) throws(StorageError) in try LogTable(tables.log).lastPosition(view) }
  }

  /// Throws what a later step or the opening behind it would be refused for.
  private func rehearseAll() throws(StoreError) {
    for _ in 0..<Self.rehearsals {
      let tried = try head()
      try rehearse()
      if try head() == tried { return }
    }
  }

  /// How far another process is.
  private struct OthersProgress: Equatable {
    let revision: UInt32
    let state: MigrationState?
  }

  private func take(_ claims: Claims) throws(StoreError) -> Bool {
    do throws(SystemFailure) {
      return try claims.take(Self.claim, for: .migration)
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
