import RepriseLMDB
import RepriseObjectModel
import RepriseSystem

// Archives of scenes need no models: they can be read and written before their store is open.

extension Store {
  /// What scenes use of the directory: there before the store is open, if it exists already.
  var sceneFiles: StoreFiles {
    // Lent first, then open: who finds neither looks once more.
    if isReady { return files }
    return lent.withLock { $0 } ?? files
  }

  /// The journal that scenes are written to.
  package var sceneJournal: Journal { sceneFiles.journal }

  /// Whether scenes can be restored.
  package var hasScenes: Bool { isReady || lent.withLock { $0 != nil } }

  /// Returns when scenes can be restored, which may be long before the store is open.
  package nonisolated(nonsending) func waitForScenes() async throws(StoreError) {
    if !hasScenes, let opening = beginning.withLock({ $0 }) { await opening.wait(forScenes: true) }
    try requireScenes()
  }

  /// Throws why no scene can be restored.
  func requireScenes() throws(StoreError) {
    if isClosed { throw .closed(path: path) }
    if !hasScenes { throw notReady }
  }

  /// Claims a scene, so that the files stay there for it whatever becomes of the opening.
  func claimed(_ scene: String) throws(StoreError) -> Bool {
    do throws(JournalError) {
      // Under the lock, as the opening may fail now.
      let isClaimed = try lent.withLock { lent throws(JournalError) in try lent?.journal.claim(.scene(scene)) }
      if let isClaimed { return isClaimed }
    } catch {
      throw storeError(error)
    }
    try requireScenes()
    do throws(JournalError) { return try sceneJournal.claim(.scene(scene)) } catch { throw storeError(error) }
  }

  // MARK: Lending

  /// Scenes have these files until the store is open, which has the same then.
  func lend(_ files: StoreFiles) {
    lent.withLock { $0 = files }
    beginning.withLock { $0 }?.scenesAreThere()
  }

  /// The store has the files now.
  func endLending() {
    let lent = lent.withLock { lent in
      defer { lent = nil }
      return lent
    }
    lent?.environment.close()
  }

  /// The store could not be opened. A scene that has begun goes on: what its screens are set to is kept.
  func endLendingUnlessUsed() {
    let unused = lent.withLock { lent -> StoreFiles? in
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
  nonisolated(nonsending) func endScenes(losing: Bool = false) async throws(StoreError) {
    guard let files = lent.withLock({ $0 }) else { return }
    if losing {
      await MainActor.run { mainContextSlot.empty() }
      files.journal.abandon()
    } else {
      await endLastFrame()
      do throws(JournalError) {
        try files.journal.close()
      } catch {
        markOpen()
        throw storeError(error)
      }
      await MainActor.run { mainContextSlot.close() }
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
    if store.beginning.withLock({ $0 == nil }) || store.hasScenes { return }
    let journal = try Journal.open(
      path, logID: logID, map: .none, options: options.journal, environment, StoreTables(environment))
    // One more user of the same environment.
    let own = try StoreError.converting { () throws(StorageError) in
      try Environment.open(directory: path, environment.options)
    }
    store.lend(
      StoreFiles(
        own, logID: logID, window: VersionWindow(head: 0, transactionID: 0, budget: 0), journal: journal))
  }
}
