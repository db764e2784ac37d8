import RepriseLMDB
import RepriseSystem
import RepriseObjectModel

/// What the journal and its thread share.
///
/// Three locks, taken in this order: `flushing`, `disk`, `queue`. Who appends takes the last only, so it never waits
/// for the disk.
final class JournalCore: Sendable {
  let log: UniqueID
  let folder: JournalFolder
  let options: JournalOptions
  let generations: GenerationCounter
  let claims: Claims
  /// One flush at a time: of two, the system tells only one that it failed.
  private let flushing = Guarded(())
  let disk: Guarded<JournalDisk>
  let queue: Guarded<JournalQueue>

  init(
    log: UniqueID, folder: JournalFolder, options: JournalOptions, generations: GenerationCounter, claims: Claims,
    disk: JournalDisk, map: SchemaMap
  ) {
    self.log = log
    self.folder = folder
    self.options = options
    self.generations = generations
    self.claims = claims
    self.disk = Guarded(disk)
    queue = Guarded(JournalQueue(map: map, entryLimit: options.entryLimit))
  }

  // MARK: Appending

  func append(_ entries: [JournalEntry]) {
    var failures: [JournalError] = []
    let isFirst = queue.withLock { queue in
      guard !queue.isClosed else {
        failures.append(.closed)
        return false
      }
      for entry in entries {
        do throws(JournalError) { try queue.append(entry) } catch { failures.append(error) }
      }
      return wait(&queue)
    }
    if isFirst { options.clock.wake() }
    for failure in failures { options.onError(failure) }
  }

  /// Starts the wait for the frame's end; whether it began.
  private func wait(_ queue: inout JournalQueue) -> Bool {
    guard queue.first == nil, !queue.frame.isEmpty else { return false }
    queue.first = options.clock.now()
    startThread(&queue)
    return true
  }

  private func startThread(_ queue: inout JournalQueue) {
    if !queue.isRunning { queue.isRunning = options.clock.start { self.run() } }
  }

  func endFrame() { queue.withLock { $0.endFrame() } }

  func openTurn() { queue.withLock { $0.openTurns += 1 } }

  func closeTurn() {
    let isLast = queue.withLock { queue in
      queue.openTurns = max(0, queue.openTurns - 1)
      return queue.openTurns == 0 && !queue.isEmpty
    }
    if isLast { options.clock.wake() }
  }

  // MARK: The thread

  private func run() {
    while true {
      let (isClosed, due) = step()
      if isClosed { return }
      options.clock.wait(until: due)
    }
  }

  /// Does what is due; when the next thing is.
  private func step() -> (isClosed: Bool, due: UInt64?) {
    if queue.withLock({ $0.isClosed }) { return (true, nil) }
    if let due = writeDue(), due <= options.clock.now() {
      do throws(JournalError) {
        try write(cutsTurns: false)
      } catch {
        if error != .closed { options.onError(error) }
      }
    }
    letGoOfWhatWasLeft()
    mustCheckpoint()?()
    let flushDue = disk.withLock { $0.flushDue(options) }
    if let flushDue, flushDue <= options.clock.now() { flushBeside() }
    return (false, [writeDue(), disk.withLock { $0.nextDue(options) }].compactMap { $0 }.min())
  }

  /// Whom to tell that it is time to checkpoint.
  private func mustCheckpoint() -> (@Sendable () -> Void)? {
    disk.withLock { disk in
      let now = options.clock.now()
      let isFull =
        disk.byteCount > options.checkpointThreshold && disk.toldCheckpointAt.map { now >= $0 + 5_000_000_000 } ?? true
      guard isFull || disk.checkpointDue.map({ now >= $0 }) ?? false else { return nil }
      disk.toldCheckpointAt = now
      // Again if it fails; once it is done, nothing waits any more.
      if disk.checkpointDue != nil { disk.checkpointDue = now + 5_000_000_000 }
      return disk.onCheckpoint
    }
  }

