import RepriseEventStore
import RepriseObjectGraph

extension Restoration {
  /// Restores the nodes that the last process left.
  ///
  /// Call it once.
  ///
  /// It waits for the store with the archive (see ``waitsForStore``), and reads the archive. It then makes the
  /// registered objects and the nodes, in the order of their needs and parents before children. From then on, changes
  /// are saved.
  ///
  /// Restore does not wait for late objects. Nodes that need one are made when it arrives, and ``waitUntilSettled()``
  /// waits for them. If a container or the scene shows only some of its children, only these are made, see
  /// ``RestorationNode/visibleChildren``.
  ///
  /// Takes O(n log n) time for n visible nodes. For the other nodes, it reads only the records in journals that are not
  /// checkpointed yet. If no visible children are set anywhere, it reads all nodes.
  ///
  /// - Parameter shouldRestore: Called before anything is made, if there is an archive. It is not called if the last
  ///   four launches died while they restored the archive. If it returns `false`, the archive is not used, and the
  ///   first save sets it aside.
  /// - Returns: The outcome of every node. Damaged nodes, unknown kinds and failing factories are reported there, and
  ///   not thrown.
  /// - Throws: ``RestorationError/alreadyRestored`` if restore has run or is running, or after ``end()``.
  ///   ``RestorationError/sceneInUse(_:process:)`` if another `Restoration` holds the scene, unless
  ///   ``sceneConflictPolicy`` resolves that. ``RestorationError/store(_:)`` if the store cannot be read. After the
  ///   last two errors, you may call restore again. ``RestorationError/ended(_:)`` if ``end()`` was called meanwhile.
  @discardableResult
  nonisolated(nonsending) public func restore(
    shouldRestore: (ArchiveInfo) -> Bool = { _ in true }
  ) async throws -> RestorationReport {
    guard currentScene.phase == .registering else { throw RestorationError.alreadyRestored }
    currentScene.phase = .restoring
    do throws(RestorationError) {
      try await currentScene.claim(for: self, sceneConflictPolicy)
    } catch {
      currentScene.phase = .registering
      try endIfAsked()
      throw error
    }
    if currentScene.endsWhenRestored { currentScene.phase = .registering }
    try endIfAsked()
    bringLateWhatTheStoreHas()
    objects.enterScenes()
    currentScene.beginLaunch()
    do throws(StoreError) {
      try take(currentScene.storage.contents(of: currentScene.name), shouldRestore)
    } catch {
      currentScene.phase = .registering
      currentScene.breaker.giveUp()
      currentScene.release(for: self)
      try endIfAsked()
      throw RestorationError.store(error)
    }
    builder.buildAll()
    builder.decodeMade()
    builder.deliverWhatCameMeanwhile()
    currentScene.phase = .restored
    builder.finishMaking()
    builder.tellFinished()
    if reports.report?.start == .quarantined { saver.setRefusedAside() }
    // For an unrestored node, nothing else requests the context of its draft.
    objects.makeObjects(reports.contextsOfLost)
    drafts.forgetEnded()
    for entry in reports.dropMissed(unrestoredNodeRetention, at: currentScene.now()) { editor.close(entry) }
    reports.update()
    if currentScene.breaker.isDisplayWatched { currentScene.breaker.willDisplay(builder.livePaths) }
    currentScene.breaker.finish()
    try endIfAsked()
    listenForTakeover()
    followStores()
    LiveRestorations.add(self)
    changes.onChange()
    guard let report else { throw RestorationError.alreadyRestored }
    return report
  }

  /// Ends if `end` was called while restore was running.
  private func endIfAsked() throws(RestorationError) {
    guard currentScene.endsWhenRestored else { return }
    end()
    throw .ended(currentScene.shownName)
  }

  /// Also reports failed writes of the other stores, and counts changes there.
  private func followStores() {
    currentScene.stores.follow { [weak self] store in
      guard let self, currentScene.phase == .restored else { return }
      store.tellFailures(to: self)
      currentScene.breaker.watch(store)
    }
  }

  private func listenForTakeover() {
    guard onTakeover != nil, !currentScene.isReadOnly else { return }
    let (isolation, reference) = (currentScene.isolation, IsolatedReference(self, in: currentScene.isolation))
    currentScene.storage.listen(for: currentScene.name) {
      ContextTurn.begin(on: isolation) { (reference.object(in: isolation) as? Restoration)?.letGo() }
    }
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
    if damage.isEmpty { tree.noteLosses(in: records, info, of: currentScene.name) }
    if let parts = contents.parts, let known = info.parts {
      let reader = PartReader(parts, of: known.nodeCount, objects, tree, screens, reports)
      try reader.begin(after: known.lastOrder)
      watchUse(known.marks, reader)
    }
  }

  /// Waits until every late object has arrived, failed or become overdue, and the nodes that waited for it are made.
  ///
  /// - Returns: The outcome of every node.
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished. ``RestorationError/ended(_:)`` if this
  ///   `Restoration` has ended in the meantime, for example because another one took the scene over.
  @discardableResult
  nonisolated(nonsending) public func waitUntilSettled() async throws -> RestorationReport {
    try currentScene.requireRestored()
    while let late = objects.entries.values.lazy.compactMap(\.late).first(where: { !$0.isOverdue }) {
      await late.waitUntilSettled()
    }
    try currentScene.requireRestored()
    guard let report else { throw RestorationError.notRestored(#function) }
    return report
  }
}
