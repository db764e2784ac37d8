import RepriseEventStore

extension Restoration {
  /// Restores what the last process left, once: reads the archive, makes the registered objects and the nodes that can
  /// be made, in the order of their needs and parents before children, and then finishes. From then on changes are
  /// saved.
  ///
  /// Nodes that need something registered late are made when that is there; restore does not wait for it, ``settled()``
  /// does. Costs the nodes of the archive, n log n.
  ///
  /// - Parameter shouldRestore: Asked before anything is made, and only if there is an archive. If it refuses, nothing
  ///   of the archive is used; the archive is set aside at the first save.
  /// - Returns: What became of every node. Damaged nodes, unknown kinds and failing factories are told there, not
  ///   thrown.
  /// - Throws: ``RestorationError/alreadyRestored``; ``RestorationError/sceneInUse(_:)`` if another `Restoration`, here
  ///   or in another process, has the scene, and has not ended; ``RestorationError/store(_:)`` if the store cannot be
  ///   read:
  ///   restore may then be called again.
  @discardableResult
  public func restore(
    shouldRestore: (ArchiveInfo) -> Bool = { _ in true }
  ) async throws -> RestorationReport {
    guard phase == .registering else { throw RestorationError.alreadyRestored }
    try claimScene()
    phase = .restoring
    enterScenes()
    let contents: ArchiveContents
    do throws(StoreError) {
      contents = try storage.contents(of: scene)
    } catch {
      phase = .registering
      isClaimed = false
      storage.release(scene, for: self)
      throw RestorationError.store(error)
    }
    let records = contents.records
    var info: ArchiveInfo?
    var start = RestorationReport.Start.fresh
    if !records.isEmpty {
      let found = ArchiveInfo(of: records)
      info = found
      missedBefore = found.missedLaunches
      leftDrafts = found.leftDrafts.filter { storage.hasUncommittedDraft($0.value) }
      start = shouldRestore(found) ? .restored : .refused
    }
    reportSoFar = RestorationReport(
      start: start, archive: info, entries: [], objects: [], orphanedDrafts: [], dropped: [], damage: contents.damage)
    switch start {
    case .fresh: break
    case .refused: refusedArchive = records.byKey
    case .restored:
      read(records)
      buildAll()
    }
    decodeMade()
    deliverWhatCameMeanwhile()
    phase = .restored
    finishMaking()
    tellFinished()
    dropMissed()
    updateReport()
    scheduleFlush()
    guard let report else { throw RestorationError.alreadyRestored }
    return report
  }

  /// Waits until everything that is registered late is there or has failed, and the nodes that waited for it are made.
  ///
  /// - Returns: What became of every node.
  @discardableResult
  public func settled() async throws -> RestorationReport {
    try requireRestored("settled() was called")
    while let late = objects.values.lazy.compactMap(\.late).first { await late.value }
    guard let report else { throw RestorationError.notRestored("settled() was called") }
    return report
  }

  /// What was registered while nodes were being made, by a factory or by a task.
  private func deliverWhatCameMeanwhile() {
    for key in waiting.keys.sorted() {
      guard let entry = objects[key], entry.registered != nil || entry.factory != nil else { continue }
      if case .refused = entry.resolution { continue }
      deliver(key)
    }
  }

  private func claimScene() throws(RestorationError) {
    if isClaimed { return }
    do throws(StoreError) { isClaimed = try storage.claim(scene, for: self) } catch { throw .store(error) }
    if !isClaimed { throw .sceneInUse(scene) }
  }

  // MARK: Report

  func settle(_ entry: NodeEntry, _ outcome: RestorationReport.Outcome) { entry.outcome = outcome }

  /// Lists the nodes of the report by the paths that they have now: before one of them is moved, and when all is done.
  func nameReported() {
    guard reportSoFar?.entries.count != reported.count else { return }
    var entries: [RestorationReport.Entry] = []
    entries.reserveCapacity(reported.count)
    for entry in reported {
      let outcome: RestorationReport.Outcome = entry.outcome ?? .unresolved("it was not reached")
      entries.append(.init(path: entry.path, kind: entry.kind, outcome: outcome))
    }
    reportSoFar?.entries = entries
  }

  func updateReport() {
    nameReported()
    for index in reported.indices {
      guard let outcome = reported[index].outcome, outcome != reportSoFar?.entries[index].outcome else { continue }
      reportSoFar?.entries[index].outcome = outcome
    }
    reportSoFar?.objects = objects.values.filter { $0.outcome != nil }.sorted { $0.key < $1.key }
      .map { .init(key: $0.key, outcome: $0.outcome ?? .reused) }
    var orphaned: [String] = []
    for entry in reported where entry.isLeft {
      guard let draft = entry.isOpaque ? draft(at: entry.path.text) : entry.context?.draft else { continue }
      if storage.hasUncommittedDraft(draft) { orphaned.append(draft) }
    }
    reportSoFar?.orphanedDrafts = orphaned.sorted()
  }
}