  /// What was taken over from dead processes goes into the tables, where every process finds it. Not at once: a process
  /// that starts has better things to do.
  func checkpointSoon() {
    let isFirst = disk.withLock { disk in
      // Nobody knows what the dead process had flushed.
      disk.heldIsUnflushed = true
      disk.unflushedSince = disk.unflushedSince ?? options.clock.now()
      guard disk.checkpointDue == nil else { return false }
      disk.checkpointDue = options.clock.now() + options.checkpointDelay
      return true
    }
    guard isFirst else { return }
    queue.withLock { startThread(&$0) }
    options.clock.wake()
  }

  /// Drafts and scenes that nobody here has any more may be another process's as soon as all of them can be read.
  func letGoOfWhatWasLeft() {
    guard claims.hasLeaving else { return }
    if disk.withLock({ isWritten($0) }) { claims.letGo() }
  }

  /// As ``letGoOfWhatWasLeft()``, for whoever cannot wait for a disk: else the thread does so behind its next write.
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
      do throws(JournalError) { try writeSealed(&disk, looksAtFiles: true) } catch { options.onError(error) }
    }
    options.clock.detach {
      do throws(JournalError) { try self.flush { _ in true } } catch { self.options.onError(error) }
      self.disk.withLock { $0.isFlushing = false }
      self.options.clock.wake()
    }
  }

  // MARK: Writing

  /// What was appended goes into the file: everything, or unless `cutsTurns` what is not of a turn that is open.
  func write(cutsTurns: Bool = true) throws(JournalError) {
    try disk.withLock { disk throws(JournalError) in _ = try write(&disk, cutsTurns: cutsTurns) }
  }

  /// What was appended goes into the file; unless `cutsTurns`, not in the middle of a turn. Whether it went.
  @discardableResult
  func write(_ disk: inout JournalDisk, isLast: Bool = false, cutsTurns: Bool = true) throws(JournalError) -> Bool {
    if disk.isAbandoned { throw .closed }
    let isSealed = seal(&disk, isLast: isLast, cutsTurns: cutsTurns)
    try writeSealed(&disk)
    return isSealed
  }

  /// `looksAtFiles`: also where there is nothing to write.
  private func writeSealed(_ disk: inout JournalDisk, looksAtFiles: Bool = false) throws(JournalError) {
    guard !disk.unwritten.isEmpty || looksAtFiles || disk.retryAt != nil || disk.isForgotten else { return }
    do throws(JournalError) {
      try restoreLost(&disk)
      if !disk.unwritten.isEmpty { try writeUnwritten(&disk) }
    } catch {
      // What a failed write left is cut at once, or else before the next one.
      if let file = disk.own.file { try? cutTail(&disk, file) }
      disk.retryAt = options.clock.now() + options.retryInterval
      disk.lastError = error
      throw error
    }
    disk.retryAt = nil
    disk.lastError = nil
  }

  private func writeUnwritten(_ disk: inout JournalDisk) throws(JournalError) {
    try writeAtEnd(disk.unwritten, of: try ownFile(&disk), &disk)
    disk.own.written = disk.own.nextNumber - 1
    disk.unwritten = []
    disk.own.known = nil
    disk.unflushedSince = disk.unflushedSince ?? options.clock.now()
  }

  private func writeAtEnd(
    _ bytes: [UInt8], of file: any JournalFile, _ disk: inout JournalDisk
  ) throws(JournalError) {
    try cutTail(&disk, file)
    disk.own.hasTail = true
    let end = disk.own.end
    try writing(disk.own.journal) { () throws(SystemFailure) in try file.writeAll(bytes, at: end) }
    disk.own.hasTail = false
    disk.own.didWrite(bytes)
  }

  /// The waiting entries become frames, the last for this file if so told; false if a turn holds some back.
  private func seal(_ disk: inout JournalDisk, isLast: Bool, cutsTurns: Bool) -> Bool {
    let now = options.clock.wallTime()
    let (frames, isHeld) = queue.withLock { queue in
      let taken = queue.take(options, cutsTurns: cutsTurns)
      if isLast && !taken.isHeld { queue.beginEpoch() }
      return taken
    }
    for frame in frames {
      let time = max(now, disk.lastTime + 1)
      add(frame.payload(time: time), time, to: &disk)
    }
    return !isHeld
  }

  private func add(_ payload: [UInt8], _ time: UInt64, to disk: inout JournalDisk) {
    JournalFormat.frame(disk.own.nextNumber, payload, seed: disk.own.seed, to: &disk.unwritten)
    disk.own.nextNumber += 1
    disk.lastTime = time
  }

  private func ownFile(_ disk: inout JournalDisk) throws(JournalError) -> any JournalFile {
    if let file = disk.own.file { return file }
    do throws(SystemFailure) {
      let file = try folder.create(disk.own.journal, options.file, log: log)
      disk.own.file = file
      disk.namesAreUnflushed = true
      return file
    } catch {
      throw .cannotCreate(path: folder.path(JournalFolder.name(disk.own.journal)), errno: error.errno)
    }
  }

  private func cutTail(_ disk: inout JournalDisk, _ file: any JournalFile) throws(JournalError) {
    guard disk.own.hasTail else { return }
    let end = disk.own.end
    try writing(disk.own.journal) { () throws(SystemFailure) in try file.truncate(to: end) }
    disk.own.hasTail = false
  }

  private func writing(_ journal: UniqueID, _ body: () throws(SystemFailure) -> Void) throws(JournalError) {
    do throws(SystemFailure) {
      try body()
    } catch {
      throw .cannotWrite(path: folder.path(JournalFolder.name(journal)), errno: error.errno)
    }
  }

  // MARK: Flushing

  func flush(cutsTurns: Bool = true) throws(JournalError) {
    try flush { (disk) throws(JournalError) in
      try write(&disk, cutsTurns: cutsTurns)
      return disk.unflushedSince != nil
    }
  }

  /// Flushes what `prepare` leaves unflushed, if it says so; whether it did.
  @discardableResult
  func flush(after prepare: (inout JournalDisk) throws(JournalError) -> Bool) throws(JournalError) -> Bool {
    try flushing.withLock { (_) throws(JournalError) in
      let unflushed: Unflushed? = try disk.withLock { disk throws(JournalError) in
        try prepare(&disk) ? disk.takeUnflushed() : nil
      }
      guard let unflushed else { return false }
      try synchronize(unflushed)
      return true
    }
  }

  private func synchronize(_ unflushed: Unflushed) throws(JournalError) {
    do throws(SystemFailure) {
      try unflushed.own?.synchronize()
      for file in unflushed.held { try file.synchronize() }
      if unflushed.names { try folder.synchronize() }
    } catch {
      let failure = JournalError.cannotFlush(path: folder.path, errno: error.errno)
      disk.withLock { $0.didNotFlush(unflushed, failure, options.clock.now()) }
      throw failure
    }
    disk.withLock { disk in
      // Or it was made again meanwhile.
      guard let file = disk.own.file, file === unflushed.own else { return }
      disk.own.didFlush(upTo: unflushed.end)
      tellFlushed(unflushed, file, &disk)
    }
  }

  /// Says in the own file how far it is flushed, for ``JournalScan``. Where that cannot be written the next flush says
  /// it: nothing that was typed hangs on it.
  private func tellFlushed(_ flushed: Unflushed, _ file: any JournalFile, _ disk: inout JournalDisk) {
    guard flushed.written > disk.own.flushed, disk.unwritten.isEmpty, !disk.isAbandoned else { return }
    var bytes: [UInt8] = []
    let time = max(options.clock.wallTime(), disk.lastTime + 1)
    let payload = JournalFormat.flushed(upTo: flushed.written, time: time)
    JournalFormat.frame(disk.own.nextNumber, payload, seed: disk.own.seed, to: &bytes)
    do throws(JournalError) { try writeAtEnd(bytes, of: file, &disk) } catch { return }
    disk.own.nextNumber += 1
    disk.own.flushed = flushed.written
    disk.lastTime = time
  }

  // MARK: The end

  /// Gives up files and locks, whatever was not written.
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

extension JournalFile {
  func writeAll(_ bytes: [UInt8], at offset: Int) throws(SystemFailure) {
    var failure: SystemFailure?
    bytes.withUnsafeBytes { all in
      do throws(SystemFailure) { try write(all, at: offset) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
