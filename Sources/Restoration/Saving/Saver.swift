import RepriseEventStore
import RepriseObjectGraph
import RepriseSystem

/// Writes changes at the end of the turn, in one frame with the edits of the turn.
final class Saver {
  private let scene: Scene
  private let changes: TurnChanges
  private let objects: ObjectRegistry
  private let screens: TwoPhaseScreens
  private let drafts: NodeDrafts
  private let report: ReportBuilder
  private let tree: NodeTree
  private let schemaVersion: Int
  private var isTurnOpen = false
  /// Nodes whose state could not be written. The next save tries again.
  private var unkept: [NodeEntry] = []
  private var infoWrittenAt: Int64?
  /// The facts about unread nodes as the archive has them.
  private var writtenParts: ArchiveInfo.Parts?
  /// The records of an archive that is not restored, until they are set aside: at the first save at the latest.
  private var refusedArchive: [String: [UInt8]] = [:]
  /// The refused states of objects that several scenes share.
  private var refusedObjects: [String: [UInt8]] = [:]

  init(
    _ scene: Scene, _ changes: TurnChanges, _ objects: ObjectRegistry, _ screens: TwoPhaseScreens, _ drafts: NodeDrafts,
    _ report: ReportBuilder, _ tree: NodeTree, schemaVersion: Int
  ) {
    self.scene = scene
    self.changes = changes
    self.objects = objects
    self.screens = screens
    self.drafts = drafts
    self.report = report
    self.tree = tree
    self.schemaVersion = schemaVersion
  }

  /// Notes that the archive is restored, and has these facts about unread nodes.
  func restores(_ parts: ArchiveInfo.Parts?) { writtenParts = parts }

  /// Notes that the archive is not restored, so that the first save sets it aside.
  func refuse(_ records: SceneNodes) {
    refusedArchive = records.byKey
    // Copied now, because other scenes may soon write newer states.
    for record in objects.sharedRecords(newerThan: records) { refusedObjects[record.key] = record.encoded() }
  }

  func forgetUnkept() { unkept = [] }

  func save() throws(RestorationError) {
    try scene.requireRestored()
    if scene.isReadOnly { return }
    if let reason = scene.storage.reasonNotToWrite { throw .store(reason) }
    screens.markAll()
    objects.markAll()
    for entry in unkept { changes.mark(entry) }
    unkept = []
    if let problem = writeChanges().first { throw problem }
  }

  /// Takes the states of nodes that are made again. Writes them now if possible, otherwise with the next save.
  func takeStates(of nodes: [NodeEntry]) throws(RestorationError) {
    guard scene.isReadOnly || objects.handover != nil else { return try save() }
    var problem: RestorationError?
    for entry in nodes {
      do throws(StateCodingError) {
        // A new request comes only after it is written.
        if try takeState(of: entry) || entry.isMoved { entry.isRearranged = true }
        entry.unmigrated = nil
        if !scene.isReadOnly { changes.mark(entry) }
      } catch {
        problem = problem ?? .state(entry.path.text, reason: error.description)
      }
    }
    if let problem { throw problem }
  }

  /// Keeps the journal's frame open within this turn, and writes at its end.
  ///
  /// - Parameter owner: Held until then, so that nothing is lost if the program lets go of it within this turn.
  func schedule(holding owner: AnyObject) {
    let isDue = objects.hasBackReferences || !scene.isReadOnly && !changes.isEmpty
    guard scene.phase == .restored, isDue, !isTurnOpen else { return }
    isTurnOpen = true
    // The state from before the store was closed is still written.
    let reasonNotToWrite = scene.storage.reasonNotToWrite
    scene.storage.openTurn(in: scene.isolation)
    ContextTurn(isolation: scene.isolation).end { [self] in
      objects.fillBackReferences()
      for problem in writeChanges() { scene.onProblem?(problem) }
      if let reasonNotToWrite { scene.onProblem?(.store(reasonNotToWrite)) }
      isTurnOpen = false
      scene.storage.closeTurn(in: scene.isolation)
      schedule(holding: owner)
    }
  }

  /// Writes the marked entries. Returns the errors of entries that could not be written.
  func writeChanges() -> [RestorationError] {
    guard objects.handover == nil, !scene.isReadOnly else { return [] }
    var problems: [RestorationError] = []
    var written: [ArchiveChange] = []
    // Nodes come first, because their references decide which objects are archived.
    repeat {
      writeNodes(&written, &problems)
      writeObjects(&written, &problems)
    } while changes.hasNodes
    let removed = changes.takeRemovedKeys()
    if written.isEmpty && removed.isEmpty && !changes.isInfoChanged { return problems }
    setRefusedAside()
    if !removed.isEmpty {
      let put = Set(written.map { if case .put(let key, _) = $0 { key } else { "" } })
      written = removed.subtracting(put).sorted().map { .remove(key: $0) } + written
    }
    written += infoIfDue()
    scene.storage.write(written, scene: scene.name)
    return problems
  }

