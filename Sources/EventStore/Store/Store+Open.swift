import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

extension Store {
  /// Opens the store in a directory, or creates it; the parent directory must exist.
  ///
  /// The cost does not depend on the number of objects and transactions. If the store is already open in this process,
  /// returns that instance. New models and new attributes are added to the stored schema in a transaction of their own.
  /// New indexes over more than 2,000 objects are built afterwards, while the store is open (``unfinishedIndexes``).
  /// Unique ones, what orders a relationship, and derived attributes that are new or have another version, are brought
  /// up before, as fetches rely on them: that costs a few microseconds for each object, on a thread of the library.
  /// A store that already has them is opened without taking the write lock, and on the caller's thread: that takes less
  /// time than a round trip to another thread, so that a screen is restored before the program first suspends.
  ///
  /// - Parameters:
  ///   - path: The store's directory.
  ///   - models: Every model whose objects the store holds.
  ///   - durability: Which failures a completed save survives.
  ///   - access: Which users may open the store, if it is created now.
  ///   - checksStructure: Whether to run ``StoreMaintenance/check(_:)`` before the file is mapped, and to refuse a file
  ///     that is not sound: damage to its pages then cannot end the process or make it read wrong rows. Reads the whole
  ///     file. A store that is already open is not checked again.
  ///   - isStrict: Whether to refuse a store with properties, indexes or entities that no model names. Otherwise the
  ///     store has them as ``warnings``, and keeps them as they are.
  ///   - checksRenames: Whether to refuse models that add a property or an entity while something of the same type is
  ///     left in the store that no model names: most often that is a rename without `was:`. A program that left one out
  ///     on purpose has a migration remove it, or opts out.
  ///   - migrations: How the store is led from the form of earlier versions to that of these models. It costs a few
  ///     microseconds for each object that is converted, in memory that does not depend on their number; a screen can
  ///     be shown meanwhile. If the task is cancelled, or the process killed, the next opening goes on from there.
  ///   - progress: Called from a thread of the library, after each slice of a migration, or of other work that objects
  ///     need.
  /// - Throws: ``StoreError``: the path cannot be used; the files are not a store, are damaged, or have a newer format
  ///   or another order of the indexes; the models contradict each other or the stored schema; or objects of the store
  ///   break a rule that is new in the models.
  public nonisolated(nonsending) static func open<each Model: PersistentModel>(
    _ path: String, for models: repeat (each Model).Type, durability: Durability = .full, access: StoreAccess = .owner,
    checksStructure: Bool = false, isStrict: Bool = false, checksRenames: Bool = true, migrations: MigrationPlan? = nil,
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) async throws -> Store {
    try await open(
      path, for: Schema(repeat each models), durability: durability, access: access, checksStructure: checksStructure,
      isStrict: isStrict, checksRenames: checksRenames, migrations: migrations, progress: progress)
  }

  /// Opens the store in a directory, or creates it; like the form that lists the models.
  ///
  /// - Parameters:
  ///   - durability: Which failures a completed save survives.
  ///   - access: Which users may open the store, if it is created now.
  ///   - checksStructure: Whether to check every page of the file first.
  ///   - isStrict: Whether to refuse a store with properties, indexes or entities that no model names.
  ///   - checksRenames: Whether to refuse what may be a rename that the models do not declare.
  ///   - migrations: How the store is led from the form of earlier versions to that of these models.
  ///   - progress: Called from a thread of the library, after each slice of work that objects need.
  /// - Throws: ``StoreError``, like the form that lists the models.
  public nonisolated(nonsending) static func open(
    _ path: String, for schema: Schema, durability: Durability = .full, access: StoreAccess = .owner,
    checksStructure: Bool = false, isStrict: Bool = false, checksRenames: Bool = true, migrations: MigrationPlan? = nil,
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) async throws -> Store {
    let models = try ResolvedSchema(schema, migratedBy: migrations)
    var options = StoreOptions(durability: durability)
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

  /// On a thread of its own, because it may take long.
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
  /// The models that a store is to be opened with, in the version that a plan leads to.
  init(_ schema: Schema, migratedBy plan: MigrationPlan?) throws(StoreError) {
    do throws(SchemaError) { try self.init(schema) } catch { throw .schema(error) }
    version = plan?.version ?? 0
  }
}

/// The options for opening a store. Those that are not in the public API are for tests.
package struct StoreOptions: Sendable {
  package var durability: Durability
  /// No flushes at all: in-memory speed for tests, never for users.
  package var isUnflushed = false
  package var checksStructure = false
  package var isStrict = false
  package var checksRenames = true
  package var migration: MigrationPlan?
  /// `nil` if nobody wants to hear of it.
  package var run: OpeningRun?
  package var access = StoreAccess.owner
  package var journal = JournalOptions()
  package var indexing = IndexingOptions()
  /// How long after opening blobs are removed that nobody needs, in nanoseconds.
  package var cleaningDelay: UInt64 = 2_000_000_000
  /// Bytes of saved changes kept in memory for contexts at old positions; beyond the budget, they are read from the
  /// log.
  package var windowBudget = 16 << 20
  /// Which versions of the objects saved have keyframes.
  package var keyframes = KeyframeSpacing()
  /// How long openings and saves wait for another process that writes and shows no sign of life, in milliseconds.
  package var writerTimeout = 30_000
  /// Microseconds since 1970-01-01 00:00 UTC.
  package var wallClock: @Sendable () -> Int64 = WallClock.microseconds
  /// Address space for the file, and so how long it may become; `nil` is the most that is taken anywhere.
  package var mapSize: Int?

  package init(durability: Durability = .full) { self.durability = durability }
}
