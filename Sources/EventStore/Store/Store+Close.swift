extension Store {
  /// Ends the store: saves that were accepted are finished, the journal is written and checkpointed into the
  /// environment, and the files are closed. Contexts and lists that are still there read no more: look-ups and saves
  /// throw `closed`.
  ///
  /// Not needed for safety: a process that dies instead loses nothing that was promised. Closing twice does nothing.
  ///
  /// - Throws: ``StoreError`` if uncommitted edits could not be written to the journal: nothing is closed then, nothing
  ///   is lost, and the store goes on; free space and close it again, or let it go as a kill would. `forked` in a child
  ///   of the process that opened it, which closes nothing.
  public nonisolated(nonsending) func close() async throws {
    guard markClosed() else { return }
    // Files and threads are the parent's.
    if environment.isForked { throw StoreError.forked(path: path) }
    try await end()
  }

  /// Off the caller's actor: it may wait for the disk.
  private func end() async throws(StoreError) {
    await writer.close()
    await openTurnsEnd()
    // What does not go into the tables now is in the files, and does so later.
    try? await checkpointJournal(isClosing: true)
    do throws(JournalError) {
      try journal.close()
    } catch {
      writer.reopen()
      markOpen()
      throw storeError(error)
    }
    await MainActor.run { mainContextSlot.empty() }
    environment.close()
  }

  /// What is handed over at the end of a turn, as screens are, is part of what is closed; but none is waited for long.
  private func openTurnsEnd() async {
    for _ in 0..<40 where journal.isTurnOpen { try? await Task.sleep(nanoseconds: 5_000_000) }
  }
}

extension Store {
  /// Ends as a kill would: nothing more is written, and what was not written is lost. For tests.
  package func abandon() async {
    guard markClosed() else { return }
    await writer.close()
    await MainActor.run { mainContextSlot.empty() }
    journal.abandon()
    environment.close()
  }
}