  private func writeNodes(_ written: inout [ArchiveChange], _ problems: inout [RestorationError]) {
    // Encoding marks nodes that are referred to for the first time.
    changes.takeNodes { entry in
      guard entry.status != .closed, !entry.isOpaque else { return }
      guard entry.status == .live || entry.isMoved || entry.isRearranged else { return }
      var isChanged = entry.isMoved || entry.isRearranged || !entry.isStored
      do throws(StateCodingError) {
        if try takeState(of: entry) { isChanged = true }
        entry.isMoved = false
        entry.unmigrated = nil
      } catch {
        problems.append(.state(entry.path.text, reason: error.description))
        unkept.append(entry)
        // The record with the last good state may no longer be under its former key.
        guard entry.isRearranged, entry.isStored else { return }
      }
      if isChanged { written.append(put(entry.record)) }
      if !entry.isStored { tree.storedCount += 1 }
      entry.recordPlace = .atPath
      entry.isRearranged = false
    }
  }

  private func writeObjects(_ written: inout [ArchiveChange], _ problems: inout [RestorationError]) {
    while let entry = changes.takeObject() {
      // A shared archive can get a new name only after this scene has left it.
      if entry.references > 0 { setRefusedAside() }
      do throws(StateCodingError) {
        if let record = try objects.changedRecord(of: entry) { written.append(put(record)) }
      } catch {
        problems.append(.state(entry.key, reason: error.description))
      }
    }
  }

  private func put(_ record: ArchiveRecord) -> ArchiveChange { .put(key: record.key, bytes: record.encoded()) }

  /// Encodes a node's state. True if it differs from the last written one.
  private func takeState(of entry: NodeEntry) throws(StateCodingError) -> Bool {
    let state: [UInt8]
    if let node = entry.node {
      state = try node.encoded()
    } else if let screen = entry.screen as? any RestorableScreen {
      let encoder = RestorationEncoder(objects)
      screen.encodeRestorableState(with: encoder)
      state = try encoder.encoded(keeping: entry.unknown)
      let needs = entry.needsOfKind
      objects.changeNeeds(of: entry, to: needs + encoder.references.filter { !needs.contains($0) })
    } else {
      return false
    }
    guard state[...] != entry.state else { return false }
    entry.state = state[...]
    return true
  }

  /// The archive's info, which is written with other changes. Once a minute at most, except where it must be written.
  private func infoIfDue() -> [ArchiveChange] {
    let time = scene.now()
    let isPressing = changes.isInfoChanged || tree.parts != writtenParts
    if !isPressing, let last = infoWrittenAt, (last..<last + 60_000_000).contains(time) { return [] }
    changes.infoWasWritten()
    infoWrittenAt = time
    var info = ArchiveInfo(schemaVersion: schemaVersion, appVersion: scene.appVersion, savedAt: time)
    info.systemVersion = SystemVersion.text()
    info.missed = report.missed(at: time)
    info.leftDrafts = drafts.allLeft
    info.parts = tree.parts
    writtenParts = info.parts
    return [.put(key: ArchiveKey.info, bytes: info.encoded())]
  }

  /// Moves an archive aside that is not restored, so that programs can still read it. The states that it shares with
  /// other scenes are copied.
  func setRefusedAside() {
    guard !refusedArchive.isEmpty else { return }
    let records = refusedArchive.merging(refusedObjects) { $1 }
    scene.storage.write(
      records.heapSorted { $0.key < $1.key }.map { .put(key: $0.key, bytes: $0.value) }, scene: nameForRefused())
    scene.storage.write(refusedArchive.keys.sorted().map { .remove(key: $0) }, scene: scene.name)
    objects.leaveAllShared()
    (refusedArchive, refusedObjects) = ([:], [:])
  }

  /// The first name that no archive has.
  private func nameForRefused() -> String {
    for number in 1...1_000 {
      let name = RefusedName(scene.name, Int64(number)).text
      // An unreadable archive may belong to another program.
      if let records = try? scene.storage.contents(of: name).all().byKey, records.isEmpty { return name }
    }
    return RefusedName(scene.name, scene.now()).text
  }
}
