import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

extension Journal {
  /// Whether the files exceed the checkpoint threshold.
  package var needsCheckpoint: Bool {
    core.disk.withLock { $0.byteCount > core.options.checkpointThreshold }
  }

  /// Calls `body` on the journal's thread when the files exceed the threshold, and one second after a dead process's
  /// journal was taken over. Repeats the call every five seconds until a checkpoint is done.
  package func whenToCheckpoint(_ body: @escaping @Sendable () -> Void) {
    core.disk.withLock { $0.onCheckpoint = body }
  }

  /// Reserves the right to checkpoint. False while another checkpoint is under way in this process.
  package func takeCheckpointing() -> Bool {
    core.disk.withLock { disk in
      defer { disk.isCheckpointing = true }
      return !disk.isCheckpointing
    }
  }

  package func endCheckpointing() { core.disk.withLock { $0.isCheckpointing = false } }

  /// Seals the file, so that it can be checkpointed. Later entries go into a new one. `nil` if there is nothing to
  /// checkpoint. Flushes, which may take a while.
  ///
  /// Only one checkpoint may run at a time. Abandoning it is safe: the next one starts where the tables are.
  package func beginCheckpoint() throws(JournalError) -> JournalCheckpoint? {
    _ = try core.rotate(cutsTurns: true)
    return try checkpointHeld()
  }

  /// Like ``beginCheckpoint()``, but refuses while a turn is open, whose entries must stay together: then try again
  /// soon.
  package func beginCheckpointBetweenTurns() throws(JournalError) -> (isHeld: Bool, checkpoint: JournalCheckpoint?) {
    guard try core.rotate(cutsTurns: false) else { return (true, nil) }
    return (false, try checkpointHeld())
  }

  /// Like ``beginCheckpoint()``, but only for journals taken over from dead processes: the own file goes on.
  package func beginCheckpointOfHeld() throws(JournalError) -> JournalCheckpoint? { try checkpointHeld() }

  private func checkpointHeld() throws(JournalError) -> JournalCheckpoint? {
    if core.disk.withLock({ $0.held.isEmpty }) { return nil }
    // First, because this takes over the journals of processes that died meanwhile. If they are older than the held
    // ones, they must not be checkpointed later.
    let others = try othersJournals()
    let held = try core.flushedHeld()
    try core.flush(others.filter { other in held.contains { $0.index.sharesTopics(with: other.index) } })
    return JournalCheckpoint(
      held, JournalRecovery(held.map(\.content), tables, core.generations), others: others, core.folder,
      sliceSize: core.options.checkpointSlice)
  }

  /// Removes the checkpointed files. Damaged ones get another name. Call it only once the last slice survives a power
  /// cut.
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
          // Since the checkpoint began, the held file may have replaced the former one: see `restoreLost`.
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

  /// The journals that may have entries of this process.
  package var journals: [UniqueID] { core.disk.withLock { disk in disk.held.map(\.journal) + [disk.own.journal] } }

  /// Records in the transaction of a save that the draft's edits up to this generation are in the log. So recovery
  /// never brings them back. The draft itself stays.
  ///
  /// - Parameter journals: The journals that may have the edits.
  package static func consume(
    _ draft: JournalTopic, upTo generation: UInt64, in journals: [UniqueID], _ tables: StoreTables,
    _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    try DraftRows.consume(draft, upTo: generation, transaction, tables.drafts)
    var consumed = try JournalMarks.consumed(draft, transaction.view, tables.journals)
    for journal in journals { consumed[journal] = max(consumed[journal] ?? 0, generation) }
    try JournalMarks.setConsumed(consumed, draft, transaction, tables.journals)
  }
}

extension JournalCore {
  /// Writes and flushes everything appended so far. Then starts a new own file, and holds the old one for a checkpoint.
  /// False if an open turn prevents it.
  fileprivate func rotate(cutsTurns: Bool) throws(JournalError) -> Bool {
    // Only flushed frames may be marked as checkpointed. A power cut could lose unflushed frames, and their numbers
    // would be used again.
    try flush { (disk) throws(JournalError) in
      guard try write(&disk, isLast: true, cutsTurns: cutsTurns), !disk.waitsForHeld else { return false }
      if let file = disk.own.file, let known = try known(&disk, withTurn: false) {
        queue.withLock { $0.didRotate() }
        let journal = HeldJournal(known, file, isDamaged: !known.scan.damage.isEmpty)
        disk.rotate(journal, to: JournalDisk.Own(UniqueID(), log: log))
      }
      disk.heldIsUnflushed = true
      return true
    }
  }
}
