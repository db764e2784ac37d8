import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// The archives of the scenes in a store. They hold the nodes of screens, and need no models: they can be read and
/// written before their store is open.
package struct SceneArchives: Sendable {
  let store: Store
}

extension Store {
  package var scenes: SceneArchives { SceneArchives(store: self) }
}

extension SceneArchives {
  /// The files that scenes use. If the store exists already, scenes have them before it is open.
  var files: StoreFiles {
    // Lent files become the store's files. A caller that finds neither looks again, because this may happen between its
    // two looks.
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

  /// Throws the reason why no scene can be restored.
  func requireReady() throws(StoreError) {
    if store.isClosed { throw .closed(path: store.path) }
    if !areReady { throw store.notReady }
  }

  /// Claims a scene. The files then remain for the scene, even if the opening fails.
  func claimed(_ scene: JournalTopic) throws(StoreError) -> Bool {
    do throws(JournalError) {
      // Claimed under the lock, because the opening may fail at this moment.
      let isClaimed = try store.lent.withLock { lent throws(JournalError) in try lent?.journal.claim(scene) }
      if let isClaimed { return isClaimed }
    } catch {
      throw StoreError(error, path: store.path)
    }
    try requireReady()
    if journal.isOnlyRead { throw .readOnly(path: store.path) }
    do throws(JournalError) { return try journal.claim(scene) } catch {
      throw StoreError(error, path: store.path)
    }
  }

  // MARK: Lending

  /// Lends the files to scenes until the store is open and has the same files.
  func lend(_ files: StoreFiles) {
    store.lent.withLock { $0 = files }
    store.beginning.withLock { $0 }?.scenesAreThere()
  }

  /// The store has the files from now on.
  func endLending() {
    let lent = store.lent.withLock { lent in
      defer { lent = nil }
      return lent
    }
    lent?.environment.close()
  }

  /// The store could not be opened. A scene that has begun continues, and the journal keeps the states of its screens.
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
  /// - Parameter losing: Whether to lose unwritten states, as a kill would.
  nonisolated(nonsending) func end(losing: Bool = false) async throws(StoreError) {
    let files = store.lent.withLock { $0 }
    if losing {
      await StoreObservers.didEnd(store, isClean: false)
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
      // A main context may exist even if the store has no files.
      await StoreObservers.didEnd(store, isClean: true)
    }
    endLending()
  }
}

extension StoreOpener {
  /// The journal of a store that is now open. If its scenes have the journal already, it is the same one.
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
    // No caller has the store yet, or scenes continue from an opening that failed.
    if store.beginning.withLock({ $0 == nil }) || store.scenes.areReady { return }
    let journal = try Journal.open(
      path, logID: logID, map: .none, options: options.journal, environment, StoreTables(environment))
    // Opening the environment again makes the store another user of it.
    let own = try StoreError.converting { () throws(StorageError) in
      try Environment.open(directory: path, environment.options)
    }
    store.scenes.lend(
      StoreFiles(
        own, logID: logID, window: VersionWindow(head: 0, transactionID: 0, budget: 0), journal: journal))
  }
}
