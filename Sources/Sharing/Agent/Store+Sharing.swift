import RepriseEventStore
import RepriseLog
import RepriseObjectModel
import RepriseSystem

extension Store {
  /// Opens the store in a directory, or creates it, and shares its log with other machines.
  ///
  /// All stores of a shared log have the same objects and transactions. A save returns when the shared log has it, and
  /// throws ``SaveError/unavailable(reason:)`` if the shared log cannot be reached. Reads, drafts, undo and restoration
  /// need no connection. Contexts and lists follow the saves of other machines like the saves of another process.
  ///
  /// The first server opens its store, which may have objects already. The shared log then begins behind the last
  /// transaction of this store. Each other server begins with a seed, which a server makes with
  /// ``StoreMaintenance/makeSeed(of:at:)``. Copy the seed to the directory of the store before you open it there.
  ///
  /// From then on, only programs that share the log can open the store. The call connects to the shared log if the
  /// store does not share it yet, or if the models add something. Otherwise the store opens without a connection.
  ///
  /// New indexes are built before the call returns, in one commit of each server. In a store with ten million objects,
  /// this takes many seconds, and saves wait meanwhile. A shared store cannot be migrated, so migrate it before you
  /// share it.
  ///
  /// - Parameters:
  ///   - path: The store's directory.
  ///   - models: Every model whose objects the store holds. Servers may have different models.
  ///   - log: The shared log. Use the same instance if you open the store several times in a process.
  ///   - access: The users who may open the store, if the call creates it.
  ///   - isStrict: Whether to refuse a store with properties, indexes or entities that no model names.
  ///   - checksRenames: Whether to refuse models that seem to rename a property or an entity without `was:`.
  ///   - migrations: The steps that led to this version of the models, before the store was shared.
  ///   - progress: Called on a thread of the library after each slice of work on objects.
  /// - Throws: ``StoreError``, like `Store.open` without a shared log. `sharing` if the store cannot share the log.
  ///   `inUse` if the store is open in this process without this instance of the shared log.
  public nonisolated(nonsending) static func open<each Model: PersistentModel>(
    _ path: String, for models: repeat (each Model).Type, sharing log: SharedLog, access: StoreAccess = .owner,
    isStrict: Bool = false, checksRenames: Bool = true, migrations: MigrationPlan? = nil,
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) async throws -> Store {
    try await open(
      path, for: Schema(repeat each models), sharing: log, access: access, isStrict: isStrict,
      checksRenames: checksRenames, migrations: migrations, progress: progress)
  }

  /// Opens the store in a directory, or creates it, and shares its log, like the form that lists the models.
  ///
  /// - Parameters:
  ///   - path: The store's directory.
  ///   - schema: Every model whose objects the store holds.
  ///   - log: The shared log.
  ///   - access: The users who may open the store, if the call creates it.
  ///   - isStrict: Whether to refuse a store with properties, indexes or entities that no model names.
  ///   - checksRenames: Whether to refuse models that seem to rename a property or an entity without `was:`.
  ///   - migrations: The steps that led to this version of the models.
  ///   - progress: Called on a thread of the library after each slice of work on objects.
  /// - Throws: ``StoreError``, like the form that lists the models.
  public nonisolated(nonsending) static func open(
    _ path: String, for schema: Schema, sharing log: SharedLog, access: StoreAccess = .owner, isStrict: Bool = false,
    checksRenames: Bool = true, migrations: MigrationPlan? = nil,
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) async throws -> Store {
    var options = StoreOptions()
    options.access = access
    options.isStrict = isStrict
    options.checksRenames = checksRenames
    options.migration = migrations
    options.sharing = log
    let run = OpeningRun(progress: progress)
    options.run = run
    let opened = options
    return try await withTaskCancellationHandler {
      try await SystemThread.run { () throws(StoreError) in try openNow(path, for: schema, opened) }
    } onCancel: {
      run.cancel()
    }
  }

  /// The shared log that was passed to the opening of the store. `nil` if the store has its log alone, or is not open.
  public var sharing: SharedLog? { logSharing as? SharedLog }
}
