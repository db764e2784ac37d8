import RepriseLMDB
import RepriseObjectModel

extension Journal {
  /// Whether the files have grown beyond the threshold.
  package var needsFolding: Bool {
    core.disk.withLock { $0.byteCount > core.options.foldThreshold }
  }

  /// Calls `body`, on the journal's thread, when the files have grown beyond the threshold, and a second after a
  /// journal was taken over from a dead process; again every five seconds as long as that is so.
  package func whenToFold(_ body: @escaping @Sendable () -> Void) { core.disk.withLock { $0.onFold = body } }

  /// For whoever folds: false while somebody else does.
  package func takeFolding() -> Bool {
    core.disk.withLock { disk in
      defer { disk.isFolding = true }
      return !disk.isFolding
    }
  }

  package func endFolding() { core.disk.withLock { $0.isFolding = false } }

  /// Closes the file for writing, so that it can go into the tables; what is appended from now on goes into a new one.
  /// `nil` if there is nothing to fold. Flushes, which may take a while.
  ///
  /// One fold at a time. One that is given up costs nothing: the next begins where the tables are.
  package func beginFold() throws(JournalError) -> JournalFold? {
    _ = try core.rotate(cutsTurns: true)
    return try foldHeld()
  }

  /// As ``beginFold()``, unless a turn is open, whose entries must stay together: then try again soon.
  package func beginFoldBetweenTurns() throws(JournalError) -> (isHeld: Bool, fold: JournalFold?) {
    guard try core.rotate(cutsTurns: false) else { return (true, nil) }
    return (false, try foldHeld())
  }

  /// As ``beginFold()``, of what was taken over only: the own file goes on.
  package func beginFoldOfHeld() throws(JournalError) -> JournalFold? {
    // What one draft gave to another must not be in the tables for the one, and lost from the file for the other.
    try core.flush { $0.heldIsUnflushed }
    return try foldHeld()
  }

  private func foldHeld() throws(JournalError) -> JournalFold? {
    let held = core.disk.withLock { $0.held }
    if held.isEmpty { return nil }
    return JournalFold(
      held, JournalRecovery(held.map(\.content), tables, core.generations), others: try othersJournals(), core.folder,
      sliceSize: core.options.foldSlice)
  }

  /// Removes the files that are folded; damaged ones are kept under another name. Call it when the last slice survives
  /// a power cut, not before.
  package func didFold(_ fold: JournalFold) throws(JournalError) {
    guard fold.isDone else { return }
    var failure: JournalError?
    core.disk.withLock { disk in
      for journal in fold.journals {
        guard let place = disk.held.firstIndex(where: { $0.journal == journal.journal }) else { continue }
        do throws(SystemFailure) {
          if journal.isDamaged {
            try core.folder.setAside(journal.journal)
          } else {
            try core.folder.remove(journal.journal)
          }
          // Not always the one that the fold began with: see `restoreLost`.
          disk.held.remove(at: place).file.close()
        } catch {
          let path = core.folder.path(JournalFolder.name(journal.journal))
          failure = .cannotRemove(path: path, errno: error.errno)
        }
      }
      if disk.held.isEmpty { disk.foldDue = nil }
    }
    if let failure { throw failure }
  }

  /// Records, in the transaction of a save, that the draft's edits up to this generation are in the log. From then on
  /// no journal and no row brings them back. The draft itself stays.
  package func consume(
    _ draft: String, upTo generation: UInt64, in transaction: borrowing WriteTransaction
  ) throws(LMDBError) {
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
    // No frame may be counted as folded that a power cut could still take and whose number would be given again.
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
