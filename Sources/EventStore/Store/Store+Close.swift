import RepriseJournal
import RepriseLog

extension Store {
  /// Closes the store: finishes the accepted saves, takes the states of all scenes, writes the journal, checkpoints it
  /// into the environment, and closes the files. Afterwards look-ups and saves of remaining contexts and lists throw
  /// `closed`. Closing twice does nothing.
  ///
  /// The call waits for the main actor, which has the states of the scenes, even if its turn lasts long. A program need
  /// not close a store. If the process ends without closing it, only the edits of the last 250 ms may be missing.
  ///
  /// - Throws: ``StoreError`` if uncommitted edits could not be written to the journal. Then nothing is lost, and the
  ///   store stays open. Free disk space, then close the store again. `forked` in a child of the process that opened
  ///   the store; the call closes nothing there.
  public nonisolated(nonsending) func close() async throws {
    guard markClosed() else { return }
    guard await endOpening() else { return try await scenes.end() }
    // The files and threads belong to the parent.
    if environment.isForked { throw StoreError.forked(path: path) }
    try await end()
  }

  /// Ends an open store. Runs off the caller's actor, because the call may wait for the disk.
  private func end() async throws(StoreError) {
    await writer.close(self)
    await indexing.steps.stop()
    await cleaning.stop()
    await journals.endLastFrame()
    // Content that is not checkpointed now stays in the journal's files, and is checkpointed later.
    try? await journals.checkpoint(isClosing: true)
    do throws(JournalError) {
      try journal.close()
    } catch {
      writer.reopen()
      markOpen()
      throw StoreError(error, path: path)
    }
    await files.sharing?.end()
    others.end()
    await StoreObservers.didEnd(self, isClean: true)
    blobClaims.close()
    pinned.close()
    environment.close()
  }
}

extension Store {
  /// Ends as a kill would: unwritten entries are lost. For tests.
  package func abandon() async {
    guard markClosed() else { return }
    guard await endOpening() else {
      try? await scenes.end(losing: true)
      return
    }
    await writer.close(self)
    await files.sharing?.end()
    await indexing.steps.stop()
    others.end()
    await cleaning.stop()
    await StoreObservers.didEnd(self, isClean: false)
    journal.abandon()
    blobClaims.close()
    pinned.close()
    environment.close()
  }
}
