import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// The archives of the scenes in a store, which have the nodes of screens. They need no models: they can be read and
/// written before their store is open.
package struct SceneArchives: Sendable {
  let store: Store
}

extension Store {
  package var scenes: SceneArchives { SceneArchives(store: self) }
}

extension SceneArchives {
  /// What scenes use of the directory: there before the store is open, if it exists already.
  var files: StoreFiles {
    // Lent first, then open: who finds neither looks once more.
    if store.isReady { return store.files }
    return store.lent.withLock { $0 } ?? store.files
  }

  /// The journal that scenes are written to.
  package var journal: Journal { files.journal }

  /// Whether scenes can be restored.
  package var areReady: Bool { store.isReady || store.lent.withLock { $0 != nil } }

  /// Returns when scenes can be restored, which may be long before the store is open.
  package nonisolated(nonsending) func waitUntilReady() async throws(StoreError) {
    if !areReady, let opening = store.beginning.withLock({ $0 }) { await opening.wait(forScenes: true) }
    try requireReady()
  }

  /// Throws why no scene can be restored.
  func requireReady() throws(StoreError) {
    if store.isClosed { throw .closed(path: store.path) }
    if !areReady { throw store.notReady }
  }

  /// Claims a scene, so that the files stay there for it whatever becomes of the opening.
  func claimed(_ scene: String) throws(StoreError) -> Bool {
    do throws(JournalError) {
      // Under the lock, as the opening may fail now.
      let isClaimed = try store.lent.withLock { lent throws(JournalError) in try lent?.journal.claim(.scene(scene)) }
      if let isClaimed { return isClaimed }
    } catch {
      throw StoreError(error, path: store.path)
    }
    try requireReady()
    do throws(JournalError) { return try journal.claim(.scene(scene)) } catch {
      throw StoreError(error, path: store.path)
    }
  }

  // MARK: Lending

  /// Scenes have these files until the store is open, which has the same then.
  func lend(_ files: StoreFiles) {
    store.lent.withLock { $0 = files }
    store.beginning.withLock { $0 }?.scenesAreThere()
  }

  /// The store has the files now.
  func endLending() {
    let lent = store.lent.withLock { lent in
      defer { lent = nil }
      return lent
    }
    lent?.environment.close()
  }

  /// The store could not be opened. A scene that has begun goes on: what its screens are set to is kept.
  func endLendingUnlessUsed() {
    let unused = store.lent.withLock { lent -> StoreFiles? in
      guard let files = lent, !files.journal.hasClaims else { return nil }
      lent = nil
      return files
    }
    guard let unused else { return }
    unused.journal.abandon()
    unused.environment.close()
  }

  /// Ends the scenes of a store that is closed before it was open.
  ///
  /// - Parameter losing: Whether as a kill would.
  nonisolated(nonsending) func end(losing: Bool = false) async throws(StoreError) {
    let files = store.lent.withLock { $0 }
    if losing {
      await MainActor.run { StoreObservers.didEnd(store, isClean: false) }
      files?.journal.abandon()
    } else {
      if let files {
        await store.journals.endLastFrame()
        do throws(JournalError) {
          try files.journal.close()
        } catch {
          store.markOpen()
          throw StoreError(error, path: store.path)
        }
      }
      // Without files there may still be a main context.
      await MainActor.run { StoreObservers.didEnd(store, isClean: true) }
    }
    endLending()
  }
}

extension StoreOpener {
  /// The journal of a store that is open now: that which its scenes have already, if they do.
  func journal(
    of store: Store, _ map: SchemaMap, _ environment: Environment, _ tables: StoreTables, logID: UniqueID
  ) throws(StoreError) -> Journal {
    if let lent = store.lent.withLock({ $0?.journal }) {
      lent.use(map)
      return lent
    }
    return try Journal.open(path, logID: logID, map: map, options: options.journal, environment, tables)
  }

  /// Lends a store's files to its scenes before anything long begins.
  func lendToScenes(_ store: Store, _ environment: Environment, logID: UniqueID) throws(StoreError) {
    // Nobody has the store yet, or scenes go on from an opening that failed.
    if store.beginning.withLock({ $0 == nil }) || store.scenes.areReady { return }
    let journal = try Journal.open(
      path, logID: logID, map: .none, options: options.journal, environment, StoreTables(environment))
    // One more user of the same environment.
    let own = try StoreError.converting { () throws(StorageError) in
      try Environment.open(directory: path, environment.options)
    }
    store.scenes.lend(
      StoreFiles(
        own, logID: logID, window: VersionWindow(head: 0, transactionID: 0, budget: 0), journal: journal))
  }
}
