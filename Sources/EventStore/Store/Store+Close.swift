extension Store {
  /// Ends the store: saves that were accepted are finished, the journal is written and folded into the environment, and
  /// the files are closed. Contexts and lists that are still there read no more: look-ups and saves throw `closed`.
  ///
  /// Not needed for safety: a process that dies instead loses nothing that was promised. Closing twice does nothing.
  ///
  /// - Throws: ``StoreError`` if the journal could not be written: the store is closed all the same, and what the
  ///   journal had not yet written is lost. `forked` in a child of the process that opened it, which closes nothing.
  public nonisolated(nonsending) func close() async throws(StoreError) {
    guard markClosed() else { return }
    // Files and threads are the parent's.
    if environment.isForked { throw .forked(path: path) }
    try await end()
  }

  /// Off the caller's actor: it may wait for the disk.
  private func end() async throws(StoreError) {
    await writer.close()
    await MainActor.run { mainContextSlot.empty() }
    let failure: StoreError?
    do throws(StoreError) {
      try await foldJournal(isClosing: true)
      do throws(JournalError) { try journal.close() } catch { throw storeError(error) }
      failure = nil
    } catch {
      journal.abandon()
      failure = error
    }
    environment.close()
    if let failure { throw failure }
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
