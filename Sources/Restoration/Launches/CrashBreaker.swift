import RepriseEventStore
import RepriseObjectGraph
import RepriseSystem

/// Leaves out a node whose making ended two launches in a row.
///
/// A first launch notes only that it is restoring, which costs nothing for each node. If it dies, the next launch notes
/// each node before it makes it. If that launch dies too, the next one leaves out the noted node. If the launches still
/// die, because no node or too many nodes are the cause, the archive is set aside.
final class CrashBreaker {
  /// The number of consecutive launches that ended while restoring, after which the next launch restores nothing.
  private static let deathsBeforePlainStart = 4

  /// Whether nothing of the archive is restored.
  private(set) var startsPlainly = false
  private(set) var lastExit = ExitReason.unknown
  private var log: LaunchLog?
  /// Whether any node is watched or left out, which is rare.
  private(set) var isActive = false
  /// Whether each node is noted before it is made.
  private var isWatching = false
  private var quarantine: Set<String> = []
  /// The nesting depth of calls that restore further nodes.
  private var depth = 0

  private let isolation: any Actor

  init(in isolation: any Actor) { self.isolation = isolation }

  /// The scene is about to be restored.
  ///
  /// - Parameter awaitsDisplay: Whether the program reports when it is displayed.
  func begin(_ log: LaunchLog, appVersion: String, awaitsDisplay: Bool) {
    self.log = log
    var quarantine: [String] = []
    var preview: UInt64 = 0
    var deaths = 0
    if let last = log.read() {
      lastExit = last.lastExit
      preview = last.preview
      isWatching = last.diedRestoring
      if last.appVersion == appVersion {
        quarantine = last.quarantine
        if last.diedRestoring {
          deaths = min(last.deaths, Self.deathsBeforePlainStart) + 1
          let ended = last.making.isEmpty ? last.undisplayed : [last.making]
          quarantine += ended.filter { !quarantine.contains($0) }
        }
      }
    }
    startsPlainly = deaths >= Self.deathsBeforePlainStart
    // After such a start, no node of this launch has ended an earlier one.
    if startsPlainly { quarantine = [] }
    isDisplayWatched = isWatching && awaitsDisplay
    self.quarantine = Set(quarantine)
    isActive = isWatching || !quarantine.isEmpty
    log.awaitDisplay(awaitsDisplay)
    log.note {
      $0 = LaunchNote(stage: .restoring, appVersion: appVersion, quarantine: quarantine)
      ($0.process, $0.preview, $0.deaths) = (OwnProcess.id, preview, deaths)
    }
  }

  /// Call this once all nodes and objects that can be made are made.
  func finish() {
    isWatching = false
    isActive = !quarantine.isEmpty
    log?.made()
  }

  /// The archive was not restored after all.
  func giveUp() {
    end()
    log = nil
  }

  /// Restores late nodes, or tries nodes again.
  ///
  /// - Parameter isWatched: Whether each node is noted before it is made.
  func restoringMore<Failure: Error>(isWatched: Bool = false, _ body: () throws(Failure) -> Void) throws(Failure) {
    if isWatched { (isWatching, isActive) = (true, true) }
    if depth == 0 { log?.note { $0.stage = .restoring } }
    depth += 1
    defer {
      depth -= 1
      if depth == 0 { finish() }
    }
    try body()
  }

  // MARK: Displaying

  /// Whether made nodes are noted, because displaying one may end the launch. True after a launch that died.
  private(set) var isDisplayWatched = false
  /// The paths of the lowest undisplayed nodes. If one of two nodes is below the other, the lower one is the likelier
  /// cause of a crash. When a node is displayed, so are all nodes above it, so no path is added later.
  private var undisplayed: Set<String> = []
  /// The paths of the lowest nodes that were undisplayed at first, deepest first. The next write removes displayed
  /// ones.
  private var undisplayedAtFirst: [String] = []
  /// The number of nodes that were displayed since the note was written.
  private var unwritten = 0

  /// These nodes are made, and about to be displayed.
  func willDisplay(_ paths: [NodePath]) {
    let above = Set(paths.compactMap { $0.parent?.text })
    undisplayed = Set(paths.lazy.map(\.text).filter { !above.contains($0) })
    let depths = undisplayed.map { (depth: $0.utf8.count { $0 == UInt8(ascii: "/") }, path: $0) }
    undisplayedAtFirst = depths.heapSorted { $0.depth != $1.depth ? $0.depth > $1.depth : $0.path < $1.path }.map(
      \.path)
    writeUndisplayed()
  }

