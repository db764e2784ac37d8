import RepriseObjectModel
import RepriseSystem

extension JournalCore {
  /// Writes the appended entries to the file. Without `cutsTurns`, an open turn's entries may be held back.
  func write(cutsTurns: Bool = true) throws(JournalError) {
    let mustWait = try disk.withLock { disk throws(JournalError) in
      try write(&disk, cutsTurns: cutsTurns)
      return disk.waitsForHeld
    }
    if !mustWait { return }
    do throws(JournalError) {
      try flush { (disk) throws(JournalError) in
        try write(&disk, cutsTurns: cutsTurns)
        return false
      }
    } catch {
      disk.withLock { $0.retryAt = options.clock.now() + options.retryInterval }
      throw error
    }
  }

  /// Writes the appended entries to the file. Returns whether all of them went. Without `cutsTurns`, an open turn's
  /// entries may be held back.
  @discardableResult
  func write(_ disk: inout JournalDisk, isLast: Bool = false, cutsTurns: Bool = true) throws(JournalError) -> Bool {
    if disk.isAbandoned { throw .closed }
    let isSealed = seal(&disk, isLast: isLast, cutsTurns: cutsTurns)
    try writeSealed(&disk)
    return isSealed
  }

  /// If the frames wait for held journals, it writes nothing, and the thread does so soon. With `looksAtFiles`, lost
  /// files are recreated even if there is nothing to write.
  func writeSealed(_ disk: inout JournalDisk, looksAtFiles: Bool = false) throws(JournalError) {
    if disk.waitsForHeld {
      disk.retryAt = disk.retryAt ?? options.clock.now()
      return options.clock.wake()
    }
    guard !disk.unwritten.isEmpty || looksAtFiles || disk.retryAt != nil || disk.isForgotten else { return }
    do throws(JournalError) {
      try restoreLost(&disk)
      if !disk.unwritten.isEmpty { try writeUnwritten(&disk) }
    } catch {
      // The bytes of a failed write are truncated now, or, if that fails too, before the next write.
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

  func writeAtEnd(
    _ bytes: [UInt8], of file: any JournalFile, _ disk: inout JournalDisk
  ) throws(JournalError) {
    try cutTail(&disk, file)
    disk.own.hasTail = true
    let end = disk.own.end
    try writing(disk.own.journal) { () throws(SystemFailure) in try file.writeAll(bytes, at: end) }
    disk.own.hasTail = false
    disk.own.didWrite(bytes)
  }

  /// Seals the waiting entries into frames. False if a turn holds some back. With `isLast`, they are the last for this
  /// file.
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
}
