import RepriseEventStore

/// Writing what changed: at the end of the turn, in one frame with the edits of that turn.
extension Restoration {
  /// Hands every change to the journal now, and asks all two-step screens for their state. For the moment at which a
  /// program goes to the background; without it the end of each turn does the same for what was marked changed.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished: then nothing was written.
  ///   ``RestorationError/store(_:)`` if the store was closed. ``RestorationError/state(_:reason:)`` for the first
  ///   state that could not be kept: the others were.
  public func save() throws { try saveNow() }

  /// As ``save()``, typed.
  func saveNow() throws(RestorationError) {
    try requireRestored("save() was called")
    if let reason = storage.reasonNotToWrite { throw .store(reason) }
    for entry in twoStep.values { mark(entry) }
    for case let object? in objects.values.map(\.restorable) { markWherever(object) }
    for entry in unkept { mark(entry) }
    unkept = []
    if let problem = flush().first { throw problem }
  }

  /// Says that a two-step screen, or a registered object that encodes itself, has another state than before.
  public func invalidateState(of screen: any RestorableScreen) {
    if let entry = entry(of: screen) { mark(entry) }
    markWherever(screen)
  }

  func mark(_ entry: NodeEntry) {
    guard !entry.isMarked, entry.status != .closed else { return }
    entry.isMarked = true
    changedNodes.append(entry)
    scheduleFlush()
  }

  func mark(_ entry: ObjectEntry) {
    guard !entry.isMarked else { return }
    entry.isMarked = true
    changedObjects.append(entry)
    scheduleFlush()
  }

  /// Keeps the journal from cutting a frame within this turn, and writes at its end.
  func scheduleFlush() {
    guard phase == .restored, !isTurnOpen else { return }
    guard
      !changedNodes.isEmpty || !changedObjects.isEmpty || !removedKeys.isEmpty || !backReferences.isEmpty
        || isInfoChanged
    else {
      return
    }
    isTurnOpen = true
    // What was set before the store was closed is still written.
    let reasonNotToWrite = storage.reasonNotToWrite
    storage.openTurn()
    // Held until then, so that nothing is lost if the program lets go of it within this turn.
    Task { [self] in
      fillBackReferences()
      for problem in flush() { onProblem?(problem) }
      if let reasonNotToWrite { onProblem?(.store(reasonNotToWrite)) }
      isTurnOpen = false
      storage.closeTurn()
      scheduleFlush()
    }
  }

  /// Writes what is marked; gives back what could not be kept.
  private func flush() -> [RestorationError] {
    guard handover == nil else { return [] }
    var problems: [RestorationError] = []
    var changes: [ArchiveChange] = []
    // Nodes first: what they refer to decides which objects are archived.
    repeat {
      writeNodes(&changes, &problems)
      writeObjects(&changes, &problems)
    } while !changedNodes.isEmpty
    let removed = removedKeys
    removedKeys = []
    if changes.isEmpty && removed.isEmpty && !isInfoChanged { return problems }
    setRefusedAside()
    let written = Set(changes.map { if case .put(let key, _) = $0 { key } else { "" } })
    changes = removed.subtracting(written).sorted().map { .remove(key: $0) } + changes
    changes += infoIfDue()
    storage.write(changes, scene: scene)
    return problems
  }

  private func writeNodes(_ changes: inout [ArchiveChange], _ problems: inout [RestorationError]) {
    // One that is referred to for the first time is marked meanwhile.
    var count = 0
    while count < changedNodes.count {
      let entry = changedNodes[count]
      count += 1
      entry.isMarked = false
      guard entry.status == .live || entry.isMoved, !entry.isOpaque else { continue }
      do throws(StateCodingError) {
        if try takeState(of: entry) || entry.isMoved || !entry.isStored { changes.append(put(entry.record)) }
        entry.isStored = true
        entry.isMoved = false
      } catch {
        problems.append(.state(entry.path.text, reason: error.description))
        unkept.append(entry)
      }
    }
    changedNodes = []
  }

  private func writeObjects(_ changes: inout [ArchiveChange], _ problems: inout [RestorationError]) {
    while let entry = changedObjects.popLast() {
      entry.isMarked = false
      do throws(StateCodingError) {
        if let record = try changedRecord(of: entry) { changes.append(put(record)) }
      } catch {
        problems.append(.state(entry.key, reason: error.description))
      }
    }
  }

  private func put(_ record: ArchiveRecord) -> ArchiveChange { .put(key: record.key, bytes: record.encoded()) }

  /// Encodes a node's state; true if it differs from what was written last.
  private func takeState(of entry: NodeEntry) throws(StateCodingError) -> Bool {
    let state: [UInt8]
    if let node = entry.node {
      state = try node.encoded()
    } else if let screen = entry.screen as? any RestorableScreen {
      let encoder = RestorationEncoder(self)
      screen.encodeRestorableState(with: encoder)
      state = try encoder.encoded(keeping: entry.unknown)
      changeNeeds(of: entry, to: encoder.references)
    } else {
      return false
    }
    guard state[...] != entry.state else { return false }
    entry.state = state[...]
    return true
  }

  private func changedRecord(of entry: ObjectEntry) throws(StateCodingError) -> ArchiveRecord? {
    guard entry.references > 0 else { return nil }
    guard case .done = entry.resolution else { return nil }
    try takeState(of: entry)
    guard entry.isChanged || !entry.isStored, entry.state != nil else { return nil }
    entry.isStored = true
    entry.isChanged = false
    return entry.record
  }

  /// Encodes an object's state.
  func takeState(of entry: ObjectEntry) throws(StateCodingError) {
    let state: [UInt8]
    if let node = entry.node {
      state = try node.encoded()
    } else if let restorable = entry.restorable {
      let encoder = RestorationEncoder(self)
      restorable.encodeRestorableState(with: encoder)
      state = try encoder.encoded(keeping: entry.unknown)
      changeNeeds(of: entry, to: encoder.references)
    } else {
      return
    }
    guard state[...] != entry.state else { return }
    if state[...] != entry.stateAtFirst { entry.stamp = stamp(for: entry) }
    entry.state = state[...]
    entry.isChanged = true
  }

  /// The archive's account of itself goes along with other changes, at most once a minute, if nothing
  /// in it must not get lost.
  private func infoIfDue() -> [ArchiveChange] {
    let time = now()
    if !isInfoChanged, let last = infoWrittenAt, (last..<last + 60_000_000).contains(time) { return [] }
    isInfoChanged = false
    infoWrittenAt = time
    var info = ArchiveInfo(schemaVersion: schemaVersion, appVersion: appVersion, savedAt: time)
    info.missedLaunches = missedLaunches
    info.leftDrafts = leftDrafts
    return [.put(key: ArchiveKey.info, bytes: info.encoded())]
  }

  /// What the program refused makes room, and can still be looked at: under the scene's name with `#refused` behind it.
  private func setRefusedAside() {
    guard !refusedArchive.isEmpty else { return }
    let aside = scene + "#refused"
    let former = (try? storage.contents(of: aside).records.byKey) ?? [:]
    storage.write(
      former.keys.filter { refusedArchive[$0] == nil }.sorted().map { .remove(key: $0) }
        + refusedArchive.sorted { $0.key < $1.key }.map { .put(key: $0.key, bytes: $0.value) }, scene: aside)
    storage.write(refusedArchive.keys.sorted().map { .remove(key: $0) }, scene: scene)
    refusedArchive = [:]
  }
}
