import RepriseObjectModel
import RepriseSystem

extension JournalCore {
  func flush(cutsTurns: Bool = true) throws(JournalError) {
    try flush { (disk) throws(JournalError) in
      try write(&disk, cutsTurns: cutsTurns)
      return disk.unflushedSince != nil
    }
  }

  // MARK: Before a checkpoint

  // A save may have moved a change from one draft to another, in one frame. If a checkpoint brings one of these drafts
  // into the tables, a power cut must not take the frame, which has the other draft.

  /// The held journals, which are all flushed, with their names.
  func flushedHeld() throws(JournalError) -> [HeldJournal] {
    while true {
      try flush { disk in
        if disk.heldIsUnflushed { disk.noteNamesOfHeld() }
        return disk.heldIsUnflushed
      }
      // Another thread may have taken over more of them.
      let held = disk.withLock { $0.heldIsUnflushed ? nil : $0.held }
      if let held { return held }
    }
  }

  /// Flushes journals of other processes, and their names.
  func flush(_ others: [JournalContent]) throws(JournalError) {
    do throws(SystemFailure) {
      for other in others { try folder.flushLive(other.journal) }
      if others.contains(where: { !$0.scan.isNameFlushed }) { try folder.synchronize() }
    } catch {
      throw .cannotFlush(path: folder.path, errno: error.errno)
    }
  }

  // MARK: -

  /// Flushes the unflushed files after `prepare`, if that returns true. Returns whether it flushed. If frames wait for
  /// held journals, it flushes these, and calls `prepare` again.
  @discardableResult
  func flush(after prepare: (inout JournalDisk) throws(JournalError) -> Bool) throws(JournalError) -> Bool {
    try flushing.withLock { (_) throws(JournalError) in
      while true {
        let unflushed: Unflushed? = try disk.withLock { disk throws(JournalError) in
          let isWanted = try prepare(&disk)
          guard disk.waitsForHeld else {
            // Another flush of these files would succeed without the bytes.
            if isWanted, disk.isForgotten { try restoreBeforeFlush(&disk) }
            return isWanted ? disk.takeUnflushed() : nil
          }
          try restoreBeforeFlush(&disk)
          return disk.takeUnflushed(withNamesOfHeld: true)
        }
        guard let unflushed else { return false }
        try synchronize(unflushed)
        if !unflushed.hasNamesOfHeld { return true }
      }
    }
  }

  /// A failure delays the next flush. Otherwise the thread would try it again at once, without end.
  private func restoreBeforeFlush(_ disk: inout JournalDisk) throws(JournalError) {
    do throws(JournalError) {
      try restoreLost(&disk)
    } catch {
      if disk.unflushedSince != nil { disk.unflushedSince = options.clock.now() }
      throw error
    }
  }

  private func synchronize(_ unflushed: Unflushed) throws(JournalError) {
    do throws(SystemFailure) {
      try unflushed.own?.synchronize()
      for file in unflushed.held { try file.synchronize() }
      if unflushed.names { try folder.synchronize() }
    } catch {
      let failure = JournalError.cannotFlush(path: folder.path, errno: error.errno)
      let isAbandoned = disk.withLock { disk in
        disk.didNotFlush(unflushed, failure, options.clock.now())
        return disk.isAbandoned
      }
      // Nobody needs these files any more, and the folder may be gone.
      throw isAbandoned ? .closed : failure
    }
    disk.withLock { disk in
      disk.didFlush(unflushed)
      // The file may have been recreated in the meantime.
      guard let file = disk.own.file, file === unflushed.own else { return }
      disk.own.didFlush(upTo: unflushed.end)
      tellFlushed(unflushed, file, &disk)
    }
  }

  /// Writes the durability watermark into the own file, for ``JournalScan``. A failure is ignored, because no edit
  /// depends on it and the next flush writes it again.
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
}
