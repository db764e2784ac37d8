import RepriseLog
import RepriseObjectModel
import RepriseSystem
import Synchronization

/// The state that the journal and its thread share.
///
/// Three locks, taken in this order: `flushing`, `disk`, `queue`. Appending takes the last only, so it never waits for
/// the disk.
package final class JournalCore: Sendable {
  let log: UniqueID
  let folder: JournalFolder
  package let options: JournalOptions
  package let generations: GenerationCounter
  let claims: Claims
  let launches: SceneNote
  /// One flush at a time: the system reports a failure to only one of two concurrent flushes.
  let flushing = Guarded(())
  let disk: Guarded<JournalDisk>
  let queue: Guarded<JournalQueue>
  /// Whether a checkpoint is scheduled, and its thread not started yet.
  private let awaitsThread = Atomic<Bool>(false)

  init(
    log: UniqueID, folder: JournalFolder, options: JournalOptions, generations: GenerationCounter, claims: Claims,
    disk: JournalDisk, map: SchemaMap
  ) {
    self.log = log
    self.folder = folder
    self.options = options
    self.generations = generations
    self.claims = claims
    launches = SceneNote(launchesIn: folder)
    self.disk = Guarded(disk)
    queue = Guarded(JournalQueue(map: map, entryLimit: options.entryLimit))
  }

  // MARK: Appending

  func append(_ entries: [JournalEntry]) {
    var failures: [JournalError] = []
    var told: [@Sendable () -> Void] = []
    let isFirst = queue.withLock { queue in
      guard !queue.isClosed else {
        failures.append(.closed)
        return false
      }
      if !queue.onNextAppend.isEmpty { swap(&told, &queue.onNextAppend) }
      for entry in entries {
        do throws(JournalError) { try queue.append(entry) } catch { failures.append(error) }
      }
      return wait(&queue)
    }
    if isFirst { options.clock.wake() }
    for body in told { body() }
    for failure in failures { report(failure) }
  }

  /// Starts the frame's delay, if it is not running. Returns whether it started it.
  private func wait(_ queue: inout JournalQueue) -> Bool {
    guard queue.first == nil, !queue.frame.isEmpty else { return false }
    queue.first = options.clock.now()
    startThread(&queue)
    return true
  }

  private func startThread(_ queue: inout JournalQueue) {
    awaitsThread.store(false, ordering: .relaxed)
    if !queue.isRunning { queue.isRunning = options.clock.start { self.run() } }
  }

  func endFrame() { queue.withLock { $0.endFrame() } }

  func endFrame(besides isolation: (any Actor)?) -> Bool {
    queue.withLock { queue in
      if queue.hasTurn(besides: isolation) { return false }
      queue.endFrame()
      return true
    }
  }

  func openTurn(_ isolation: (any Actor)?) { queue.withLock { $0.openTurn(isolation) } }

  func closeTurn(_ isolation: (any Actor)?) {
    let isLast = queue.withLock { queue in
      guard queue.closeTurn(isolation), !queue.isEmpty else { return false }
      // The next turn may begin before the thread runs. It does not delay the entries that have waited for this turn.
      if let due = queue.due(options), due <= options.clock.now() { queue.endFrame() }
      return true
    }
    if isLast { options.clock.wake() }
  }

  private func report(_ failure: JournalError) {
    options.onError(failure)
    let body = queue.withLock { queue in
      if queue.reported == failure { return nil as (@Sendable (JournalError) -> Void)? }
      queue.reported = failure
      return queue.onFailure
    }
    body?(failure)
  }

  // MARK: The thread

  private func run() {
    while true {
      let (isClosed, due) = step()
      if isClosed { return }
      options.clock.wait(until: due)
    }
  }

  /// Does the due work, and returns when to run next.
  private func step() -> (isClosed: Bool, due: UInt64?) {
    if queue.withLock({ $0.isClosed }) { return (true, nil) }
    if let due = writeDue(), due <= options.clock.now() {
      do throws(JournalError) {
        try write(cutsTurns: false)
        queue.withLock { $0.reported = nil }
      } catch {
        if error != .closed { report(error) }
      }
    }
    letGoOfWhatWasLeft()
    mustCheckpoint()?()
    let flushDue = disk.withLock { $0.flushDue(options) }
    if let flushDue, flushDue <= options.clock.now() { flushBeside() }
    return (false, [writeDue(), disk.withLock { $0.nextDue(options) }].compactMap { $0 }.min())
  }

  /// The callback to run if a checkpoint is due.
  private func mustCheckpoint() -> (@Sendable () -> Void)? {
    disk.withLock { disk in
      let now = options.clock.now()
      let isFull =
        disk.byteCount > options.checkpointThreshold && disk.toldCheckpointAt.map { now >= $0 + 5_000_000_000 } ?? true
      guard isFull || disk.checkpointDue.map({ now >= $0 }) ?? false else { return nil }
      disk.toldCheckpointAt = now
      // The next checkpoint is scheduled now, in case this one fails. A completed checkpoint clears the schedule.
      if disk.checkpointDue != nil { disk.checkpointDue = now + 5_000_000_000 }
      return disk.onCheckpoint
    }
  }

  /// Schedules the checkpoint of journals taken over from dead processes, so that every process finds their content in
  /// the tables. It is delayed, so that it does not slow down the start of a process; and so is its thread. While a
  /// process has one thread, a page that is touched for the first time interrupts no other processor.
  func checkpointSoon() {
    let isFirst = disk.withLock { disk in
      disk.unflushedSince = disk.unflushedSince ?? options.clock.now()
      guard disk.checkpointDue == nil else { return false }
      disk.checkpointDue = options.clock.now() + options.checkpointDelay
      return true
    }
    guard isFirst else { return }
    awaitsThread.store(true, ordering: .relaxed)
    options.clock.afterTurn { [weak self] in self?.startAwaitedThread() }
  }

  /// Starts the thread of a scheduled checkpoint if that is due: the main actor's turn may never end.
  func startOverdueThread() {
    guard awaitsThread.load(ordering: .relaxed) else { return }
    let due = disk.withLockIfAvailable { $0.checkpointDue } ?? nil
    if let due, due <= options.clock.now() { startAwaitedThread() }
  }

  private func startAwaitedThread() {
    guard awaitsThread.load(ordering: .relaxed) else { return }
    queue.withLock { if !$0.isClosed { startThread(&$0) } }
    options.clock.wake()
  }

  /// Releases drafts and scenes that were left, once all their entries are written, where another process can read
  /// them.
  func letGoOfWhatWasLeft() {
    guard claims.hasLeaving else { return }
    if disk.withLock({ isWritten($0) }) { claims.letGo() }
  }

  /// Like ``letGoOfWhatWasLeft()``, but without waiting for the disk: if it is busy, the thread does it after its next
  /// write.
  func letGoSoon() {
    if disk.withLockIfAvailable({ isWritten($0) }) ?? false { return claims.letGo() }
    queue.withLock { startThread(&$0) }
    options.clock.wake()
  }

  private func isWritten(_ disk: JournalDisk) -> Bool { disk.unwritten.isEmpty && queue.withLock { $0.isEmpty } }

  private func writeDue() -> UInt64? {
    if let retryAt = disk.withLock({ $0.retryAt }) { return retryAt }
    return queue.withLock { $0.due(options) }
  }

  private func flushBeside() {
    disk.withLock { disk in
      disk.isFlushing = true
      do throws(JournalError) { try writeSealed(&disk, looksAtFiles: true) } catch { report(error) }
    }
    options.clock.detach {
      do throws(JournalError) { try self.flush { _ in true } } catch { if error != .closed { self.report(error) } }
      self.disk.withLock { $0.isFlushing = false }
      self.options.clock.wake()
    }
  }

  // MARK: The end

  /// Releases files and locks, even if entries are unwritten.
  func abandon() {
    queue.withLock { $0.isClosed = true }
    disk.withLock { disk in
      disk.isAbandoned = true
      claims.close()
      disk.own.file?.close()
      disk.own.file = nil
      for journal in disk.held { journal.file.close() }
      disk.held = []
      disk.unwritten = []
      disk.retryAt = nil
      disk.unflushedSince = nil
      disk.checkpointDue = nil
    }
    options.clock.wake()
  }
}
