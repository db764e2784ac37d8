import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

extension Store {
  /// Opens the store in a directory, or creates it. The parent directory must exist.
  ///
  /// The cost does not grow with the number of objects or transactions. If the store is already open in this process,
  /// the call returns that instance. If the file has the models' schema already, the call takes no write lock and runs
  /// on the caller's thread. That takes less time than a switch to another thread, so a screen can be restored before
  /// the program first suspends.
  ///
  /// New models and attributes are added to the stored schema in a transaction. An index over more than 2,000 objects
  /// is built afterwards, while the store is open (``unfinishedIndexes``). Before the call returns, a thread of the
  /// library builds new unique indexes and new indexes that order a relationship. It also computes derived attributes
  /// that are new or have another version. This work costs a few microseconds for each object.
  ///
  /// - Parameters:
  ///   - path: The store's directory.
  ///   - models: Every model whose objects the store holds.
  ///   - access: The users who may open the store, if the call creates it.
  ///   - checksStructure: Whether to run ``StoreMaintenance/check(_:)`` before the file is mapped, and to refuse a
  ///     damaged file. Otherwise damaged pages can end the process or make it read wrong rows. The check reads the
  ///     whole file. A store that is already open is not checked again.
  ///   - isStrict: Whether to refuse a store with properties, indexes or entities that no model names. If false, the
  ///     store keeps them, and lists them in ``warnings``.
  ///   - checksRenames: Whether to refuse models that add a property or an entity while the store has one of the same
  ///     type that no model names. Usually, somebody has renamed it without `was:`. If your program left the old one
  ///     out on purpose, remove it in a migration, or pass false.
  ///   - migrations: The steps from earlier versions of the models to this version. They cost a few microseconds for
  ///     each converted object, and a constant amount of memory. A screen can be shown meanwhile. If the task is
  ///     cancelled or the process killed, the next opening continues.
  ///   - progress: Called on a thread of the library after each slice of a migration, or of other work on objects.
  /// - Throws: ``StoreError`` if the path cannot be used, or the files are not a store or are damaged. Also if they
  ///   have a newer format or another index order, or if the models contradict each other or the stored schema. Also if
  ///   stored objects break a new rule of the models.
  public nonisolated(nonsending) static func open<each Model: PersistentModel>(
    _ path: String, for models: repeat (each Model).Type, access: StoreAccess = .owner,
    checksStructure: Bool = false, isStrict: Bool = false, checksRenames: Bool = true, migrations: MigrationPlan? = nil,
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) async throws -> Store {
    try await open(
      path, for: Schema(repeat each models), access: access, checksStructure: checksStructure,
      isStrict: isStrict, checksRenames: checksRenames, migrations: migrations, progress: progress)
  }

  /// Opens the store in a directory, or creates it, like the form that lists the models.
  ///
  /// - Parameters:
  ///   - path: The store's directory.
  ///   - schema: Every model whose objects the store holds.
  ///   - access: The users who may open the store, if the call creates it.
  ///   - checksStructure: Whether to check every page of the file first.
  ///   - isStrict: Whether to refuse a store with properties, indexes or entities that no model names.
  ///   - checksRenames: Whether to refuse models that seem to rename a property or an entity without `was:`.
  ///   - migrations: The steps from earlier versions of the models to this version.
  ///   - progress: Called on a thread of the library after each slice of work on objects.
  /// - Throws: ``StoreError``, like the form that lists the models.
  public nonisolated(nonsending) static func open(
    _ path: String, for schema: Schema, access: StoreAccess = .owner,
    checksStructure: Bool = false, isStrict: Bool = false, checksRenames: Bool = true, migrations: MigrationPlan? = nil,
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) async throws -> Store {
    let models = try ResolvedSchema(schema, migratedBy: migrations)
    var options = StoreOptions()
    options.access = access
    options.checksStructure = checksStructure
    options.isStrict = isStrict
    options.checksRenames = checksRenames
    options.migration = migrations
    if !checksStructure, let store = try StoreRegistry.openAtOnce(path, models, options) { return store }
    let run = OpeningRun(progress: progress)
    options.run = run
    return try await withTaskCancellationHandler {
      try await openElsewhere(path, models, options)
    } onCancel: {
      run.cancel()
    }
  }

  /// Opens a store on another thread, because opening may take long.
  @inline(never)
  private nonisolated(nonsending) static func openElsewhere(
    _ path: String, _ models: ResolvedSchema, _ options: StoreOptions
  ) async throws(StoreError) -> Store {
    try await SystemThread.run { () throws(StoreError) in try StoreRegistry.open(path, models, options) }
  }

  package static func openNow(
    _ path: String, for schema: Schema, _ options: StoreOptions
  ) throws(StoreError) -> Store {
    try StoreRegistry.open(path, ResolvedSchema(schema, migratedBy: options.migration), options)
  }
}

extension ResolvedSchema {
  /// The models for opening a store, in the version that a plan leads to.
  init(_ schema: Schema, migratedBy plan: MigrationPlan?) throws(StoreError) {
    do throws(SchemaError) { try self.init(schema) } catch { throw .schema(error) }
    version = plan?.version ?? 0
  }
}

/// The options for opening a store. Options that are not in the public API are for tests.
package struct StoreOptions: Sendable {
  /// Whether commits are never flushed. Only for tests, which are then as fast as in memory.
  package var isUnflushed = false
  package var checksStructure = false
  package var isStrict = false
  /// Whether the store is only read. Nothing is written then, neither to the file nor to journals.
  package var isReadOnly = false
  /// Whether the models come from the store. They cannot compute its derived attributes.
  package var usesStoredModels = false
  package var checksRenames = true
  package var migration: MigrationPlan?
  /// Reports progress and can be cancelled. `nil` if no caller needs that.
  package var run: OpeningRun?
  package var access = StoreAccess.owner
  package var journal = JournalOptions()
  package var indexing = IndexingOptions()
  /// The time from the opening to the removal of unused blobs, in nanoseconds.
  package var cleaningDelay: UInt64 = 2_000_000_000
  /// Bytes of saved changes kept in memory for contexts at old positions. Beyond the budget, they are read from the
  /// log.
  package var windowBudget = 16 << 20
  /// The versions of saved objects that have keyframes.
  package var keyframes = KeyframeSpacing()
  /// How long openings and saves wait for another process that holds the write lock and shows no sign of life, in
  /// milliseconds.
  package var writerTimeout = 30_000
  /// Microseconds since 1970-01-01 00:00 UTC.
  package var wallClock: @Sendable () -> Int64 = WallClock.microseconds
  /// Shares the log of the store with other machines. `nil` for a store that has its log alone.
  package var sharing: (any LogSharing)?
  /// The address space for the file in bytes, which limits its length. `nil` is the most that the library takes
  /// anywhere.
  package var mapSize: Int?

  package init() {}
}
