import RepriseLMDB
import RepriseObjectModel

extension Journal {
  /// Whether the files have grown beyond the threshold.
  package var needsCheckpoint: Bool {
    core.disk.withLock { $0.byteCount > core.options.checkpointThreshold }
  }

  /// Calls `body`, on the journal's thread, when the files have grown beyond the threshold, and a second after a
  /// journal was taken over from a dead process; again every five seconds as long as that is so.
  package func whenToCheckpoint(_ body: @escaping @Sendable () -> Void) {
    core.disk.withLock { $0.onCheckpoint = body }
  }

  /// For whoever checkpoints: false while somebody else does.
  package func takeCheckpointing() -> Bool {
    core.disk.withLock { disk in
      defer { disk.isCheckpointing = true }
      return !disk.isCheckpointing
    }
  }

  package func endCheckpointing() { core.disk.withLock { $0.isCheckpointing = false } }

  /// Closes the file for writing, so that it can go into the tables; what is appended from now on goes into a new one.
  /// `nil` if there is nothing to checkpoint. Flushes, which may take a while.
  ///
  /// One checkpoint at a time. One that is given up costs nothing: the next begins where the tables are.
  package func beginCheckpoint() throws(JournalError) -> JournalCheckpoint? {
    _ = try core.rotate(cutsTurns: true)
    return try checkpointHeld()
  }

  /// As ``beginCheckpoint()``, unless a turn is open, whose entries must stay together: then try again soon.
  package func beginCheckpointBetweenTurns() throws(JournalError) -> (isHeld: Bool, checkpoint: JournalCheckpoint?) {
    guard try core.rotate(cutsTurns: false) else { return (true, nil) }
    return (false, try checkpointHeld())
  }

  /// As ``beginCheckpoint()``, of what was taken over only: the own file goes on.
  package func beginCheckpointOfHeld() throws(JournalError) -> JournalCheckpoint? {
    // What one draft gave to another must not be in the tables for the one, and lost from the file for the other.
    try core.flush { $0.heldIsUnflushed }
    return try checkpointHeld()
  }

  private func checkpointHeld() throws(JournalError) -> JournalCheckpoint? {
    let held = core.disk.withLock { $0.held }
    if held.isEmpty { return nil }
    return JournalCheckpoint(
      held, JournalRecovery(held.map(\.content), tables, core.generations), others: try othersJournals(), core.folder,
      sliceSize: core.options.checkpointSlice)
  }

  /// Removes the files that are checkpointed; damaged ones are kept under another name. Call it when the last slice
  /// survives a power cut, not before.
  package func didCheckpoint(_ checkpoint: JournalCheckpoint) throws(JournalError) {
    guard checkpoint.isDone else { return }
    var failure: JournalError?
    core.disk.withLock { disk in
      for journal in checkpoint.journals {
        guard let place = disk.held.firstIndex(where: { $0.journal == journal.journal }) else { continue }
        do throws(SystemFailure) {
          if journal.isDamaged {
            try core.folder.setAside(journal.journal)
          } else {
            try core.folder.remove(journal.journal)
          }
          // Not always the one that the checkpoint began with: see `restoreLost`.
          disk.held.remove(at: place).file.close()
        } catch {
          let path = core.folder.path(JournalFolder.name(journal.journal))
          failure = .cannotRemove(path: path, errno: error.errno)
        }
      }
      if disk.held.isEmpty { disk.checkpointDue = nil }
    }
    if let failure { throw failure }
  }

  /// Records, in the transaction of a save, that the draft's edits up to this generation are in the log. From then on
  /// no journal and no row brings them back. The draft itself stays.
  package func consume(
    _ draft: String, upTo generation: UInt64, in transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    try DraftRows.consume(draft, upTo: generation, transaction, tables.drafts)
    var consumed = try JournalMarks.consumed(draft, transaction.view, tables.journals)
    let journals = core.disk.withLock { disk in disk.held.map(\.journal) + [disk.own.journal] }
    for journal in journals { consumed[journal] = max(consumed[journal] ?? 0, generation) }
    try JournalMarks.setConsumed(consumed, draft, transaction, tables.journals)
  }
}

extension JournalCore {
  /// Everything appended so far goes into the own file, which then becomes one of those that are held; false if a turn
  /// is in the way.
  fileprivate func rotate(cutsTurns: Bool) throws(JournalError) -> Bool {
    // No frame may be counted as checkpointed that a power cut could still take and whose number would be given again.
    try flush { (disk) throws(JournalError) in
      guard try write(&disk, isLast: true, cutsTurns: cutsTurns) else { return false }
      if let file = disk.own.file, let known = try known(&disk, withTurn: false) {
        queue.withLock { $0.didRotate() }
        disk.held.append(HeldJournal(known, file, isDamaged: !known.scan.damage.isEmpty))
        disk.own = JournalDisk.Own(UniqueID(), log: log)
      }
      disk.heldIsUnflushed = true
      return true
    }
  }
}
