import RepriseJournal
import RepriseLog
import RepriseObjectModel

// A program can pass a context around before its store is open.

extension Store {
  /// Returns the store in a directory without waiting until it is open.
  ///
  /// If opening requires no write and no check of the structure, the returned store is already open. Otherwise, a
  /// thread of the library opens it, and it becomes ready later. For example, opening a new store, or a store for new
  /// models, requires a write.
  ///
  /// ```swift
  /// let store = Store.opening(path, for: Item.self, migrations: migrations) { progress in show(progress) }
  /// window.show(ItemsScreen(store.mainContext))
  /// ```
  ///
  /// Until the store is ready:
  ///
  /// - Every read throws ``StoreError/opening(path:)``, or an error that contains it.
  /// - Lists are empty, and their load state is `loading`. Saves and work in the background wait.
  /// - You can insert new objects into contexts. These objects do not survive the process, because no draft records
  ///   them yet.
  /// - The position of a context is 0, and you cannot make a child context with a draft.
  ///
  /// When the store becomes ready, each context moves to the head, in a turn of its isolation. A context with a draft
  /// gets the edits of the draft back, and the objects inserted meanwhile become later undo steps. Each list delivers a
  /// batch.
  ///
  /// If the store cannot be opened, ``ready()`` and every read throw the reason. ``retryOpening()`` tries again with
  /// the same store.
  ///
  /// The call takes as long as opening a store that requires no write, or as long as finding out that the store
  /// requires one. The parameters are the same as for `Store.open`. A later call of `Store.open` waits until the store
  /// is ready, and returns the same instance. ``ready()`` throws the errors of `Store.open`.
  public static func opening<each Model: PersistentModel>(
    _ path: String, for models: repeat (each Model).Type, access: StoreAccess = .owner,
    checksStructure: Bool = false, isStrict: Bool = false, checksRenames: Bool = true, migrations: MigrationPlan? = nil,
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) -> Store {
    opening(
      path, for: Schema(repeat each models), access: access, checksStructure: checksStructure,
      isStrict: isStrict, checksRenames: checksRenames, migrations: migrations, progress: progress)
  }

  /// Returns the store in a directory without waiting for it, like the form that lists the models.
  public static func opening(
    _ path: String, for schema: Schema, access: StoreAccess = .owner,
    checksStructure: Bool = false, isStrict: Bool = false, checksRenames: Bool = true, migrations: MigrationPlan? = nil,
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) -> Store {
    var options = StoreOptions()
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

  /// The opening that is under way, or a new one.
  private func opening(_ models: ResolvedSchema, _ options: StoreOptions) -> Opening {
    beginning.withLock { beginning in
      let opening = beginning ?? Opening(models, options)
      beginning = opening
      return opening
    }
  }

  /// Returns when the store is open. Only a store from `Store.opening` may not be open yet; the call returns at once
  /// for all others. Any number of tasks may wait.
  ///
  /// A context may still be behind the head afterwards. Wait for it with ``EditingContext/ready()``.
  ///
  /// - Throws: ``StoreError``: the reason why the store could not be opened, or `closed`. `CancellationError` if the
  ///   task is cancelled meanwhile; the opening continues.
  public nonisolated(nonsending) func ready() async throws {
    if !isReady, let opening = beginning.withLock({ $0 }) {
      await opening.waitUnlessCancelled()
      if !isReady, opening.failure == nil { try Task.checkCancellation() }
    }
    try requireOpen()
  }

  /// Tries again to open a store that could not be opened, for example after disk space was freed. ``ready()`` waits
  /// for the result. Does nothing if the store is open or being opened, or if its models contradict each other.
  public func retryOpening() {
    if isReady || isClosed { return }
    beginning.withLock { $0 }?.start(self)
  }

  /// Throws the reason why the store cannot be read.
  package func requireOpen() throws(StoreError) {
    if isClosed { throw .closed(path: path) }
    if !isReady { throw notReady }
  }

  /// Returns when the store is open, whether the task is cancelled or not.
  package nonisolated(nonsending) func waitUntilOpen() async throws(StoreError) {
    if !isReady, let opening = beginning.withLock({ $0 }) { await opening.wait() }
    try requireOpen()
  }

  /// The reason why the store is not open.
  var notReady: StoreError { beginning.withLock { $0 }?.failure ?? .opening(path: path) }

  /// Whether the store is not open yet, and may become so.
  package var isOpening: Bool {
    if isReady || isClosed { return false }
    return if case .opening = notReady { true } else { false }
  }

  /// Whether contexts have only new objects so far, which do not depend on the store's content.
  package var isEmptyYet: Bool { !isReady && !isClosed }

  /// Whether the last opening failed, and none is under way.
  var hasFailedToOpen: Bool { !isReady && beginning.withLock { $0 }?.failure != nil }

  /// Lets contexts hold objects of the models until the store has its own numbers for them.
  private func useBeforeOpening(_ models: ResolvedSchema) {
    if let stored = try? SchemaReconciliation(models, StoredSchema()).schema { useFirst(SchemaMap(models, stored)) }
  }

  /// Ends an opening that is under way. Returns whether the store is open. If it is, the call never suspends: a forked
  /// child has no threads to resume it.
  nonisolated(nonsending) func endOpening() async -> Bool {
    if !isReady, let opening = beginning.withLock({ $0 }) {
      opening.cancel()
      await opening.wait()
    }
    return isReady
  }
}