  /// A node is displayed, and so are the nodes above it.
  func displayed(_ path: NodePath) {
    guard isDisplayWatched else { return }
    var here: NodePath? = path
    while let shown = here {
      if undisplayed.remove(shown.text) != nil { unwritten += 1 }
      here = shown.parent
    }
    if unwritten == 0 { return }
    // If there are many nodes, not every call writes, because each write has all undisplayed nodes. So at most a
    // thirty-second of them is wrongly blamed for the crash of another node in the same turn.
    if unwritten * 32 >= undisplayed.count { return writeUndisplayed() }
    if unwritten == 1 {
      ContextTurn(isolation: isolation).end { if self.isDisplayWatched, self.unwritten > 0 { self.writeUndisplayed() } }
    }
  }

  /// Notes that all nodes are displayed, so the launch has succeeded.
  func displayed() {
    isDisplayWatched = false
    (undisplayed, undisplayedAtFirst) = ([], [])
    log?.awaitDisplay(false)
    log?.note { note in
      if note.stage == .restoring { note.stage = .restored }
      (note.undisplayed, note.deaths) = ([], 0)
    }
  }

  private func writeUndisplayed() {
    unwritten = 0
    undisplayedAtFirst.removeAll { !undisplayed.contains($0) }
    let keys = undisplayedAtFirst.map { ArchiveKey.node($0) }
    log?.note { $0.undisplayed = keys }
  }

  // MARK: Making

  /// Whether a node or an object is in quarantine.
  func holds(_ key: @autoclosure () -> String) -> Bool { isActive && quarantine.contains(key()) }

  /// Makes a node or an object, which may end the process.
  func watching<Made, Failure: Error>(
    _ key: @autoclosure () -> String, _ make: () throws(Failure) -> Made
  ) throws(Failure) -> Made {
    guard isWatching, let log else { return try make() }
    let (key, outer) = (key(), log.making)
    log.note { $0.making = key }
    defer { if outer.isEmpty { log.madeOne() } else { log.note { $0.making = outer } } }
    return try make()
  }

  /// Takes a node or an object out of quarantine. Either a caller requests it, or it was removed and another one may
  /// get its key.
  func release(_ key: @autoclosure () -> String) {
    if isActive, quarantine.remove(key()) != nil { keepQuarantine() }
  }

  func rename(_ key: @autoclosure () -> String, to new: @autoclosure () -> String) {
    guard isActive, quarantine.remove(key()) != nil else { return }
    quarantine.insert(new())
    keepQuarantine()
  }

  private func keepQuarantine() {
    let keys = quarantine.sorted()
    isActive = isWatching || !keys.isEmpty
    log?.note { $0.quarantine = keys }
  }

  // MARK: A preview

  /// If the last launch left a preview, watches for the first change: until then, the preview shows the scene.
  func watchPreview(_ stores: [any DraftStorage]) {
    guard let log, log.hasPreview else { return }
    log.watch(stores)
  }

  /// Watches one more store that screens edit. A change in the store counts as any change.
  func watch(_ store: any DraftStorage) { log?.watch([store]) }

  /// Call this before a preview is written. Then pass the preview to the returned closure. It records that the preview
  /// shows the scene, unless something changed in between.
  func willKeepPreview(_ stores: [any DraftStorage]) -> @Sendable (_ preview: UInt64) -> Void {
    guard let log else { return { _ in } }
    let changes = log.willEnd(stores)
    return { log.kept(preview: $0, changes) }
  }

  // MARK: A clean exit

  /// The scene is released.
  ///
  /// - Parameter isClean: Whether nothing is lost if the process ends from here on.
  func end(isClean: Bool = true) {
    // The next launch may write its note before a later display here.
    isDisplayWatched = false
    log?.end(isClean: isClean)
  }

  /// Call this before the final flush, and the returned closure after it. The closure notes a clean end, unless
  /// something changed in between.
  func willEnd(_ stores: [any DraftStorage]) -> @Sendable () -> Void {
    guard let log else { return {} }
    let changes = log.willEnd(stores)
    return { log.ended(changes) }
  }
}
