import RepriseJournal
import RepriseLog
import RepriseObjectModel

// A context can be handed around before its store is open.

extension Store {
  /// The store in a directory, at once: if something must be written first, as for a new store, new models or a
  /// migration, it is opened on a thread of the library, and becomes ready later. Otherwise it is open already.
  ///
  /// ```swift
  /// let store = Store.opening(path, for: Item.self, migrations: migrations) { progress in show(progress) }
  /// window.show(ItemsScreen(store.mainContext))
  /// ```
  ///
  /// Until it is ready, everything that reads throws ``StoreError/opening(path:)`` or an error that says the same,
  /// lists are pending, and saves wait, as does work in the background. New objects can be inserted into its contexts,
  /// which hold them. Then contexts are at the head, those with drafts have their edits again, below what was inserted
  /// meanwhile, and lists deliver a batch, each in a turn of its isolation. If the store cannot be opened, ``ready()``
  /// throws the reason, and so does everything that reads; ``retryOpening()`` tries again, on the same store.
  ///
  /// Before it is ready, a position is 0, and a draft that a context is to have is not there: what is inserted does not
  /// survive the process. A child with a draft cannot be made.
  ///
  /// Costs as long as it takes to open a store in which nothing must be written, and otherwise to find that out. The
  /// parameters are those of `Store.open`, which gives the same store, once it is ready. What that would throw,
  /// ``ready()`` does.
  public static func opening<each Model: PersistentModel>(
    _ path: String, for models: repeat (each Model).Type, durability: Durability = .full, access: StoreAccess = .owner,
    checksStructure: Bool = false, isStrict: Bool = false, checksRenames: Bool = true, migrations: MigrationPlan? = nil,
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) -> Store {
    opening(
      path, for: Schema(repeat each models), durability: durability, access: access, checksStructure: checksStructure,
      isStrict: isStrict, checksRenames: checksRenames, migrations: migrations, progress: progress)
  }

  /// The store in a directory, at once; like the form that lists the models.
  public static func opening(
    _ path: String, for schema: Schema, durability: Durability = .full, access: StoreAccess = .owner,
    checksStructure: Bool = false, isStrict: Bool = false, checksRenames: Bool = true, migrations: MigrationPlan? = nil,
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) -> Store {
    var options = StoreOptions(durability: durability)
    options.access = access
    options.checksStructure = checksStructure
    options.isStrict = isStrict
    options.checksRenames = checksRenames
    options.migration = migrations
    options.run = OpeningRun(progress: progress)
    return opening(path, for: schema, options)
  }

  package static func opening(_ path: String, for schema: Schema, _ options: StoreOptions) -> Store {
    var models: ResolvedSchema?
    do throws(StoreError) {
      let resolved = try ResolvedSchema(schema, migratedBy: options.migration)
      models = resolved
      if !options.checksStructure, let store = try StoreRegistry.openAtOnce(path, resolved, options) { return store }
      let store = try StoreRegistry.instance(path, resolved, options)
      store.useBeforeOpening(resolved)
      store.opening(resolved, options).start(store)
      return store
    } catch {
      let store = Store(path: path, options)
      if let models { store.useBeforeOpening(models) }
      store.beginning.withLock { $0 = Opening(models, options, failed: error) }
      return store
    }
  }

  /// The one under way, or a new one.
  private func opening(_ models: ResolvedSchema, _ options: StoreOptions) -> Opening {
    beginning.withLock { beginning in
      let opening = beginning ?? Opening(models, options)
      beginning = opening
      return opening
    }
  }

  /// Returns when the store is open: at once, but for one that `Store.opening` gave.
  ///
  /// Any number may wait. A context has moved to the head only with ``EditingContext/ready()``.
  ///
  /// - Throws: ``StoreError``: the store could not be opened, for this reason; or it was closed. `CancellationError` if
  ///   the task is cancelled meanwhile; the store goes on being opened.
  public nonisolated(nonsending) func ready() async throws {
    if !isReady, let opening = beginning.withLock({ $0 }) {
      await opening.waitUnlessCancelled()
      if !isReady, opening.failure == nil { try Task.checkCancellation() }
    }
    try requireOpen()
  }

  /// Begins to open a store again that could not be opened, as when the disk is no longer full; ``ready()`` waits for
  /// it. Nothing happens if it is open or being opened, or if its models contradict each other.
  public func retryOpening() {
    if isReady || isClosed { return }
    beginning.withLock { $0 }?.start(self)
  }

  /// Throws why the store cannot be read.
  package func requireOpen() throws(StoreError) {
    if isClosed { throw .closed(path: path) }
    if !isReady { throw notReady }
  }

  /// Returns when the store is open, whether the task is cancelled or not.
  package nonisolated(nonsending) func waitUntilOpen() async throws(StoreError) {
    if !isReady, let opening = beginning.withLock({ $0 }) { await opening.wait() }
    try requireOpen()
  }

  /// Why the store is not open.
  var notReady: StoreError { beginning.withLock { $0 }?.failure ?? .opening(path: path) }

  /// Whether it is not open yet, and may become so.
  package var isOpening: Bool {
    if isReady || isClosed { return false }
    return if case .opening = notReady { true } else { false }
  }

  /// Whether contexts have only new objects so far, which nothing in the store has to do with.
  package var isEmptyYet: Bool { !isReady && !isClosed }

  /// Whether nobody opens it now, and opening it has failed.
  var hasFailedToOpen: Bool { !isReady && beginning.withLock { $0 }?.failure != nil }

  /// Lets contexts hold objects of the models until the store has its own numbers for them.
  private func useBeforeOpening(_ models: ResolvedSchema) {
    if let stored = try? SchemaReconciliation(models, StoredSchema()).schema { useFirst(SchemaMap(models, stored)) }
  }

  /// Ends an opening that is under way. Returns whether the store is open. Never suspends where it is already, as in a
  /// forked child, which has no threads.
  nonisolated(nonsending) func endOpening() async -> Bool {
    if !isReady, let opening = beginning.withLock({ $0 }) {
      opening.cancel()
      await opening.wait()
    }
    return isReady
  }
}
