import RepriseEventStore

extension Restoration {
  /// Restores what the last process left, once, as soon as the store with the archive is open, or before
  /// (``waitsForStore``): reads the archive, makes
  /// the registered objects and the nodes that can be made, in the order of their needs and parents before children,
  /// and then finishes. From then on changes are saved.
  ///
  /// Nodes that need something registered late are made when that is there; restore does not wait for it, ``settled()``
  /// does. Where a container, or the scene, does not show all its nodes, only the visible ones are made: see
  /// ``RestorationNode/visibleChildren``. Costs what is visible, n log n; of the rest it costs the records in journals
  /// that are not checkpointed, and all if neither a node nor the scene says what it shows.
  ///
  /// - Parameter shouldRestore: Called before anything is made, and only if there is an archive that did not end the
  ///   last four launches. If it refuses, nothing of the archive is used; it is set aside at the first save.
  /// - Returns: What became of every node. Damaged nodes, unknown kinds and failing factories are reported there, not
  ///   thrown.
  /// - Throws: ``RestorationError/alreadyRestored``; ``RestorationError/sceneInUse(_:process:)`` if another
  ///   `Restoration`, here or in another process, has the scene, and ``sceneConflict`` does not settle that;
  ///   ``RestorationError/store(_:)`` if the store cannot be read. After the last two restore may be called again.
  @discardableResult
  public func restore(
    shouldRestore: (ArchiveInfo) -> Bool = { _ in true }
  ) async throws -> RestorationReport {
    guard currentScene.phase == .registering else { throw RestorationError.alreadyRestored }
    currentScene.phase = .restoring
    do throws(RestorationError) {
      try await currentScene.claim(for: self, sceneConflict)
    } catch {
      currentScene.phase = .registering
      throw error
    }
    bringLateWhatTheStoreHas()
    objects.enterScenes()
    currentScene.beginLaunch()
    do throws(StoreError) {
      try take(currentScene.storage.contents(of: currentScene.name), shouldRestore)
    } catch {
      currentScene.phase = .registering
      currentScene.breaker.giveUp()
      currentScene.release(for: self)
      throw RestorationError.store(error)
    }
    builder.buildAll()
    builder.decodeMade()
    builder.deliverWhatCameMeanwhile()
    currentScene.phase = .restored
    builder.finishMaking()
    builder.tellFinished()
    if reports.report?.start == .quarantined { saver.setRefusedAside() }
    // Of what was not restored nobody asks for the context that its draft belongs to.
    objects.makeObjects(reports.contextsOfLost)
    drafts.forgetEnded()
    for entry in reports.dropMissed(keptNodes, at: currentScene.now()) { editor.close(entry) }
    reports.update()
    if currentScene.breaker.isDisplayWatched { currentScene.breaker.willDisplay(builder.livePaths) }
    currentScene.breaker.finish()
    listenForTakeOver()
    followStores()
    LiveRestorations.add(self)
    changes.onChange()
    guard let report else { throw RestorationError.alreadyRestored }
    return report
  }

  /// What cannot be written in another store than the archive's is told as well, and what is changed there counts.
  private func followStores() {
    currentScene.stores.follow { [weak self] store in
      guard let self, currentScene.phase == .restored else { return }
      store.tellFailures(to: self)
      currentScene.breaker.watch(store)
    }
  }

  private func listenForTakeOver() {
    guard onTakeOver != nil, !currentScene.isReadOnly else { return }
    currentScene.storage.listen(for: currentScene.name) { [weak self] in Task { @MainActor in self?.letGo() } }
  }

  /// Takes in the nodes of the archive, if there is one and the program wants it.
  private func take(
    _ contents: ArchiveContents, _ shouldRestore: (ArchiveInfo) -> Bool
  ) throws(StoreError) {
    let records = contents.records
    let lastExit = currentScene.breaker.lastExit
    let damage = contents.damage + currentScene.refusedNote
    if records.isEmpty { return reports.begin(.fresh, nil, lastExit, damage: damage) }
    var info = ArchiveInfo(of: records)
    info.lastExit = lastExit
    if contents.parts != nil, let parts = info.parts { info.nodeCount = parts.nodeCount }
    drafts.takeUp(info.leftDrafts)
    let start: RestorationReport.Start =
      currentScene.breaker.startsPlainly ? .quarantined : shouldRestore(info) ? .restored : .refused
    reports.begin(start, info, lastExit, damage: damage)
    guard start == .restored else {
      objects.ignoresShared = true
      return saver.refuse(try contents.all())
    }
    saver.restores(info.parts)
    tree.storedCount = info.nodeCount
    tree.select(info.parts?.selection ?? "", in: tree.top)
    let nodes = ArchiveReader(objects: objects, tree: tree, screens: screens).read(records)
    reports.list(nodes)
    if let parts = contents.parts, let known = info.parts {
      let reader = PartReader(parts, of: known.nodeCount, objects, tree, screens, reports)
      try reader.begin(after: known.lastOrder)
      watchUse(known.marks, reader)
    }
  }

  /// Waits until everything that is registered late is there, has failed or is overdue, and the nodes that waited for
  /// it are made.
  ///
  /// - Returns: What became of every node.
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished; ``RestorationError/ended(_:)`` if this
  ///   ended meanwhile, as when another took the scene over.
  @discardableResult
  public func settled() async throws -> RestorationReport {
    try currentScene.requireRestored("settled() was called")
    while let late = objects.entries.values.lazy.compactMap(\.late).first(where: { !$0.isOverdue }) {
      await late.settled()
    }
    try currentScene.requireRestored("settled() was called")
    guard let report else { throw RestorationError.notRestored("settled() was called") }
    return report
  }
}
